import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { claimKinds, claimStates } from '../../model/core/discord'

/**
 * Messages and interactions that a process of the Discord bot handles or has handled, so that none
 * is handled twice. Kept for an hour.
 */
export const discordClaims = sqliteTable(
  'discord_claims',
  {
    id: text().primaryKey(),
    kind: text({ enum: claimKinds }).notNull(),
    state: text({ enum: claimStates }).notNull(),
    node: text().notNull(),
    at: integer().notNull(),
    guild: text(),
    channel: text().notNull(),
    thread: text(),
    sender: text().notNull(),
    /** UUID without a foreign key: a claim outlives its member for at most an hour. */
    member: text(),
    digest: text(),
  },
  (table) => [index('discord_claims_by_state').on(table.state, table.at)],
)

/** Sessions of the gateway, which the next process resumes. */
export const discordSessions = sqliteTable('discord_sessions', {
  shard: integer().primaryKey(),
  shards: integer().notNull(),
  session_id: text().notNull(),
  resume_url: text().notNull(),
  sequence: integer().notNull(),
})

/** Hashes of the application commands that are registered at Discord. */
export const discordCommands = sqliteTable(
  'discord_commands',
  {
    application: text().notNull(),
    /** `global`, or the ID of a guild. */
    scope: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.scope] })],
)

/** State of the bot for the operator, as its active process wrote it last. */
export const discordStatus = sqliteTable('discord_status', {
  /** ID of the application. */
  application: text().primaryKey(),
  name: text().notNull(),
  node: text().notNull(),
  at: integer().notNull(),
  shards: integer().notNull(),
  shards_ready: integer().notNull(),
  guilds: integer().notNull(),
  last_event: integer(),
  disconnected_at: integer(),
  /** Reason why the bot stopped, as a text for the operator. */
  problem: text(),
})
