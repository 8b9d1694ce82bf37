import { createMessageTools, type Word } from '../messages'

const { countOf, number, plural } = createMessageTools('en')

/** Texts of bulk changes and deletions. */
export const bulk = {
  selected: (count: number) => plural(count, { other: `${number(count)} selected` }),
  selectAll: (count: number) => `Select all ${number(count)}`,
  selectNone: 'Select none',
  all: (count: number) => `All ${number(count)}`,
  none: 'None',
  privacy: 'Privacy…',
  groups: 'Groups…',
  delete: 'Delete…',
  nobodySelected: 'Select someone first.',
  privacyOf: (who: string) => `Privacy of ${who}`,
  groupsOf: (who: string) => `Groups of ${who}`,
  deleteAsk: (who: string) => `Delete ${who}?`,
  deleteEffect:
    'They’ll be removed from every list, group and switch. The times in your history stay. This can’t be undone.',
  typeToConfirm: (text: string) => `Type “${text}” to confirm`,
  typeCount: (count: string) => `Type ${count} to confirm`,
  deletedSoFar: (count: number, all: number) => `${number(count)} of ${number(all)} deleted`,
  isDeleted: (name: string) => `${name} was deleted.`,
  areDeleted: (count: number, word: Word) => `${countOf(count, word)} deleted.`,
  noGroups: 'No groups yet.',
  toGroups: 'Add a group',
  areIn: (count: number, all: number) =>
    count === 0
      ? 'None of them'
      : count === all
        ? 'All of them'
        : `${number(count)} of ${number(all)}`,
  add: 'Add',
  addTo: (group: string) => `Add to ${group}`,
  remove: 'Remove',
  removeFrom: (group: string) => `Remove from ${group}`,
  added: (count: number, word: Word, group: string) => `${countOf(count, word)} added to ${group}.`,
  removed: (count: number, word: Word, group: string) =>
    `${countOf(count, word)} removed from ${group}.`,
  changed: (group: string) => `${group} was changed.`,
}
