import { type AnySQLiteColumn, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { groups, members } from './members'
import { systems } from './systems'

/** What is seen of a row, as the JSON that is answered; see `db/faces.ts`. */
const faceOf = (row: () => AnySQLiteColumn) => ({
  id: integer().primaryKey().references(row, { onDelete: 'cascade' }),
  shape: integer().notNull(),
  own: text().notNull(),
  others: text().notNull(),
})

export const systemFaces = sqliteTable(
  'system_faces',
  faceOf(() => systems.id),
)
export const memberFaces = sqliteTable(
  'member_faces',
  faceOf(() => members.id),
)
export const groupFaces = sqliteTable(
  'group_faces',
  faceOf(() => groups.id),
)
