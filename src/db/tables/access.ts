import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { DISCORD } from '../../model/platform'
import { scopes } from '../../model/scope'
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
    /** Tokens that are older than scopes may do everything. */
    scope: text({ enum: scopes }).notNull().default('full'),
    expires: integer(),
    /** To the hour: not every request is worth a write. */
    last_used: integer(),
    /** Whether one who watches is shown private members, too. */
    private_members: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [uniqueIndex('tokens_by_name').on(table.system_id, table.name)],
)

/** Browsers that were let in. Only the hash of what their cookie holds is kept. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    system_id: ofSystem(),
    /** The token that opened it: with that one it ends. */
    token_id: integer().references(() => tokens.id, { onDelete: 'cascade' }),
    hash: text().notNull().unique(),
    name: text().notNull(),
    created: integer().notNull(),
    last_used: integer().notNull(),
    expires: integer().notNull(),
    /** Renewed by use. */
    remember: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    index('sessions_by_system').on(table.system_id),
    index('sessions_by_token').on(table.token_id),
    index('sessions_by_end').on(table.expires),
  ],
)

/** Codes of login links, each for once. */
export const loginCodes = sqliteTable(
  'login_codes',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    hash: text().notNull().unique(),
    expires: integer().notNull(),
  },
  (table) => [
    index('login_codes_by_system').on(table.system_id),
    index('login_codes_by_end').on(table.expires),
  ],
)

export const bots = sqliteTable('bots', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  created: integer().notNull(),
  platform: text().notNull().default(DISCORD),
})

/** Codes by which bots may make systems where not everybody may. */
export const invites = sqliteTable('invites', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  created: integer().notNull(),
  expires: integer(),
  /** How many systems may be made by it, and how many were. */
  uses: integer().notNull(),
  used: integer().notNull().default(0),
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
