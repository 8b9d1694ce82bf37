import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofSystem } from './systems'

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

/** How far each system's outbox was pruned: whoever heard less than that has missed something. */
export const prunedEvents = sqliteTable('pruned_events', {
  system_id: ofSystem().primaryKey(),
  newest: integer().notNull(),
})

/** Where a system's events are sent to. The signing token goes out with each, so it is kept plain. */
export const webhooks = sqliteTable('webhooks', {
  system_id: ofSystem().primaryKey(),
  url: text().notNull(),
  token: text().notNull(),
  state: text({ enum: ['pending', 'active', 'disabled'] }).notNull(),
  /** Why it is disabled, in words for its owner. */
  reason: text(),
  /** The last event that was delivered, or that lies before the webhook's time. */
  cursor: integer().notNull(),
  failing_since: integer(),
  /** How often the next event was tried in vain, and when it is tried again. */
  attempts: integer().notNull().default(0),
  next_attempt: integer(),
  /** When the receiver last proved that it refuses a wrong token. */
  checked: integer(),
  /** How many events were pruned before they could be delivered, and were not told of yet. */
  dropped: integer().notNull().default(0),
})

/** The last attempts of each webhook, for its owner to look at. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    event_id: integer(),
    type: text().notNull(),
    at: integer().notNull(),
    status: integer(),
    error: text(),
    attempt: integer().notNull(),
  },
  (table) => [index('deliveries_by_system').on(table.system_id, table.id)],
)
