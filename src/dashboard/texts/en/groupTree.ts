import { createMessageTools } from '../messages'

const { number } = createMessageTools('en')

/** Texts of groups inside of groups. */
export const groupTree = {
  subgroups: 'Subgroups',
  subgroupsOf: (name: string) => `Subgroups of ${name}`,
  move: 'Move to…',
  moveNamed: (name: string) => `Move to… (${name})`,
  moveHeading: (name: string) => `Move ${name}`,
  inside: 'Inside',
  top: 'Top level',
  place: 'Position',
  movedTo: (position: number, count: number) => `Position ${number(position)} of ${number(count)}`,
  isMoved: (name: string) => `${name} was moved.`,
  changedMeanwhile: 'The groups were changed elsewhere. Please try again.',
}
