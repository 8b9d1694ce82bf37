import type { Word } from '../messages'

/** Texts of the public view of a system. */
export const publicView = {
  system: (id: string) => `System ${id}`,
  noMembers: (word: Word) => `No public ${word.many}.`,
  groups: 'Groups',
  recently: 'Recently',
  noHistory: 'Nothing is logged yet.',
  frontHidden: 'Who is here is hidden.',
  membersHidden: (word: Word) => `The list of ${word.many} is hidden.`,
  groupsHidden: 'The list of groups is hidden.',
  historyHidden: 'The history is hidden.',
  nobodyByThatId: 'Nobody by that ID',
  nobodyMore: 'Check that you copied the whole address. They may also have left.',
  home: 'To the front door',
}
