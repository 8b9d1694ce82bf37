/** Texts of bulk changes and deletions. */
export const bulkStrings = {
  privacyOf: (who: string) => `Privacy of ${who}`,
  groupsOf: (who: string) => `Groups of ${who}`,
  deleteAsk: (who: string) => `Delete ${who}?`,
  deleteEffect:
    'They leave the front, every list, every group and every switch. The times in your history stay. This cannot be undone.',
  typeName: (name: string) => `Type the name to go on: ${name}`,
  typeCount: (count: string) => `Type how many go: ${count}`,
  gone: (count: number, all: number) => `${count} of ${all} are gone`,
  areGone: (who: string, count: number) => `${who} ${count === 1 ? 'is' : 'are'} gone.`,
  noGroups: 'There are no groups yet. They are made under',
  areIn: (count: number, all: number) =>
    count === 0 ? 'None of them' : count === all ? 'All of them' : `${count} of ${all}`,
  add: 'Add',
  addTo: (group: string) => `Add to ${group}`,
  takeOut: 'Take out',
  takeOutOf: (group: string) => `Take out of ${group}`,
  joined: (many: string, group: string) => `${group}: ${many} added.`,
  left: (many: string, group: string) => `${group}: ${many} taken out.`,
  changed: (group: string) => `${group} has changed.`,
} as const
