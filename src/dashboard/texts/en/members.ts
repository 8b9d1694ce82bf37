import type { Word } from '../messages'

/** Texts of the member list. */
export const list = {
  filters: 'Filter',
  everyone: 'Everyone',
  private: 'Private',
  archived: 'Archived',
  includeSubgroups: 'Include subgroups',
  moreGroups: 'More groups…',
  sort: 'Sort',
  sorts: { name: 'Name', last: 'Last here', newest: 'Recently added', colour: 'Colour' },
  add: 'Add',
  addMember: (word: Word) => `Add ${word.a}`,
  hiddenFromLists: 'Private',
  select: 'Select',
  done: 'Done',
  noMatch: 'No one matches this filter.',
}
