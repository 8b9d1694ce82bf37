import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { DISCORD } from '../../model/platform'
import { settings } from '../../model/settings'
import { system } from '../../model/system'
import { columnsOf } from '../columns'

/** Made anew for each table: a column remembers the table it was first named in. */
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
    /** Which of the `proxy_tag_keys` are this system's; those with its own number when null. */
    tag_set: integer(),
    /** The platform of the bot that made it. What is older than platforms is Discord's. */
    made_on: text().default(DISCORD),
    /** Its switches up to this number were deleted, and only wait to be removed. */
    forgotten_switches: integer().notNull().default(0),
    /** Since when the operator has it disabled: nobody comes in, and others do not see it. */
    disabled_at: integer(),
  },
  ({ forgotten_switches }) => [
    index('systems_forgetting').on(forgotten_switches).where(sql`${forgotten_switches} > 0`),
  ],
)

export const systemSettings = sqliteTable('settings', {
  system_id: ofSystem().primaryKey(),
  ...columnsOf(settings),
  /** PluralKit's; nothing here asks for it, but an export gives it back. */
  card_show_color_hex: integer({ mode: 'boolean' }).notNull().default(false),
})

/** When a system was last active, as far as only rows told it that are not kept any more. */
export const pastActivity = sqliteTable('past_activity', {
  system_id: ofSystem().primaryKey(),
  at: integer().notNull(),
})
