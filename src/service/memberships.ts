import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { perHandle } from '../db/query'
import { statement } from '../db/statement'
import { groupMembers, groups, members } from '../db/tables'
import type { Db } from '../db/types'
import { error } from '../model/errors'
import type { Group } from '../model/group'
import type { Viewer } from '../model/privacy'
import type { Deps } from './deps'
import { groupRepository } from './groups'
import { memberRepository } from './members'
import { recordEvent } from './outbox'

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
    await insertPairs(
      tx,
      added.map((member) => ({ group, member })),
    )
    await deletePairs(tx, eq(groupMembers.group_id, group.id), groupMembers.member_id, removed)
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
    const before = await groupsOf(tx).all({ member: member.id, system: member.system_id })
    const { added, removed } = compare(before, named, action)
    await insertPairs(
      tx,
      added.map((group) => ({ group, member })),
    )
    await deletePairs(tx, eq(groupMembers.member_id, member.id), groupMembers.group_id, removed)
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

async function insertPairs(
  tx: Db,
  pairs: { group: { id: number }; member: { id: number } }[],
): Promise<void> {
  for (const { group, member } of pairs)
    await insertMembership(tx).run({ group: group.id, member: member.id })
}

async function deletePairs(
  tx: Db,
  side: ReturnType<typeof eq>,
  other: typeof groupMembers.group_id | typeof groupMembers.member_id,
  rows: { id: number }[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await tx.delete(groupMembers).where(and(side, inArray(other, ids)))
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

const membersOf = perHandle((db) =>
  db
    .select(getTableColumns(members))
    .from(groupMembers)
    .innerJoin(members, eq(members.id, groupMembers.member_id))
    .where(eq(groupMembers.group_id, sql.placeholder('group')))
    .orderBy(members.id)
    .prepare(),
)

const groupsOf = perHandle((db) =>
  db
    .select(getTableColumns(groups))
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.group_id))
    .where(
      and(
        eq(groupMembers.member_id, sql.placeholder('member')),
        // Excludes groups of a running import, which belong to its staging system.
        eq(groups.system_id, sql.placeholder('system')),
      ),
    )
    .orderBy(groups.id)
    .prepare(),
)

export const insertMembership = statement<'group' | 'member'>(
  'insert into group_members (group_id, member_id) values (:group, :member) on conflict do nothing',
)
