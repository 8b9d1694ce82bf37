import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { groups, ofMember } from './members'
import { ofSystem } from './systems'

/** Dashboard preferences of a system, shared by all its devices. */
export const preferences = sqliteTable('preferences', {
  system_id: ofSystem().primaryKey(),
  /** Word that the dashboard uses for members. */
  word: text().notNull(),
})

/** Members that the dashboard shows first. */
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
