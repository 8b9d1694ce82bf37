import type { Rest } from '../catalogue'
import { createMessageTools } from '../messages'

const { list, number, plural } = createMessageTools('de')

const rows = (one: string, other: string) => (count: number) =>
  plural(count, { one: `${number(count)} ${one}`, other: `${number(count)} ${other}` })

export const importing: Rest['importing'] = {
  import: 'Importieren',
  importMore:
    'Eine Datei aus PluralKit, Tupperbox, Simply Plural oder einem anderen Multitude. Du siehst eine Vorschau, bevor etwas gespeichert wird.',
  choose: 'Datei auswählen',
  drop: 'oder hierher ziehen',
  another: 'Andere Datei auswählen',
  waiting: 'Warten, bis der Server Platz für die Datei hat …',
  previewing: 'Die Datei wird gelesen …',
  importing: 'Wird importiert …',
  tooLarge: 'Diese Datei ist zu groß für diesen Server.',
  unreadable: 'Diese Datei ist nicht lesbar. Wähle die .json-Datei aus deinem Export.',

  formats: {
    pluralkit: 'PluralKit-Datei',
    tupperbox: 'Tupperbox-Datei',
    simplyplural: 'Simply-Plural-Datei',
  },
  fileSize: (name, size) => `${name}, ${size}`,
  kilobytes: (count) => `${number(count)} KB`,
  megabytes: (count) => `${number(Math.round(count * 10) / 10)} MB`,

  parts: 'Was importiert wird',
  groups: 'Gruppen',
  switches: 'Wechsel',
  memberships: (word) => `${word.title} in Gruppen`,
  allParts:
    'Wenn alle drei ausgewählt sind, kommen auch Name, Beschreibung und Einstellungen deines Systems mit, und alles, was noch nicht gezeigt werden kann, wird gespeichert.',
  noParts: 'Wähle mindestens eines aus.',
  keepPrivate: 'Alles privat lassen',
  keepPrivateMore: (word) =>
    `Alle ${word.many} und Gruppen kommen als privat an, und die Einstellungen zur Privatsphäre bleiben, wie sie sind.`,
  friends: 'Öffentlich machen, was der ganze Freundeskreis sehen konnte',
  friendsMore: 'Öffentlich heißt hier: für alle, nicht nur für den Freundeskreis.',

  preview: 'Vorschau',
  imported: 'Importiert',
  added: (count) => `${number(count)} neu`,
  changed: (count) => `${number(count)} geändert`,
  unchanged: (count) => `${number(count)} unverändert`,
  leftOut: (count) => `${number(count)} übersprungen`,
  none: 'nichts',
  tally: (part, counts) => `${part}: ${list(counts)}`,
  tallies: (format, tallies) => `${format}. ${tallies.join('; ')}`,
  nothingNew: 'Alles aus dieser Datei ist schon da.',
  nothingDone: 'Alles aus dieser Datei war schon da. Nichts hat sich geändert.',

  repaired: (count) => `Angepasst (${number(count)})`,
  dropped: (count) => `Nicht importierbar (${number(count)})`,
  skippedRows: (count) => `Übersprungen (${number(count)})`,
  kept: (count) => `Gespeichert, noch nicht zu sehen (${number(count)})`,
  keptMore:
    'Das kann hier noch nicht gezeigt werden. Es bleibt bei deinem System und ist in jedem Export dabei.',
  lost: (count) => `Nicht gespeichert (${number(count)})`,
  renamed: (count) => `Neue IDs (${number(count)})`,
  renamedMore: 'Die alten IDs sind auf diesem Server vergeben.',
  newId: 'eine neue',
  accounts: (count) => `Chat-Konten (${number(count)})`,
  becomes: (was, now) => `aus ${was} wird ${now}`,
  line: (subject, what) => `${subject}: ${what}`,
  subject: (name, field) => `${name}, ${field}`,
  rows: rows('Zeile', 'Zeilen'),
  fields: {
    id: 'ID',
    uuid: 'UUID',
    created: 'Hinzugefügt am',
    timestamp: 'Zeit',
    message_count: 'Zahl der Nachrichten',
    last_message_timestamp: 'Letzte Nachricht',
    member: 'Profil',
    members: 'Wer',
    switch: 'Eintrag',
    groups: 'Gruppen',
    parent: 'Übergeordnete Gruppe',
  },
  kinds: {
    system: 'System',
    member: 'Profil',
    group: 'Gruppe',
    switch: 'Wechsel',
    settings: 'Einstellungen',
    guild: 'Server',
    account: 'Konto',
    autoproxy: 'Autoproxy',
  },

  isDone: 'Import fertig',
  toNow: 'Zu „Jetzt“',

  collections: {
    members: (count, word) =>
      plural(count, {
        one: `eigene Felder: 1 ${word.one}`,
        other: `eigene Felder: ${number(count)} ${word.many}`,
      }),
    frontStatuses: rows('Custom Front mit Angaben', 'Custom Fronts mit Angaben'),
    groups: rows('Gruppe mit Angaben', 'Gruppen mit Angaben'),
    privacyBuckets: rows('Privatsphäre-Gruppe', 'Privatsphäre-Gruppen'),
    notes: rows('Notiz', 'Notizen'),
    comments: rows('Kommentar', 'Kommentare'),
    polls: rows('Umfrage', 'Umfragen'),
    boardMessages: rows('Nachricht am schwarzen Brett', 'Nachrichten am schwarzen Brett'),
    channels: rows('Chat-Kanal', 'Chat-Kanäle'),
    channelCategories: rows('Kanal-Kategorie', 'Kanal-Kategorien'),
    automatedReminders: rows('automatische Erinnerung', 'automatische Erinnerungen'),
    repeatedReminders: rows('wiederkehrende Erinnerung', 'wiederkehrende Erinnerungen'),
    friends: rows('Freundschaft', 'Freundschaften'),
    customFields: rows('eigenes Feld', 'eigene Felder'),
    chatMessages: rows('Chat-Nachricht', 'Chat-Nachrichten'),
    frontHistory: rows('Kommentar oder Status im Verlauf', 'Kommentare und Status im Verlauf'),
    longTexts: rows('Text in voller Länge', 'Texte in voller Länge'),
  },
  otherRows: (name, count) => `${name}: ${number(count)}`,

  export: 'Exportieren',
  everything: 'Alles',
  everythingMore:
    'System, Gruppen, Verlauf und Einstellungen in einer Datei. Auch PluralKit kann sie importieren.',
  json: 'JSON',
  history: 'Verlauf',
  historyMore: 'Für Tabellenprogramme',
  csv: 'CSV',
  calendar: 'Kalender',
  calendarMore: 'Für Kalender-Apps',
  calendarTitle: 'Verlauf als Kalender',
  nextPart: (part) => `JSON, Teil ${number(part)}`,
  partsMore: (part) =>
    `Ein langer Verlauf wird in mehreren Dateien exportiert. Als Nächstes kommt Teil ${number(part)}.`,
  isSaved: (name) => `${name} ist in deinen Downloads.`,
}
