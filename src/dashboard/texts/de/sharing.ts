import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { countOf, list, number, plural } = createMessageTools('de')

export const sharing: Ext['sharing'] = {
  about:
    'Befreundete Systeme sind auch auf diesem Server. Jede Seite entscheidet selbst, was sie zeigt.',
  none: 'Noch keine Freundschaften. Biete eine an, oder gib einen Code ein, den du bekommen hast.',
  friends: 'Eure Freundschaften',
  showMore: (count) => `Mehr anzeigen (${number(count)})`,
  someone: 'Befreundetes System',
  notShown: 'Zeigt nicht, wer da ist.',
  nobodyShown: 'Gerade wird niemand als da angezeigt.',
  isDisabled: 'Dieses System ist im Moment abgeschaltet.',
  friendsSince: (date) => `Befreundet seit ${date}`,
  whatTheySee: 'Was sie sehen',
  whatTheySeeNamed: (name) => `Was sie sehen: ${name}`,
  notifyMe: 'Benachrichtigen',
  notifyMeNamed: (name) => `Benachrichtigen: ${name}`,
  notifyMore: 'Wenn jemand nach vorne kommt, den sie dir zeigen.',
  notifyOff: 'Sie haben das abgeschaltet, es kommt also nichts an.',
  willNotify: (name) => `Du wirst über ${name} benachrichtigt.`,
  wontNotify: (name) => `Du wirst nicht über ${name} benachrichtigt.`,
  remove: 'Freundschaft beenden',
  removeNamed: (name) => `Freundschaft beenden mit ${name}`,
  removeAsk: (name) => `Freundschaft mit ${name} beenden?`,
  removeEffect:
    'Ihr seht einander sofort nicht mehr. Für eine neue Freundschaft braucht es eine neue Einladung.',
  isRemoved: (name) => `Die Freundschaft mit ${name} ist beendet.`,
  toFriends: 'Alle Freundschaften',
  notFound: 'Hier ist keine Freundschaft.',
  notFoundMore: 'Vielleicht hat eine Seite sie beendet.',
  membersNotShown: 'Sie zeigen dir ihre Profile nicht.',
  friendLimit: 'Eine Seite hat schon 200 Freundschaften.',

  ownName: 'Name',
  ownNameMore: 'Dein eigener Name dafür. Nur du siehst ihn.',
  seeFront: 'Wer da ist',
  seeFrontMore: 'Alle, die in einem der Buckets unten sind, mit ihrem Status.',
  seeMembers: (word) => `${word.title}, Gruppen und Felder`,
  seeMembersMore: 'Alles in den Buckets unten, mit langen Beschreibungen.',
  announce: 'Benachrichtigungen',
  announceMore: 'Sie dürfen erfahren, wenn jemand nach vorne kommt, den sie sehen.',
  inBuckets: 'Buckets',
  noBuckets:
    'Sie kommen in den Bucket „Friends“. Er ist zuerst leer; niemand ist zu sehen, bis du jemanden hineintust.',
  seesNothing: 'Ohne Bucket sehen sie niemanden.',
  seesNothingYet: (word) =>
    `In diesen Buckets sind noch keine ${word.many}, also sehen sie niemanden.`,

  invite: 'Freundschaft anbieten',
  inviteNamed: (name) => `Freundschaft anbieten: ${name}`,
  inviteMore:
    'Dafür ist ein System auf diesem Server nötig. Die Einladung gilt einmal und 7 Tage lang.',
  inviteFor: 'Name',
  inviteForMore: 'Für wen ist sie? Diesen Namen siehst nur du.',
  youShow: 'Du zeigst',
  createInvite: 'Einladung erstellen',
  isInvited: 'Einladung erstellt.',
  invitation: (name) => `Einladung für ${name}`,
  anInvitation: 'Einladung ohne Namen',
  link: 'Link',
  code: 'Code',
  linkOnce: 'Schick ihn weiter. Er wird nicht noch einmal angezeigt.',
  codeOnce:
    'Benutzt wird er unter Mehr → Freundeskreis → Code eingeben. Er wird nicht noch einmal angezeigt.',
  codeToo:
    'Oder schick diesen Code; eingegeben wird er unter Mehr → Freundeskreis → Code eingeben.',
  open: 'Offene Einladungen',
  until: (date) => `bis ${date}`,
  withdraw: 'Zurückziehen',
  withdrawNamed: (name) => `Zurückziehen: ${name}`,
  isWithdrawn: 'Einladung zurückgezogen.',
  enterCode: 'Code eingeben',
  enterCodeMore: 'Der Code oder der Link, den du bekommen hast.',
  noCode: 'Gib einen Code ein.',
  continue: 'Weiter',
  inviteLimit: 'Du hast schon 10 offene Einladungen. Zieh zuerst eine zurück.',

  invites: (name) => `${name} lädt dich ein`,
  aSystem: 'Ein System',
  theyShow: 'Sie zeigen dir',
  shows: {
    front: 'wer da ist',
    members: 'die Profile, Gruppen und Felder, die sie mit dir teilen',
    announce: 'auf Wunsch eine Benachrichtigung, wenn jemand nach vorne kommt',
    nothing: 'zuerst nichts',
  },
  accept: 'Annehmen',
  isWaiting: 'Eine Einladung wartet.',
  answer: 'Beantworten',
  areFriends: (name) => `Du und ${name} seid jetzt befreundet.`,
  inviteIsOver: 'Diese Einladung wurde schon benutzt oder zurückgezogen, oder sie ist abgelaufen.',
  askAgain: 'Bitte um eine neue.',
  isOwn: 'Das ist deine eigene Einladung. Schick sie weiter.',
  areAlready: 'Ihr seid schon befreundet.',

  buckets: 'Buckets',
  bucketsMore: (word) =>
    `Ein Bucket fasst Befreundete zusammen. Sie sehen, was du hineintust: ${word.many}, Gruppen und Felder.`,
  noBucketsYet: 'Noch keine. „Friends“ und „Trusted friends“ entstehen mit der ersten Einladung.',
  addBucket: 'Bucket hinzufügen',
  editBucket: (name) => `${name} bearbeiten`,
  bucketAbout: 'Beschreibung',
  emoji: 'Emoji',
  colour: 'Farbe',
  defaultFor: 'Neue automatisch aufnehmen',
  defaults: (word) => ({
    members: word.title,
    custom_fronts: 'Custom Fronts',
    groups: 'Gruppen',
    fields: 'Felder',
  }),
  contents: 'Auswählen…',
  contentsNamed: (name) => `Auswählen, was in ${name} ist`,
  kinds: (word) => ({ members: word.title, groups: 'Gruppen', fields: 'Felder' }),
  whichKind: 'Was auswählen',
  counted: (title, count) => `${title} (${number(count)})`,
  inBucket: (word, members, groups, fields, friends) =>
    list(
      [
        members > 0 ? countOf(members, word) : '',
        groups > 0 ? plural(groups, { one: '1 Gruppe', other: `${number(groups)} Gruppen` }) : '',
        fields > 0 ? plural(fields, { one: '1 Feld', other: `${number(fields)} Felder` }) : '',
        friends > 0
          ? plural(friends, { one: '1 Freundschaft', other: `${number(friends)} Freundschaften` })
          : '',
      ].filter((part) => part !== ''),
    ) || 'Leer',
  searchThings: 'Nach Namen suchen',
  nothingFound: 'Nichts gefunden.',
  nothingToChoose: 'Es gibt noch keine.',
  bucketLimit: 'Du hast schon 20 Buckets.',
  deleteBucket: (name) => `${name} löschen?`,
  deleteBucketEffect:
    'Befreundete sehen nicht mehr, was sie nur durch diesen Bucket sahen. Sonst wird nichts gelöscht.',
  isBucketDeleted: (name) => `${name} wurde gelöscht.`,

  visibleTo: 'Sichtbar für',
  visibleToNow: (names) => `Sichtbar für: ${names}`,
  visibleToMore: 'Befreundete in diesen Buckets sehen es, egal was öffentlich oder privat ist.',
  noOne: 'Keine Befreundeten',
  announceFrontMore: (name) =>
    `Befreundete, die ${name} sehen, dürfen benachrichtigt werden, wenn ${name} nach vorne kommt.`,
  friendsView: 'Für Befreundete',
  whichBucket: 'Befreundete in',
  notVisible: (name) => `Befreundete in diesem Bucket sehen ${name} nicht.`,
  onlyIfShown: (word) => `Für Befreundete, denen du ${word.many} zeigst.`,

  archived: 'Freundschaften aus Simply Plural',
  archivedMore:
    'Die Datei hat keine Namen, nur IDs und was sie sehen konnten. Eine Einladung zeigt ihnen dasselbe.',
  couldSee: { front: 'sah, wer da war', members: 'sah Profile', nothing: 'sah nichts' },
}
