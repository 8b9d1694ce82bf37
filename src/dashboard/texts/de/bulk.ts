import type { Rest } from '../catalogue'
import { createMessageTools } from '../messages'

const { countOf, number, plural } = createMessageTools('de')

export const bulk: Rest['bulk'] = {
  selected: (count) => `${number(count)} ausgewählt`,
  selectAll: (count) => `Alle ${number(count)} auswählen`,
  selectNone: 'Auswahl aufheben',
  all: (count) => `Alle ${number(count)}`,
  none: 'Keine',
  privacy: 'Privatsphäre …',
  groups: 'Gruppen …',
  delete: 'Löschen …',
  nobodySelected: 'Wähle zuerst jemanden aus.',
  privacyOf: (who) => `Privatsphäre: ${who}`,
  groupsOf: (who) => `Gruppen: ${who}`,
  deleteAsk: (who) => `${who} löschen?`,
  deleteEffect:
    'Verschwindet aus allen Listen, Gruppen und Wechseln. Die Zeiten in deinem Verlauf bleiben. Das lässt sich nicht rückgängig machen.',
  typeToConfirm: (text) => `Gib zur Bestätigung „${text}“ ein`,
  typeCount: (count) => `Gib zur Bestätigung ${count} ein`,
  deletedSoFar: (count, all) => `${number(count)} von ${number(all)} gelöscht`,
  isDeleted: (name) => `${name} wurde gelöscht.`,
  areDeleted: (count, word) => `${countOf(count, word)} gelöscht.`,
  noGroups: 'Noch keine Gruppen.',
  toGroups: 'Gruppe hinzufügen',
  areIn: (count, all) =>
    count === 0
      ? 'Niemand davon'
      : count === all
        ? plural(all, { one: 'Schon dabei', other: 'Alle davon' })
        : `${number(count)} von ${number(all)}`,
  add: 'Hinzufügen',
  addTo: (group) => `Zu ${group} hinzufügen`,
  remove: 'Entfernen',
  removeFrom: (group) => `Aus ${group} entfernen`,
  added: (count, word, group) => `${countOf(count, word)} zu ${group} hinzugefügt.`,
  removed: (count, word, group) => `${countOf(count, word)} aus ${group} entfernt.`,
  changed: (group) => `${group} wurde geändert.`,
}
