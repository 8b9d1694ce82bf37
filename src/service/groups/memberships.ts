import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import type { Viewer } from '../../model/core/privacy'
import type { Group } from '../../model/groups/group'
import { getOwnEntities, requireEntityExists } from '../../store/core/entityRows'
import { recordEvent } from '../../store/events/recordEvent'
import { groupRowKind } from '../../store/groups/groupRows'
import {
  deleteGroupsOfMember,
  deleteMembersOfGroup,
  insertMembership,
  listGroupsOfMember,
  listMembersOfGroup,
} from '../../store/groups/membershipRows'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import { getOwnEntity } from '../core/entities'

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
  const group = await getOwnEntity(deps, viewer, groupRowKind, ref)
  await deps.transact({ system: group.system_id }, async (tx) => {
    await requireEntityExists(tx, groupRowKind, group.id)
    const named = await getOwnEntities(tx, memberRowKind, group.system_id, refs)
    const before = await listMembersOfGroup(tx, group.id)
    const { added, removed } = compare(before, named, action)
    for (const { id } of added) await insertMembership(tx, group.id, id)
    if (removed.length > 0) await deleteMembersOfGroup(tx, group.id, idsOf(removed))
    if (added.length + removed.length === 0) return
    const reported = action === 'overwrite' ? unique(named) : [...added, ...removed]
    await recordGroupEvent(deps, tx, group, action, reported)
  })
}

export async function changeMemberGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  action: MembershipAction,
  refs: readonly string[],
): Promise<void> {
  rejectEmptyList(action, refs)
  const member = await getOwnEntity(deps, viewer, memberRowKind, ref)
  await deps.transact({ system: member.system_id }, async (tx) => {
    await requireEntityExists(tx, memberRowKind, member.id)
    const named = await getOwnEntities(tx, groupRowKind, member.system_id, refs)
    const before = await listGroupsOfMember(tx, member.id)
    const { added, removed } = compare(before, named, action)
    for (const { id } of added) await insertMembership(tx, id, member.id)
    if (removed.length > 0) await deleteGroupsOfMember(tx, member.id, idsOf(removed))
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

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id)
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
