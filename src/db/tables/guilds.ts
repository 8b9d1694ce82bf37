import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { autoproxy } from '../../model/proxy/autoproxy'
import { guild, memberGuild, systemGuild } from '../../model/proxy/guild'
import { columnsOf } from './columns'
import { members, ofMember } from './members'
import { ofSystem } from './systems'

export const systemGuilds = sqliteTable(
  'system_guilds',
  { system_id: ofSystem(), guild_id: text().notNull(), ...columnsOf(systemGuild) },
  (table) => [primaryKey({ columns: [table.system_id, table.guild_id] })],
)

export const memberGuilds = sqliteTable(
  'member_guilds',
  { member_id: ofMember(), guild_id: text().notNull(), ...columnsOf(memberGuild) },
  (table) => [primaryKey({ columns: [table.member_id, table.guild_id] })],
)

export const autoproxies = sqliteTable(
  'autoproxy',
  {
    system_id: ofSystem(),
    guild_id: text().notNull(),
    ...columnsOf(autoproxy),
    /** Row ID; serialized as a short ID. */
    autoproxy_member: integer().references(() => members.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.system_id, table.guild_id] }),
    index('autoproxy_by_member').on(table.autoproxy_member),
  ],
)

export const guilds = sqliteTable('guilds', {
  guild_id: text().primaryKey(),
  ...columnsOf(guild),
})
