import type { Rest } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const publicView: Rest['publicView'] = {
  system: (id) => `System ${id}`,
  noMembers: (word) => `Keine öffentlichen ${word.many}.`,
  groups: 'Gruppen',
  recently: 'Zuletzt',
  hiddenOnes: (count) =>
    plural(count, {
      one: 'eine Person, die nicht gezeigt wird',
      other: `${number(count)}, die nicht gezeigt werden`,
    }),
  noHistory: 'Noch nichts eingetragen.',
  frontHidden: 'Wer da ist, ist verborgen.',
  membersHidden: (word) => `Die Liste der ${word.many} ist verborgen.`,
  groupsHidden: 'Die Liste der Gruppen ist verborgen.',
  historyHidden: 'Der Verlauf ist verborgen.',
  nobodyByThatId: 'Niemand mit dieser ID',
  nobodyMore:
    'Prüfe, ob du die ganze Adresse kopiert hast. Vielleicht ist das System auch umgezogen.',
  home: 'Zur Startseite',
  onlyHidden: (count) =>
    plural(count, {
      one: 'Eine Person, die nicht gezeigt wird.',
      other: `${number(count)}, die nicht gezeigt werden.`,
    }),
  someHidden: (count) =>
    plural(count, { one: 'Und noch jemand.', other: `Und ${number(count)} weitere.` }),
  reconnecting: 'Offline. Verbindung wird gesucht …',
  watchIsOver: 'Dieser Link funktioniert nicht mehr. Bitte um einen neuen.',
}
