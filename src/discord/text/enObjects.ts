import type { NameCommand } from './commandNames'
import { list, plural } from './format'

/** Escaped names of members and of the groups that they join or leave. */
interface Memberships {
  readonly members: readonly string[]
  readonly groups: readonly string[]
}

const MAX_LISTED = 5
const NOBODY_NAMED = 'Nothing was named.'

function isAny({ members, groups }: Memberships): boolean {
  return members.length > 0 && groups.length > 0
}

function some(names: readonly string[], noun: string): string {
  return names.length > MAX_LISTED ? `${names.length} ${noun}` : list(names)
}

/** Texts about systems, members, groups and their lists. */
export const objectTexts = {
  unnamedSystem: 'Unnamed system',
  systemWithId: (id: string) => `System ${id}`,
  systemId: (id: string) => `System ID: ${id}`,
  systemCreated: (id: string, name: NameCommand) =>
    [
      `✅ Your system was created. Its ID is ${id}. Add a member with ${name('member.new')}.`,
      `Everything you enter is public unless you make it private (${name('help', { topic: 'privacy' })}).`,
      `A token, kept safe, is the way back if you lose this account: ${name('token')}`,
    ].join('\n'),
  inviteNeeded: (name: NameCommand) =>
    `This bot needs an invite code. Send ${name('system.new')} to me in a direct message, or use /system new with the code.`,
  askInvite: 'This bot needs an invite code. Please send me yours now.',
  confirmDeleteSystem: (id: string, offersExport: boolean) =>
    [
      'This deletes your system with all members, groups and switches for good.',
      ...(offersExport ? ['Press *Export* first if you want a copy.'] : []),
      `To delete it, type its ID: ${id}`,
    ].join(' '),
  systemDeleted: '✅ Your system was deleted.',
  proxyingIs: (isOn: boolean) =>
    `Proxying of your system is ${isOn ? 'on' : 'off'} in this server.`,
  proxyingSet: (isOn: boolean) =>
    `✅ Proxying of your system is now ${isOn ? 'on' : 'off'} in this server.`,
  serverTagEnabled: (isOn: boolean) =>
    `✅ Your system tag is now ${isOn ? 'shown' : 'hidden'} in this server.`,
  membersOf: (name: string) => `Members of ${name}`,
  groupsOf: (name: string) => `Groups of ${name}`,
  listSearch: (title: string, term: string) => `${title} with “${term}”`,
  listEmpty: 'Nothing was found.',
  noMatch: (term: string) => `Nothing matches "${term}".`,
  labelled: (label: string, value: string) => `${label}: ${value}`,
  randomOrder: 'chance',
  oneOrder: 'A list has one order. Please choose only one `-by-…` flag.',
  listFooter: (page: number, pages: number, count: number, hidden: number, order: string) =>
    [
      plural(count, 'result', 'results'),
      `by ${order.toLowerCase()}`,
      ...(pages > 1 ? [`page ${page} of ${pages}`] : []),
      ...(hidden > 0 ? [`${hidden} not shown (-all shows all)`] : []),
    ].join(' · '),
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  memberId: (id: string) => `Member ID: ${id}`,
  groupId: (id: string) => `Group ID: ${id}`,
  memberCreated: (name: string, id: string) => `✅ Member ${name} was created. The ID is ${id}.`,
  groupCreated: (name: string, id: string) => `✅ Group ${name} was created. The ID is ${id}.`,
  nextTags: (command: string, example: string) => `Next: ${command}, then write ${example}.`,
  quoteNames: 'Because the name has spaces, write it in quotes in other commands.',
  nearLimit: (count: number, limit: number) => `You have ${count} of ${limit} members.`,
  confirmDuplicateName: (name: string, id: string) =>
    `${name} already exists (ID ${id}). Create another one with the same name?`,
  confirmDelete: (name: string, id: string) => `To delete ${name} for good, type the ID: ${id}`,
  deleted: (name: string) => `✅ ${name} was deleted.`,
  deletedMember: 'Deleted member',
  noTags: (name: string) => `${name} has no proxy tags.`,
  tagsChanged: (tags: string) => `✅ ${tags}`,
  tagsAre: (name: string, tags: string) => `Proxy tags of ${name}: ${tags}`,
  tagNeedsText: 'Write an example with the word `text` once, such as `[text]` or `w: text`.',
  tagEmpty: 'Something must precede or follow the word `text`.',
  hasTag: (tag: string) => `The member already has ${tag}.`,
  hasNoSuchTag: (tag: string) => `The member does not have ${tag}.`,
  confirmTagConflict: (tag: string, names: string) => `${names} also has ${tag}. Use it anyway?`,
  confirmReplaceTags: (tags: string) => `This replaces all tags: ${tags}. Continue?`,
  confirmClearTags: (name: string) => `Remove all proxy tags of ${name}?`,
  groupsOfMember: (name: string, groups: string) => `Groups of ${name}: ${groups || 'none'}`,
  /** Takes pairs of members and groups that changed, and those that did not. */
  membershipChanged: (
    action: 'add' | 'remove',
    changed: Memberships,
    unchanged: Memberships,
    missing: readonly string[],
  ) => {
    const isAdd = action === 'add'
    const lines = [
      ...(isAny(changed)
        ? [
            `${some(changed.members, 'members')} ${isAdd ? 'added to' : 'removed from'} ${some(changed.groups, 'groups')}.`,
          ]
        : []),
      ...(isAny(unchanged)
        ? [
            `${some(unchanged.members, 'members')} ${unchanged.members.length === 1 ? 'is' : 'are'} ${isAdd ? 'already' : 'not'} in ${some(unchanged.groups, 'groups')}.`,
          ]
        : []),
      ...(missing.length > 0 ? [`Not found: ${list(missing)}.`] : []),
    ]
    return `${isAny(changed) ? '✅' : '❌'} ${lines.join(' ') || NOBODY_NAMED}`
  },
  confirmAll: (action: 'add' | 'remove', count: number, group: string) =>
    action === 'add'
      ? `Add ${plural(count, 'member', 'members')} to ${group}?`
      : `Remove all members (${count}) from ${group}?`,
}
