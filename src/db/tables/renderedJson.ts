import { type AnySQLiteColumn, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { groups, members } from './members'
import { systems } from './systems'

/** Cached JSON of a row; see `db/renderedJson.ts`. */
const renderedColumns = (row: () => AnySQLiteColumn) => ({
  id: integer().primaryKey().references(row, { onDelete: 'cascade' }),
  schema_hash: integer().notNull(),
  owner_json: text().notNull(),
  public_json: text().notNull(),
})

export const renderedSystems = sqliteTable(
  'rendered_systems',
  renderedColumns(() => systems.id),
)
export const renderedMembers = sqliteTable(
  'rendered_members',
  renderedColumns(() => members.id),
)
export const renderedGroups = sqliteTable(
  'rendered_groups',
  renderedColumns(() => groups.id),
)
export const renderedMemberExts = sqliteTable(
  'rendered_member_ext',
  renderedColumns(() => members.id),
)
