import type { First } from '../catalogue'
import { createMessageTools, type Word } from '../messages'
import { errors } from './errors'

const { countOf, duration, list, number, plural } = createMessageTools('de')
const relative = new Intl.RelativeTimeFormat('de', { style: 'short' })

/** Returns the forms of a word; the first one is declined: "Ersten Anteil". */
const wordForms = (one: string, many: string, first = one): Word => ({
  one,
  many,
  a: one,
  first,
  title: many,
})

export const main: First['main'] = {
  title: 'Multitude',
  welcome: 'Willkommen zu Hause',
  howToLogIn:
    'Melde dich mit einem Link von deinem Bot oder von der Person an, die diesen Server betreibt, oder füge dein Token ein.',
  newHere: {
    closed: 'Neu hier? Bitte sie, ein System für dich anzulegen.',
    invite: 'Neu hier? Bitte sie um eine Einladung.',
  },
  needsSetup:
    'Hier hat noch niemand ein System. Die Person, die diesen Server betreibt, kann den Link zum Einrichten öffnen, den der Server beim Start ausgibt.',
  createSystem: 'System anlegen',
  isInvited: 'Du bist eingeladen. Melde dich an, um zu antworten.',
  token: 'Token',
  remember: 'Auf diesem Gerät angemeldet bleiben',
  rememberMore:
    'Namen und letzte Wechsel bleiben in diesem Browser, damit er auch ohne Netz funktioniert. Unter Mehr → Geräte kannst du ihn jederzeit abmelden.',
  logIn: 'Anmelden',
  yourSystem: 'dein System',
  wrongToken: 'Dieses Token funktioniert hier nicht. Prüfe, ob du es ganz kopiert hast.',
  limitedToken: 'Mit diesem Token kannst du dich nicht anmelden: Es hat keinen vollen Zugriff.',
  noToken: 'Füge hier dein Token ein.',
  tooMany: 'Zu viele Versuche. Warte eine Minute und versuch es noch einmal.',
  unreachable: 'Der Server ist nicht erreichbar.',
  tryAgain: 'Noch einmal versuchen',
  endedElsewhere:
    'Dieser Browser wurde von einem anderen Gerät aus abgemeldet, oder die Anmeldung ist abgelaufen. Melde dich an, um weiterzumachen.',
  logOut: 'Abmelden',
  hereNow: 'Gerade da',
  nobody: 'Gerade ist niemand eingetragen.',
  nothingYet: 'Noch nichts eingetragen.',
  stillLoading: 'Lädt noch …',

  words: {
    members: wordForms('Mitglied', 'Mitglieder', 'Erstes Mitglied'),
    alters: wordForms('Alter', 'Alters'),
    headmates: wordForms('Headmate', 'Headmates'),
    parts: wordForms('Anteil', 'Anteile', 'Ersten Anteil'),
    people: wordForms('Person', 'Personen', 'Erste Person'),
  },
  customWord: (word) => ({ one: word, many: word, a: word, first: word }),
  countOf,
  number: (value) => number(value),
  listOf: (parts) => list(parts),
  duration: (parts) => duration(parts).replace(', ', ' '),
  lessThanMinute: 'unter 1 Min.',
  ago: {
    minutes: (count) => relative.format(-count, 'minute'),
    hours: (count) => relative.format(-count, 'hour'),
    days: (count) => relative.format(-count, 'day'),
  },
  justNow: 'gerade eben',
  noon: 'Mittag',
  quoted: (text) => `„${text}“`,
  errors,

  skip: 'Zum Inhalt springen',
  navigation: 'Hauptmenü',
  now: 'Jetzt',
  history: 'Verlauf',
  insights: 'Einblicke',
  more: 'Mehr',
  live: 'Live',
  connecting: 'Verbindet',
  offline: 'Offline',
  youAreOffline:
    'Du bist offline. Du kannst dich umsehen; Wechsel lassen sich erst wieder eintragen, wenn du online bist.',
  serverAway:
    'Der Server ist nicht erreichbar. Du kannst dich umsehen; speichern lässt sich erst wieder etwas, wenn er antwortet.',
  waitingHere: (count, isServer, isPhone) => {
    const device = isPhone ? 'Handy' : 'Gerät'
    const why = isServer ? 'Der Server ist nicht erreichbar.' : 'Kein Netz.'
    return plural(count, {
      one: `${why} 1 Wechsel wartet auf diesem ${device}.`,
      other:
        count === 0
          ? `${why} Wechsel warten auf diesem ${device}; sonst lässt sich nichts speichern.`
          : `${why} ${number(count)} Wechsel warten auf diesem ${device}.`,
    })
  },
  needsServer: (word) =>
    `Diese Seite gibt es nur mit Verbindung zum Server. Jetzt, ${word.title} und Verlauf gehen auch so.`,
  serverBusy: 'Der Server ist ausgelastet. Gleich geht es weiter.',
  close: 'Schließen',
  notice: 'Hinweis',
  undo: 'Rückgängig',
  isUndone: 'Rückgängig gemacht.',

  greet: (hour, name) =>
    hour < 5
      ? `Hallo, ${name}`
      : hour < 12
        ? `Guten Morgen, ${name}`
        : hour < 18
          ? `Guten Tag, ${name}`
          : `Guten Abend, ${name}`,
  hereSince: (time, length) => `seit ${time} · ${length}`,
  hereAre: (names) => `Gerade da: ${list(names)}`,
  stepsBack: (name) => `${name} tritt zurück`,
  setStatus: 'Status setzen',
  statusOf: (name, text) => `${text}, ${name}`,
  addComment: 'Kommentar hinzufügen',
  whoIsSwitchingIn: 'Wer kommt nach vorn?',
  everyone: (count) => `Alle (${number(count)})`,
  suggested: 'Vorschläge',
  customFronts: 'Custom Fronts',
  search: 'Suchen',
  searchHint: 'Namen, Pronomen, Beschreibungen',
  nobodyFound: 'Niemand gefunden.',
  found: (count) => (count === 0 ? 'Niemand gefunden' : `${number(count)} gefunden`),
  showMore: 'Mehr anzeigen',
  nobodyOrUnsure: 'Niemand / nicht sicher',
  happenedEarlier: 'Es war schon früher …',
  when: 'Wann war es?',
  thisMorning: (time) => `Heute früh, ${time}`,
  pickTime: 'Zeit wählen …',
  time: 'Uhrzeit',
  date: 'Datum',
  timesIn: (zone, time) => `Zeiten in ${zone}; dort ist es jetzt ${time}.`,
  notATime: 'Gib Datum und Uhrzeit ein.',
  inFuture: 'Das liegt in der Zukunft.',
  inFutureIn: (zone) => `Das liegt in deiner Zeitzone ${zone} in der Zukunft.`,
  willBeLogged: (time, ago, names) =>
    names.length === 0
      ? `Wird um ${time} eingetragen (${ago}). Da ist sonst niemand eingetragen.`
      : `Wird um ${time} eingetragen (${ago}). Da waren: ${list(names)}.`,
  switchTo: (names) => `Wechsel zu ${list(names)}`,
  addAlongside: (names) => `Zu ${list(names)} hinzufügen`,
  insteadOf: 'Anstelle von',
  replace: (names, replaced) => `${list(names)} anstelle von ${replaced}`,
  clearSelection: 'Auswahl aufheben',
  switch: 'Wechsel',
  areHereNow: (names) =>
    plural(names.length, {
      one: `${list(names)} ist jetzt da.`,
      other: `${list(names)} sind jetzt da.`,
    }),
  isLogged: 'In den Verlauf eingetragen.',
  todayAndYesterday: 'Heute und gestern',
  whoWasHere: 'Wer war da um …',
  allHistory: 'Ganzer Verlauf',
  noMembers: (word) => `Noch keine ${word.many}.`,
  addFirst: (word) => `${word.first} hinzufügen`,
  name: 'Name',
  addNamed: (name) => `„${name}“ hinzufügen`,
  isAdded: (name) => `${name} wurde hinzugefügt.`,
  enterName: 'Gib einen Namen ein.',

  here: 'da',
  spoiler: 'Spoiler',

  nobodyShort: 'Niemand',
  today: 'Heute',
  asTable: 'Als Tabelle zeigen',
  asChart: 'Als Diagramm zeigen',
  dayOf: (day, parts) => (parts.length === 0 ? `${day}: niemand` : `${day}: ${list(parts)}`),
  timeOf: (name, length) => `${name} ${length}`,

  save: 'Speichern',
  delete: 'Löschen',
  cancel: 'Abbrechen',
  leaveAsk: 'Ohne Speichern verlassen?',
  leaveEffect: 'Deine Änderungen gehen verloren.',
  stay: 'Bleiben',
  leave: 'Verlassen',
  isSaved: 'Gespeichert.',
  isDeleted: 'Wechsel gelöscht.',
  system: 'System',
  privacy: 'Privatsphäre',
  friends: 'Freundeskreis',
  groups: 'Gruppen',
  notes: 'Notizen',
  chat: 'Chat',
  reminders: 'Erinnerungen',
  fields: 'Felder',
  import: 'Import und Export',
  archivedData: 'Archivierte Daten',
  devices: 'Geräte',
  appearance: 'Darstellung',
}
