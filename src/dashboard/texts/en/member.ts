import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en')

/** Texts of member and group pages. */
export const member = {
  nobodyByThatId: 'Nobody by that ID.',
  noGroupByThatId: 'No group by that ID.',
  toEveryone: (word: Word) => `See all ${word.many}`,
  toGroups: 'See all groups',
  tabs: { about: 'About', history: 'History', notes: 'Notes', board: 'Board' },
  edit: 'Edit',
  pin: 'Pin to Now',
  isPinned: (name: string) => `${name} is pinned: always suggested first on Now.`,
  isUnpinned: (name: string) => `${name} is no longer pinned.`,
  hereNow: 'here now',
  name: 'Name',
  birthday: 'Birthday',
  tags: 'Proxy tags',
  text: 'text',
  groups: 'Groups',
  lastHere: 'Last here',
  lastHereAt: (moment: string, ago: string) => `${moment} · ${ago}`,
  never: 'Not yet',
  recently: 'Time here, last 30 days',
  recentSum: (length: string, times: number) =>
    times === 0
      ? 'None'
      : plural(times, { one: `${length}, once`, other: `${length}, ${number(times)} times` }),
  messages: 'Messages',
  addedOn: 'Added on',
  searchGroups: 'Search groups',
  id: 'ID',
  copyId: 'Copy the ID',
  lastWeek: 'Last 7 days',
  noDescription: 'No description yet.',
  noPublicDescription: 'Strangers don’t see a description.',
  unlisted: 'Hidden from public lists. Anyone with the ID can still open this.',
  hiddenTimes: 'Times are hidden from strangers.',
  hiddenEarlierTimes: 'Strangers see who is here now, but no earlier times.',
  hiddenInsights: 'Insights leave them out for strangers.',

  // Groups.
  nobodyInIt: 'No one yet.',
  hiddenMembers: 'Strangers don’t see who is in it.',
  editMembers: (word: Word) => `Edit ${word.many}…`,
  whoIsIn: (group: string) => `Who is in ${group}?`,
  willAdd: (count: number) => `${number(count)} to add`,
  willRemove: (count: number) => `${number(count)} to remove`,
  willAddAndRemove: (added: number, removed: number) =>
    `${number(added)} to add, ${number(removed)} to remove`,
  noChanges: 'No changes yet.',
  addGroup: 'Add a group',
  noGroups: 'No groups yet.',
  noGroupFound: 'No group found.',
  groupIsAdded: 'Group added.',
  groupIsDeleted: (word: Word) => `Group deleted. Its ${word.many} are still here.`,
}
