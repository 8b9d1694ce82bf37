import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en')

/** Texts of the public view of a system. */
export const publicView = {
  system: (id: string) => `System ${id}`,
  noMembers: (word: Word) => `No public ${word.many}.`,
  groups: 'Groups',
  recently: 'Recently',
  /** Private members of a switch, after the names of the others. */
  hiddenOnes: (count: number) =>
    plural(count, { one: 'someone who isn’t shown', other: `${number(count)} who aren’t shown` }),
  noHistory: 'Nothing is logged yet.',
  frontHidden: 'Who is here is hidden.',
  membersHidden: (word: Word) => `The list of ${word.many} is hidden.`,
  groupsHidden: 'The list of groups is hidden.',
  historyHidden: 'The history is hidden.',
  nobodyByThatId: 'Nobody by that ID',
  nobodyMore: 'Check that you copied the whole address. They may also have left.',
  home: 'Go to the start page',
  onlyHidden: (count: number) =>
    plural(count, {
      one: 'Someone who isn’t shown.',
      other: `${number(count)} who aren’t shown.`,
    }),
  someHidden: (count: number) =>
    plural(count, { one: 'And one more.', other: `And ${number(count)} more.` }),
  reconnecting: 'Offline. Reconnecting…',
  watchIsOver: 'This link no longer works. Ask for a new one.',
}
