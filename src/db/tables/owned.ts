import { integer, text } from 'drizzle-orm/sqlite-core'
import { ofImport } from './imports'
import { members } from './members'
import { ofSystem } from './systems'

/** Builds the columns of a row that its system owns and that clients name by its UUID. */
export const owned = () => ({
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull().unique(),
  system_id: ofSystem(),
  import_id: ofImport(),
})

/** Member that may be deleted while the row remains. */
export const formerMember = () => integer().references(() => members.id, { onDelete: 'set null' })
