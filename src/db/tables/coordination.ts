import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Who does what only one process may do, and until when; times are the engine's, in milliseconds. */
export const leases = sqliteTable('leases', {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: integer().notNull(),
})

/** Counters that tell other processes that something changed. */
export const marks = sqliteTable('marks', {
  name: text().primaryKey(),
  count: integer().notNull(),
})

/** How what is done now and then went the last time, for whoever looks after the server. */
export const reports = sqliteTable('reports', {
  name: text().primaryKey(),
  at: integer().notNull(),
  ok: integer({ mode: 'boolean' }).notNull(),
  /** When it last went well. */
  last_ok: integer(),
  /** What was in the way, in words for the operator. */
  problem: text(),
})
