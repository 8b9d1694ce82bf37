import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ofSystem } from './systems'

/** Outbox: events, each recorded in the transaction of its change. */
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

/** Newest pruned event of each system. A stream whose position is older has missed events. */
export const prunedEvents = sqliteTable('pruned_events', {
  system_id: ofSystem().primaryKey(),
  last_event_id: integer().notNull(),
})

/**
 * Webhook of each system. The signing token is sent with every event, so it is stored in plain
 * text.
 */
export const webhooks = sqliteTable('webhooks', {
  system_id: ofSystem().primaryKey(),
  url: text().notNull(),
  token: text().notNull(),
  state: text({ enum: ['pending', 'active', 'disabled'] }).notNull(),
  /** Why it is disabled, as a text for the owner. */
  reason: text(),
  /** Last event that was delivered, or that is older than the webhook. */
  cursor: integer().notNull(),
  failing_since: integer(),
  /** Failed attempts to deliver the next event; `next_attempt` is the time of the retry. */
  attempts: integer().notNull().default(0),
  next_attempt: integer(),
  /** When the receiver last proved that it rejects a wrong token. */
  checked: integer(),
  /** Number of events that were pruned before delivery and not reported to the receiver yet. */
  dropped: integer().notNull().default(0),
  /** Event types that it receives: those of PluralKit, or all. */
  events: text({ enum: ['pluralkit', 'all'] })
    .notNull()
    .default('pluralkit'),
})

/** Last delivery attempts of each webhook, shown to its owner. */
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
