import type { Rest } from '../catalogue'

export const publicView: Rest['publicView'] = {
  system: (id) => `System ${id}`,
  noMembers: (word) => `Keine öffentlichen ${word.many}.`,
  groups: 'Gruppen',
  recently: 'Zuletzt',
  noHistory: 'Noch nichts eingetragen.',
  frontHidden: 'Wer da ist, ist verborgen.',
  membersHidden: (word) => `Die Liste der ${word.many} ist verborgen.`,
  groupsHidden: 'Die Liste der Gruppen ist verborgen.',
  historyHidden: 'Der Verlauf ist verborgen.',
  nobodyByThatId: 'Niemand mit dieser ID',
  nobodyMore:
    'Prüfe, ob du die ganze Adresse kopiert hast. Vielleicht ist das System auch umgezogen.',
  home: 'Zur Startseite',
}
