import type { First } from '../catalogue'

export const list: First['list'] = {
  filters: 'Filter',
  everyone: 'Alle',
  private: 'Privat',
  archived: 'Archiviert',
  includeSubgroups: 'Mit Untergruppen',
  moreGroups: 'Weitere Gruppen …',
  sort: 'Sortieren',
  sorts: { name: 'Name', last: 'Zuletzt da', newest: 'Zuletzt hinzugefügt', colour: 'Farbe' },
  add: 'Hinzufügen',
  addMember: (word) => `${word.a} hinzufügen`,
  hiddenFromLists: 'Privat',
  select: 'Auswählen',
  done: 'Fertig',
  noMatch: 'Auf diesen Filter passt niemand.',
}
