import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { DISCORD } from '../../model/platform'
import { ofSystem } from './systems'

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
  platform: text().notNull().default(DISCORD),
})

/** Codes that link an account of another platform, each once. Kept as SHA-256, like all secrets. */
export const linkCodes = sqliteTable(
  'link_codes',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    hash: text().notNull().unique(),
    expires: integer().notNull(),
  },
  (table) => [
    index('link_codes_by_system').on(table.system_id),
    index('link_codes_by_end').on(table.expires),
  ],
)

/** Accounts that gave a wrong code, and when: so many of them and they have to wait. */
export const linkFailures = sqliteTable(
  'link_failures',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    account_id: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    index('link_failures_by_account').on(table.account_id, table.at),
    index('link_failures_by_time').on(table.at),
  ],
)

/** Chat accounts that are linked to a system. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    system_id: ofSystem(),
    autoproxy_enabled: integer({ mode: 'boolean' }).notNull().default(true),
    /** Whether a file named it and the operator, or a bot, vouched for that. */
    imported: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('accounts_by_system').on(table.system_id)],
)
