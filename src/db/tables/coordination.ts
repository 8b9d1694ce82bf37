import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Holders of the tasks that only one process may do. Times are milliseconds of the engine's clock.
 */
export const leases = sqliteTable('leases', {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: integer().notNull(),
})

/** Change counters that other processes poll. */
export const changeCounters = sqliteTable('change_counters', {
  name: text().primaryKey(),
  value: integer().notNull(),
})

/** Last result of each scheduled task, for the operator. */
export const taskRuns = sqliteTable('task_runs', {
  name: text().primaryKey(),
  at: integer().notNull(),
  ok: integer({ mode: 'boolean' }).notNull(),
  /** Time of the last success. */
  last_ok: integer(),
  /** Reason of the failure, as a text for the operator. */
  problem: text(),
})
