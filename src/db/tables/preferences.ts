import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { groups, ofMember } from './members'
import { ofSystem } from './systems'

/** What the dashboard remembers for a system, on whatever device. */
export const preferences = sqliteTable('preferences', {
  system_id: ofSystem().primaryKey(),
  /** What members are called here. */
  word: text().notNull(),
})

/** Members that are shown first. */
export const pinnedMembers = sqliteTable('pinned_members', {
  member_id: ofMember().primaryKey(),
  position: integer().notNull(),
})

/** Groups whose members are states rather than people. */
export const statusGroups = sqliteTable('status_groups', {
  group_id: integer()
    .primaryKey()
    .references(() => groups.id, { onDelete: 'cascade' }),
  position: integer().notNull(),
})
