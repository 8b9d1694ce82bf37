import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { autoproxies, groupExts, groupMembers, memberExts } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'
import type { StoredMemberExt } from '../../model/members/memberExt'

// Members and groups that an import matches and changes, and what belongs to them.

export async function membersOfSystem(db: Db, systemId: number) {
  return await allMembers(db).all({ system: systemId })
}

export async function groupsOfSystem(db: Db, systemId: number) {
  return await allGroups(db).all({ system: systemId })
}

export async function memberIdsOfGroup(db: Db, groupId: number): Promise<number[]> {
  return (await membersOfGroup(db).all({ group: groupId })).map(({ member_id }) => member_id)
}

/** Adds members to a group. Returns the number of those that it did not have. */
export async function addGroupMembers(
  tx: Db,
  groupId: number,
  members: readonly number[],
): Promise<number> {
  return (await addMembers(tx).all({ group: groupId, members: JSON.stringify(members) })).length
}

/** Returns what members have besides PluralKit, by row ID. */
export async function storedMemberExts(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, StoredMemberExt>> {
  const stored = new Map<number, StoredMemberExt>()
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = JSON.stringify(ids.slice(at, at + BATCH))
    for (const { member_id, ...row } of await memberExtsOf(db).all({ ids: batch }))
      stored.set(member_id, row)
  }
  return stored
}

export async function groupExtsOf(db: Db, systemId: number) {
  return await extsOfGroups(db).all({ system: systemId })
}

export async function guildsWithAutoproxy(db: Db, systemId: number): Promise<string[]> {
  return (await autoproxyOf(db).all({ system: systemId })).map(({ guild_id }) => guild_id)
}

const allMembers = query((db, { system }: Placeholders<'system'>) =>
  db.select().from(visibleMembers).where(eq(visibleMembers.system_id, system)),
)

const allGroups = query((db, { system }: Placeholders<'system'>) =>
  db.select().from(visibleGroups).where(eq(visibleGroups.system_id, system)),
)

const { group_id, member_id } = groupMembers

const membersOfGroup = query((db, { group }: Placeholders<'group'>) =>
  db.select({ member_id }).from(groupMembers).where(eq(group_id, group)),
)

const addMembers = query((db, values: Placeholders<'group' | 'members'>, dialect) => {
  const added = db
    .select({
      group_id: sql<number>`${dialect.number(values.group)}`.as('group_id'),
      member_id: sql<number>`${dialect.jsonNumber('m')}`.as('member_id'),
    })
    .from(dialect.jsonEach(values.members, 'm'))
    .where(sql`true`)
  return db.insert(groupMembers).select(added).onConflictDoNothing().returning({ member_id })
})

const BATCH = 500

const memberExtsOf = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.select().from(memberExts).where(inJsonNumbers(memberExts.member_id, ids)),
)

export const storeMemberExt = createUpserter(
  memberExts,
  ['member_id'],
  ['kind', 'archived_at', 'archived_reason', 'announce_front', 'about'],
)

const extsOfGroups = query((db, { system }: Placeholders<'system'>) => {
  const { group_id, emoji, position, parent_id } = groupExts
  return db
    .select({ group_id, emoji, position, parent_id })
    .from(visibleGroups)
    .innerJoin(groupExts, eq(group_id, visibleGroups.id))
    .where(eq(visibleGroups.system_id, system))
})

export const storeGroupExt = createUpserter(
  groupExts,
  ['group_id'],
  ['emoji', 'position', 'parent_id'],
)

const autoproxyOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ guild_id: autoproxies.guild_id })
    .from(autoproxies)
    .where(eq(autoproxies.system_id, system)),
)
