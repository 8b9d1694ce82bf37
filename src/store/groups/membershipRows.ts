import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { groupMembers } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'
import type { Group } from '../../model/groups/group'
import type { Member } from '../../model/members/member'

export function listMembersOfGroup(db: Db, group: number): MaybePromise<Member[]> {
  return membersOf(db).all({ group })
}

export function listGroupsOfMember(db: Db, member: number): MaybePromise<Group[]> {
  return groupsOf(db).all({ member })
}

/** Adds a member to a group, unless it is in it. */
export function insertMembership(tx: Db, group: number, member: number): MaybePromise<unknown> {
  return insert(tx).run({ group, member })
}

export function deleteMembersOfGroup(
  tx: Db,
  group: number,
  members: readonly number[],
): MaybePromise<unknown> {
  return deleteMembers(tx).run({ group, members: JSON.stringify(members) })
}

export function deleteGroupsOfMember(
  tx: Db,
  member: number,
  groups: readonly number[],
): MaybePromise<unknown> {
  return deleteGroups(tx).run({ member, groups: JSON.stringify(groups) })
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

const insert = query((db, { group, member }: Placeholders<'group' | 'member'>) =>
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
