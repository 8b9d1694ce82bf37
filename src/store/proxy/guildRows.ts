import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createUpserter } from '../../db/rows'
import { guilds, memberGuilds, systemGuilds } from '../../db/tables'
import type { Db } from '../../db/types'
import { fillDefaults } from '../../model/core/entity'
import {
  type Guild,
  guild,
  type MemberGuild,
  memberGuild,
  type SystemGuild,
  systemGuild,
} from '../../model/proxy/guild'

export async function findSystemGuild(
  db: Db,
  system: number,
  guildId: string,
): Promise<SystemGuild | null> {
  return await ofSystem(db).get({ system, guild: guildId })
}

export async function findMemberGuild(
  db: Db,
  member: number,
  guildId: string,
): Promise<MemberGuild | null> {
  return await ofMember(db).get({ member, guild: guildId })
}

/** Returns the settings of a guild; defaults if none are stored. */
export async function findGuild(db: Db, id: string): Promise<Guild> {
  const row = await guildById(db).get({ guild: id })
  return row ?? fillDefaults(guild, {})
}

const guildById = query((db, { guild }: Placeholders<'guild'>) =>
  db.select().from(guilds).where(eq(guilds.guild_id, guild)),
)

const ofSystem = query((db, { system, guild }: Placeholders<'system' | 'guild'>) =>
  db
    .select()
    .from(systemGuilds)
    .where(and(eq(systemGuilds.system_id, system), eq(systemGuilds.guild_id, guild))),
)

const ofMember = query((db, { member, guild }: Placeholders<'member' | 'guild'>) =>
  db
    .select()
    .from(memberGuilds)
    .where(and(eq(memberGuilds.member_id, member), eq(memberGuilds.guild_id, guild))),
)

export const storeSystemGuild = createUpserter(
  systemGuilds,
  ['system_id', 'guild_id'],
  columnsOfEntity(systemGuild),
)

export const storeMemberGuild = createUpserter(
  memberGuilds,
  ['member_id', 'guild_id'],
  columnsOfEntity(memberGuild),
)

export const storeGuild = createUpserter(guilds, ['guild_id'], columnsOfEntity(guild))
