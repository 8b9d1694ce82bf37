import { isNotNull } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofSystem } from './systems'

/**
 * Imports that are not finished. A large one is written in slices, between which others write, and
 * nobody sees its rows before this one is gone, all at once.
 */
export const imports = sqliteTable(
  'imports',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    /** A system without a name, where new members and groups wait. */
    place_id: ofSystem(),
    /** Moved on with every slice. One whose time is over was given up, and its rows are removed. */
    until: integer().notNull(),
  },
  (table) => [
    index('imports_by_system').on(table.system_id),
    index('imports_by_place').on(table.place_id),
  ],
)

/** The import that brought a row; not seen by anybody while that one is not finished. */
export const ofImport = () => integer()

/** Rows of imported files that have no counterpart here, kept as they were. */
export const archive = sqliteTable(
  'archive',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    collection: text().notNull(),
    content: text().notNull(),
    /** Of the content, so that the same row is kept once. */
    digest: text().notNull(),
    import_id: ofImport(),
  },
  (table) => [
    uniqueIndex('archive_by_digest').on(table.system_id, table.collection, table.digest),
    index('archive_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)
