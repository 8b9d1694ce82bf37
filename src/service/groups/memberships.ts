import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { groupMembers } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'
import { error } from '../../model/core/errors'
import type { Viewer } from '../../model/core/privacy'
import type { Group } from '../../model/groups/group'
import { recordEvent } from '../../store/events/recordEvent'
import type { Deps } from '../core/deps'
import { memberRepository } from '../members/members'
import { groupRepository } from './groups'

export const membershipActions = ['add', 'remove', 'overwrite'] as const
export type MembershipAction = (typeof membershipActions)[number]

/** Changes the members of one group. All references are checked before anything changes. */
export async function changeGroupMembers(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  action: MembershipAction,
  refs: readonly string[],
): Promise<void> {
  rejectEmptyList(action, refs)
  const group = await groupRepository.getOwn(deps, viewer, ref)
  await deps.transact({ system: group.system_id }, async (tx) => {
    await groupRepository.requireExists(tx, group.id)
    const named = await memberRepository.getOwnAll(tx, group.system_id, refs)
    const before = await membersOf(tx).all({ group: group.id })
    const { added, removed } = compare(before, named, action)
    for (const { id } of added) await insertMembership(tx).run({ group: group.id, member: id })
    if (removed.length > 0)
      await deleteMembers(tx).run({ group: group.id, members: jsonOfIds(removed) })
    if (added.length + removed.length === 0) return
    const reported = action === 'overwrite' ? unique(named) : [...added, ...removed]
    await recordGroupEvent(deps, tx, group, action, reported)
  })
}

/** Changes the groups of one member. */
export async function changeMemberGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  action: MembershipAction,
  refs: readonly string[],
): Promise<void> {
  rejectEmptyList(action, refs)
  const member = await memberRepository.getOwn(deps, viewer, ref)
  await deps.transact({ system: member.system_id }, async (tx) => {
    await memberRepository.requireExists(tx, member.id)
    const named = await groupRepository.getOwnAll(tx, member.system_id, refs)
    const before = await groupsOf(tx).all({ member: member.id })
    const { added, removed } = compare(before, named, action)
    for (const { id } of added) await insertMembership(tx).run({ group: id, member: member.id })
    if (removed.length > 0)
      await deleteGroups(tx).run({ member: member.id, groups: jsonOfIds(removed) })
    for (const group of added) await recordGroupEvent(deps, tx, group, 'add', [member])
    for (const group of removed) await recordGroupEvent(deps, tx, group, 'remove', [member])
  })
}

function rejectEmptyList(action: MembershipAction, refs: readonly string[]): void {
  if (action !== 'overwrite' && refs.length === 0) throw error('badRequest', 'the list is empty')
}

/** Returns the actual changes of an action, without repeated names and without what is so already. */
function compare<T extends { id: number }>(
  before: readonly T[],
  named: readonly T[],
  action: MembershipAction,
): { added: T[]; removed: T[] } {
  const had = new Set(before.map(({ id }) => id))
  const names = new Set(named.map(({ id }) => id))
  return {
    added: action === 'remove' ? [] : unique(named).filter(({ id }) => !had.has(id)),
    removed:
      action === 'add' ? [] : before.filter(({ id }) => names.has(id) === (action === 'remove')),
  }
}

function unique<T extends { id: number }>(rows: readonly T[]): T[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

function jsonOfIds(rows: readonly { id: number }[]): string {
  return JSON.stringify(rows.map(({ id }) => id))
}

async function recordGroupEvent(
  deps: Deps,
  tx: Db,
  group: Group,
  action: MembershipAction,
  named: { uuid: string }[],
): Promise<void> {
  await recordEvent(tx, deps.now(), {
    system_id: group.system_id,
    type: 'UPDATE_GROUP_MEMBERS',
    subject: group.uuid,
    data: { action, members: named.map(({ uuid }) => uuid) },
  })
}

const { group_id, member_id } = groupMembers

const membersOf = query((db, { group }: Placeholders<'group'>) =>
  db
    .select(visibleMembers._.selectedFields)
    .from(groupMembers)
    .innerJoin(visibleMembers, eq(visibleMembers.id, member_id))
    .where(eq(group_id, group))
    .orderBy(visibleMembers.id),
)

const groupsOf = query((db, { member }: Placeholders<'member'>) =>
  db
    .select(visibleGroups._.selectedFields)
    .from(groupMembers)
    .innerJoin(visibleGroups, eq(visibleGroups.id, group_id))
    .where(eq(member_id, member))
    .orderBy(visibleGroups.id),
)

export const insertMembership = query((db, { group, member }: Placeholders<'group' | 'member'>) =>
  db.insert(groupMembers).values({ group_id: group, member_id: member }).onConflictDoNothing(),
)

const deleteMembers = query(
  (db, { group, members }: Placeholders<'group' | 'members'>, { inJsonNumbers }) =>
    db.delete(groupMembers).where(and(eq(group_id, group), inJsonNumbers(member_id, members))),
)

const deleteGroups = query(
  (db, { member, groups }: Placeholders<'member' | 'groups'>, { inJsonNumbers }) =>
    db.delete(groupMembers).where(and(eq(member_id, member), inJsonNumbers(group_id, groups))),
)
