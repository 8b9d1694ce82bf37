import { type AnySQLiteColumn, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { groups, members } from './members'
import { systems } from './systems'

/** Cached JSON of a row; see `db/renderedJson.ts`. */
const renderedColumns = (row: () => AnySQLiteColumn) => ({
  id: integer().primaryKey().references(row, { onDelete: 'cascade' }),
  shape: integer().notNull(),
  own: text().notNull(),
  others: text().notNull(),
})

export const renderedSystems = sqliteTable(
  'system_faces',
  renderedColumns(() => systems.id),
)
export const renderedMembers = sqliteTable(
  'member_faces',
  renderedColumns(() => members.id),
)
export const renderedGroups = sqliteTable(
  'group_faces',
  renderedColumns(() => groups.id),
)
