import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { settings } from '../model/settings'
import { system } from '../model/system'
import { columnsOf } from './columns'

const identity = {
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull().unique(),
  hid: text().notNull().unique(),
}

const ofSystem = () =>
  integer()
    .notNull()
    .references(() => systems.id, { onDelete: 'cascade' })

export const systems = sqliteTable('systems', { ...identity, ...columnsOf(system) })

export const systemSettings = sqliteTable('settings', {
  system_id: ofSystem().primaryKey(),
  ...columnsOf(settings),
})

/** Secrets are kept as SHA-256 only: what is lost here cannot be used to sign in. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    name: text().notNull(),
    hash: text().notNull().unique(),
    created: integer().notNull(),
  },
  (table) => [index('tokens_by_system').on(table.system_id)],
)

export const bots = sqliteTable('bots', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  created: integer().notNull(),
})

/** Chat accounts that are linked to a system. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    system_id: ofSystem(),
    autoproxy_enabled: integer({ mode: 'boolean' }).notNull().default(true),
  },
  (table) => [index('accounts_by_system').on(table.system_id)],
)

/** The outbox: what happened, written in the transaction of the change it tells of. */
export const events = sqliteTable(
  'events',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    type: text().notNull(),
    subject: text(),
    data: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    at: integer().notNull(),
  },
  (table) => [index('events_by_system').on(table.system_id, table.id)],
)
