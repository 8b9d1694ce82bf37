import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { pushKinds, pushTarget } from '../../model/push/pushTarget'
import { sessions, tokens } from './access'
import { columnsOf } from './columns'
import { ofSystem } from './systems'

/** Keys of this server, which all of its nodes use. */
export const serverKeys = sqliteTable('server_keys', {
  name: text().primaryKey(),
  private_jwk: text().notNull(),
  public_key: text().notNull(),
  created: integer().notNull(),
})

/** Browsers that receive push messages. A target ends with its session or token. */
export const pushTargets = sqliteTable(
  'push_targets',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    system_id: ofSystem(),
    session_id: integer().references(() => sessions.id, { onDelete: 'cascade' }),
    token_id: integer().references(() => tokens.id, { onDelete: 'cascade' }),
    endpoint: text().notNull(),
    endpoint_hash: text().notNull().unique(),
    p256dh: text().notNull(),
    auth: text().notNull(),
    ...columnsOf(pushTarget),
    // The default of a release that showed names unasked. Every new row has a value of its own.
    shows_names: integer({ mode: 'boolean' }).notNull().default(true),
    failing_since: integer(),
  },
  (table) => [
    index('push_targets_by_system').on(table.system_id),
    index('push_targets_by_session').on(table.session_id),
    index('push_targets_by_token').on(table.token_id),
  ],
)

/** Messages to send, each recorded in the transaction of its cause. A newer one replaces it. */
export const pushQueue = sqliteTable(
  'push_queue',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    target_id: integer()
      .notNull()
      .references(() => pushTargets.id, { onDelete: 'cascade' }),
    kind: text({ enum: pushKinds }).notNull(),
    /** UUID of what the message is about. */
    subject: text().notNull(),
    /** Time of the next attempt; 0 for at once. */
    due: integer().notNull().default(0),
    /** Failed attempts. */
    attempts: integer().notNull().default(0),
    /** Incremented by each newer message, so that a row replaced while it is being sent remains. */
    revision: integer().notNull().default(1),
  },
  (table) => [
    uniqueIndex('push_queue_by_subject').on(table.target_id, table.kind, table.subject),
    index('push_queue_by_time').on(table.due, table.id),
  ],
)
