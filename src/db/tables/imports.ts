import { isNotNull } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofSystem } from './systems'

/**
 * Unfinished imports. A large one is written in batches, and all its rows become visible at once
 * when its row is deleted here.
 */
export const imports = sqliteTable(
  'imports',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    /** Hidden staging system of the new members and groups. */
    place_id: ofSystem(),
    /** Deadline, extended with every batch. The rows of an import past its deadline are deleted. */
    until: integer().notNull(),
  },
  (table) => [
    index('imports_by_system').on(table.system_id),
    index('imports_by_place').on(table.place_id),
  ],
)

/** Import that wrote a row; the row is hidden until the import is finished. */
export const ofImport = () => integer()

/** Rows of imported files that have no counterpart here, stored unchanged. */
export const archive = sqliteTable(
  'archive',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    collection: text().notNull(),
    content: text().notNull(),
    /** Hash of the content, so that equal rows are stored once. */
    digest: text().notNull(),
    import_id: ofImport(),
  },
  (table) => [
    uniqueIndex('archive_by_digest').on(table.system_id, table.collection, table.digest),
    index('archive_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)
