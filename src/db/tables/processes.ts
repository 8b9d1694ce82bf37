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
