import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { DISCORD } from '../../model/core/platform'
import { scopes } from '../../model/core/privacy'
import { ofSystem } from './systems'

/** Stores secrets as SHA-256 only, so that a stolen database cannot be used to sign in. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    name: text().notNull(),
    hash: text().notNull().unique(),
    created: integer().notNull(),
    /** Tokens from before scopes existed have full access. */
    scope: text({ enum: scopes }).notNull().default('full'),
    expires: integer(),
    /** Rounded to the hour, because a write per request would be too expensive. */
    last_used: integer(),
    /** True if a token of the scope `watch` also gets private members. */
    private_members: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [uniqueIndex('tokens_by_name').on(table.system_id, table.name)],
)

/** Sessions of browsers. Only the hash of the cookie is stored. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    system_id: ofSystem(),
    /** Token that the session was opened with. Deleting the token ends the session. */
    token_id: integer().references(() => tokens.id, { onDelete: 'cascade' }),
    hash: text().notNull().unique(),
    name: text().notNull(),
    created: integer().notNull(),
    last_used: integer().notNull(),
    expires: integer().notNull(),
    /** True if use extends the session. */
    remember: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    index('sessions_by_system').on(table.system_id),
    index('sessions_by_token').on(table.token_id),
    index('sessions_by_end').on(table.expires),
  ],
)

/** Codes of login links, valid once. */
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

/** Codes of links that create the first system in a browser. They belong to no system. */
export const setupCodes = sqliteTable('setup_codes', {
  hash: text().primaryKey(),
  expires: integer().notNull(),
})

export const bots = sqliteTable('bots', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  created: integer().notNull(),
  platform: text().notNull().default(DISCORD),
})

/** Codes that allow bots to create systems if registration is not open. */
export const invites = sqliteTable('invites', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  created: integer().notNull(),
  expires: integer(),
  /** Number of systems that the invite allows; `used` counts those created. */
  uses: integer().notNull(),
  used: integer().notNull().default(0),
})

/**
 * Codes that link an account of another platform, valid once. Stored as SHA-256, like all secrets.
 */
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

/** Wrong link codes per account, to limit the number of attempts. */
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
    /** True if an import linked the account, approved by the operator or a bot. */
    imported: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('accounts_by_system').on(table.system_id)],
)
