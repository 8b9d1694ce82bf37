import { isNotNull } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofImport } from './imports'
import { members, ofMember } from './members'
import { ofSystem } from './systems'

export const switches = sqliteTable(
  'switches',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    system_id: ofSystem(),
    timestamp: integer().notNull(),
    import_id: ofImport(),
  },
  (table) => [
    uniqueIndex('switches_by_time').on(table.system_id, table.timestamp),
    index('switches_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** Fronters of a switch, in the order in which they were logged. */
export const switchMembers = sqliteTable(
  'switch_members',
  {
    switch_id: integer()
      .notNull()
      .references(() => switches.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    member_id: ofMember(),
  },
  (table) => [
    primaryKey({ columns: [table.switch_id, table.position] }),
    index('switch_members_by_member').on(table.member_id),
  ],
)

/**
 * Records of proxied messages. They remain when their member is deleted, but not when their system
 * is.
 */
export const messages = sqliteTable(
  'messages',
  {
    id: text().primaryKey(),
    original: text().notNull(),
    sender: text().notNull(),
    channel: text().notNull(),
    guild: text(),
    system_id: ofSystem(),
    member_id: integer().references(() => members.id, { onDelete: 'set null' }),
    timestamp: integer().notNull(),
  },
  (table) => [
    index('messages_by_original').on(table.original),
    index('messages_by_system').on(table.system_id, table.timestamp),
    index('messages_by_member').on(table.member_id),
  ],
)
