import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en')

/** Texts of the member list. */
export const list = {
  filters: 'Filter',
  everyone: 'Everyone',
  private: 'Private',
  moreGroups: 'More groups…',
  sort: 'Sort',
  sorts: { name: 'Name', last: 'Last here', newest: 'Recently added', colour: 'Colour' },
  add: 'Add',
  addMember: (word: Word) => `Add ${word.a}`,
  hiddenFromLists: 'Private',
  select: 'Select',
  done: 'Done',
  selected: (count: number) => plural(count, { other: `${number(count)} selected` }),
  selectAll: (count: number) => `Select all ${number(count)}`,
  selectNone: 'Select none',
  all: (count: number) => `All ${number(count)}`,
  none: 'None',
  privacy: 'Privacy…',
  groups: 'Groups…',
  delete: 'Delete…',
  noMatch: 'No one matches this filter.',
  nobodySelected: 'Select someone first.',
}
