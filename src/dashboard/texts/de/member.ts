import type { Rest } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const member: Rest['member'] = {
  nobodyByThatId: 'Niemand mit dieser ID.',
  noGroupByThatId: 'Keine Gruppe mit dieser ID.',
  toEveryone: (word) => `Alle ${word.many} ansehen`,
  toGroups: 'Alle Gruppen ansehen',
  tabs: { about: 'Info', history: 'Verlauf', notes: 'Notizen', board: 'Pinnwand' },
  edit: 'Bearbeiten',
  pin: 'Auf „Jetzt“ anheften',
  isPinned: (name) => `${name} ist angeheftet und wird auf „Jetzt“ immer zuerst vorgeschlagen.`,
  isUnpinned: (name) => `${name} ist nicht mehr angeheftet.`,
  hereNow: 'gerade da',
  name: 'Name',
  birthday: 'Geburtstag',
  tags: 'Proxy-Tags',
  text: 'Text',
  groups: 'Gruppen',
  lastHere: 'Zuletzt da',
  lastHereAt: (moment, ago) => `${moment} · ${ago}`,
  never: 'Noch nie',
  recently: 'Zeit da, letzte 30 Tage',
  recentSum: (length, times) =>
    times === 0
      ? 'Keine'
      : plural(times, { one: `${length}, einmal`, other: `${length}, ${number(times)}-mal` }),
  messages: 'Nachrichten',
  addedOn: 'Hinzugefügt am',
  searchGroups: 'Gruppen suchen',
  id: 'ID',
  copyId: 'ID kopieren',
  lastWeek: 'Letzte 7 Tage',
  noDescription: 'Noch keine Beschreibung.',
  noPublicDescription: 'Fremde sehen keine Beschreibung.',
  unlisted: 'In öffentlichen Listen verborgen. Wer die ID hat, kann diese Seite trotzdem öffnen.',
  hiddenTimes: 'Die Zeiten sind für Fremde nicht zu sehen.',
  hiddenEarlierTimes: 'Fremde sehen, wer gerade da ist, aber keine früheren Zeiten.',
  hiddenInsights: 'In den Einblicken für Fremde kommen sie nicht vor.',

  nobodyInIt: 'Noch niemand.',
  hiddenMembers: 'Fremde sehen nicht, wer dazugehört.',
  editMembers: (word) => `${word.many} bearbeiten …`,
  whoIsIn: (group) => `Wer gehört zu ${group}?`,
  willAdd: (count) => `${number(count)} hinzufügen`,
  willRemove: (count) => `${number(count)} entfernen`,
  willAddAndRemove: (added, removed) => `${number(added)} hinzufügen, ${number(removed)} entfernen`,
  noChanges: 'Noch keine Änderungen.',
  addGroup: 'Gruppe hinzufügen',
  noGroups: 'Noch keine Gruppen.',
  noGroupFound: 'Keine Gruppe gefunden.',
  groupIsAdded: 'Gruppe hinzugefügt.',
  groupIsDeleted: (word) => `Gruppe gelöscht. Ihre ${word.many} sind noch da.`,
}
