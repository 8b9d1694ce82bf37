import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { number } = createMessageTools('de')

export const groupTree: Ext['groupTree'] = {
  subgroups: 'Untergruppen',
  subgroupsOf: (name) => `Untergruppen von ${name}`,
  move: 'Verschieben …',
  moveNamed: (name) => `Verschieben … (${name})`,
  moveHeading: (name) => `${name} verschieben`,
  inside: 'Gehört zu',
  top: 'Oberste Ebene',
  place: 'Stelle',
  movedTo: (position, count) => `Stelle ${number(position)} von ${number(count)}`,
  isMoved: (name) => `${name} ist verschoben.`,
  changedMeanwhile: 'Die Gruppen wurden anderswo geändert. Bitte versuch es noch einmal.',
}
