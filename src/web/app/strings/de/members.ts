import type { First } from '../catalogue'
import { createMessageTools } from '../messages'

const { number } = createMessageTools('de')

export const list: First['list'] = {
  filters: 'Filter',
  everyone: 'Alle',
  private: 'Privat',
  moreGroups: 'Weitere Gruppen …',
  sort: 'Sortieren',
  sorts: { name: 'Name', last: 'Zuletzt da', newest: 'Zuletzt hinzugefügt', colour: 'Farbe' },
  add: 'Hinzufügen',
  addMember: (word) => `${word.a} hinzufügen`,
  hiddenFromLists: 'Privat',
  select: 'Auswählen',
  done: 'Fertig',
  selected: (count) => `${number(count)} ausgewählt`,
  selectAll: (count) => `Alle ${number(count)} auswählen`,
  selectNone: 'Auswahl aufheben',
  all: (count) => `Alle ${number(count)}`,
  none: 'Keine',
  privacy: 'Privatsphäre …',
  groups: 'Gruppen …',
  delete: 'Löschen …',
  noMatch: 'Auf diesen Filter passt niemand.',
  nobodySelected: 'Wähle zuerst jemanden aus.',
}
