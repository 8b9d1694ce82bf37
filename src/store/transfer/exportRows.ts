import { eq, getTableColumns } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { autoproxies, groupMembers, memberGuilds, systemGuilds } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'

// What an export contains besides switches and the extension API.

export async function membersOf(db: Db, systemId: number) {
  return await memberRows(db).all({ system: systemId })
}

/** Groups with the short IDs of their members. */
export async function groupsOf(db: Db, systemId: number) {
  const memberships = await membershipRows(db).all({ system: systemId })
  const hidsOf = Map.groupBy(memberships, ({ group_id }) => group_id)
  const rows = await groupRows(db).all({ system: systemId })
  return rows.map((row) => ({ row, hids: (hidsOf.get(row.id) ?? []).map(({ hid }) => hid) }))
}

export async function systemGuildsOf(db: Db, systemId: number) {
  return await systemGuildRows(db).all({ system: systemId })
}

export async function memberGuildsOf(db: Db, systemId: number) {
  return await memberGuildRows(db).all({ system: systemId })
}

export async function autoproxiesOf(db: Db, systemId: number) {
  return await autoproxyRows(db).all({ system: systemId })
}

const memberRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(visibleMembers)
    .where(eq(visibleMembers.system_id, system))
    .orderBy(visibleMembers.id),
)

const groupRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(visibleGroups)
    .where(eq(visibleGroups.system_id, system))
    .orderBy(visibleGroups.id),
)

const membershipRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ group_id: groupMembers.group_id, hid: visibleMembers.hid })
    .from(visibleGroups)
    .innerJoin(groupMembers, eq(groupMembers.group_id, visibleGroups.id))
    .innerJoin(visibleMembers, eq(visibleMembers.id, groupMembers.member_id))
    .where(eq(visibleGroups.system_id, system))
    .orderBy(visibleMembers.id),
)

const systemGuildRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(systemGuilds)
    .where(eq(systemGuilds.system_id, system))
    .orderBy(systemGuilds.guild_id),
)

const memberGuildRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select(getTableColumns(memberGuilds))
    .from(memberGuilds)
    .innerJoin(visibleMembers, eq(visibleMembers.id, memberGuilds.member_id))
    .where(eq(visibleMembers.system_id, system))
    .orderBy(memberGuilds.member_id, memberGuilds.guild_id),
)

const autoproxyRows = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(autoproxies)
    .where(eq(autoproxies.system_id, system))
    .orderBy(autoproxies.guild_id),
)
