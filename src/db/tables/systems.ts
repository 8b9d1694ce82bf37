import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { DISCORD } from '../../model/core/platform'
import { settings } from '../../model/systems/settings'
import { system } from '../../model/systems/system'
import { columnsOf } from './columns'

/** Builds new columns for each table, because a column belongs to the first table that uses it. */
export const identity = () => ({
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull().unique(),
  hid: text().notNull().unique(),
})

export const ofSystem = () =>
  integer()
    .notNull()
    .references(() => systems.id, { onDelete: 'cascade' })

export const systems = sqliteTable(
  'systems',
  {
    ...identity(),
    ...columnsOf(system),
    /** Set of `proxy_tag_index` that is in use; null for the set whose ID is the system's ID. */
    tag_index_id: integer(),
    /** Platform of the bot that created it; Discord for systems from before platforms existed. */
    created_on_platform: text().default(DISCORD),
    /** Switches up to this ID are deleted, and their rows wait for removal. */
    deleted_through_switch_id: integer().notNull().default(0),
    /** Statuses up to this ID were deleted together with the switches. */
    deleted_through_status_id: integer().notNull().default(0),
    /** When the operator disabled it: its tokens are rejected, and other callers do not see it. */
    disabled_at: integer(),
  },
  ({ deleted_through_switch_id }) => [
    index('systems_with_deleted_switches')
      .on(deleted_through_switch_id)
      .where(sql`${deleted_through_switch_id} > 0`),
  ],
)

export const systemSettings = sqliteTable('settings', {
  system_id: ofSystem().primaryKey(),
  ...columnsOf(settings),
  /** Limits of this system alone; null for those of the server. */
  member_limit: integer(),
  group_limit: integer(),
  /** PluralKit's setting; has no effect here, but exports contain it. */
  card_show_color_hex: integer({ mode: 'boolean' }).notNull().default(false),
})

/** Last activity of a system that was known only from rows that are deleted now. */
export const lastActivity = sqliteTable('last_activity', {
  system_id: ofSystem().primaryKey(),
  active_at: integer().notNull(),
})
