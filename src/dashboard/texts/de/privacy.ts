import type { Rest } from '../catalogue'
import { createMessageTools } from '../messages'

const { countOf, number, plural } = createMessageTools('de')

export const privacy: Rest['privacy'] = {
  public: 'Öffentlich',
  private: 'Privat',
  levelOf: (what, level) => `${what}: ${level}`,
  eyes: 'Aus wessen Sicht',
  ours: 'Für uns',
  strangers: 'Für Fremde',
  arePrivate: (count, all) =>
    plural(count, {
      one: `${number(count)} von ${number(all)} Angaben ist privat`,
      other: `${number(count)} von ${number(all)} Angaben sind privat`,
    }),
  levels: (word) => ({
    visibility: 'Sichtbarkeit',
    name_privacy: 'Name',
    description_privacy: 'Beschreibung',
    birthday_privacy: 'Geburtstag',
    pronoun_privacy: 'Pronomen',
    avatar_privacy: 'Bild',
    banner_privacy: 'Banner',
    icon_privacy: 'Symbol',
    list_privacy: `Liste der ${word.many}`,
    metadata_privacy: 'Hinzugefügt am, Zahl der Nachrichten',
    proxy_privacy: 'Proxy-Tags',
  }),
  presets: { open: 'Öffentlich', names: 'Nur Namen', hidden: 'Verborgen' },
  presetsMore: {
    open: 'Alles ist öffentlich.',
    names:
      'Name, Pronomen und Bild sind öffentlich und in Listen zu sehen. Alles andere ist privat.',
    hidden: 'Alles ist privat.',
  },
  stillNamed: {
    fronters: '„Wer gerade da ist“ ist öffentlich und nennt weiterhin alle, die da sind.',
    history:
      'Der Verlauf ist öffentlich: Er zeigt weiterhin, wer da war, und die Namen lassen sich nachschlagen.',
    both: '„Wer gerade da ist“ und der Verlauf sind öffentlich: Sie zeigen weiterhin alle, die da sind oder waren, und ihre Namen.',
  },
  makeListsPrivate: {
    fronters: '„Wer gerade da ist“ auch privat machen',
    history: 'Den Verlauf auch privat machen',
    both: 'Beides auch privat machen',
  },
  areListsPrivate: {
    fronters: '„Wer gerade da ist“ ist privat.',
    history: 'Der Verlauf ist privat.',
    both: '„Wer gerade da ist“ und der Verlauf sind privat.',
  },
  setTo: 'Setzen auf',
  nothingChanges: 'Es gibt nichts zu ändern.',
  willChange: (count, word) =>
    `Das ändert ${countOf(count, word)}. Du kannst es rückgängig machen.`,
  change: (count, word) => `${countOf(count, word)} ändern`,
  changed: (count, word) => `${countOf(count, word)} geändert.`,

  whatOthersSee: 'Was andere sehen können',
  strangersEyes: 'Mit den Augen von Fremden',
  strangersMore: 'Das sehen Fremde. Es ändert sich, während du die Schalter umlegst.',
  publicPage: 'Öffentliche Seite öffnen',
  systemLevels: (word) => ({
    front_privacy: { title: 'Wer gerade da ist', hint: 'Auch für Widgets und Live-Streams' },
    front_status_privacy: {
      title: 'Status-Texte',
      hint: 'Für alle, die sehen, wer gerade da ist, auch über einen Link',
    },
    front_history_privacy: { title: 'Verlauf', hint: 'Alle Wechsel und Einblicke' },
    member_list_privacy: {
      title: `Liste der ${word.many}`,
      hint: 'Wer eine ID hat, kann das Profil trotzdem öffnen',
    },
    group_list_privacy: { title: 'Liste der Gruppen', hint: '' },
    name_privacy: { title: 'Unser Name', hint: '' },
    description_privacy: { title: 'Unsere Beschreibung', hint: '' },
    pronoun_privacy: { title: 'Unsere Pronomen', hint: '' },
    avatar_privacy: { title: 'Unser Bild', hint: '' },
    banner_privacy: { title: 'Unser Banner', hint: '' },
  }),
  many: 'Viele auf einmal ändern',
  who: 'Wer',
  everyone: 'Alle',
  select: 'Auswählen …',
  moreGroups: 'Weitere Gruppen …',
  custom: 'Einzeln …',
  keep: 'So lassen',
  nobodySelected: 'Wähle zuerst jemanden aus.',
}
