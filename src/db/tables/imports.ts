import { isNotNull, sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ofSystem } from './systems'

/**
 * Unfinished imports. A large one is written in batches, and all its rows become visible at once
 * when its row is deleted here.
 */
export const pendingImports = sqliteTable(
  'pending_imports',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    /** Hidden staging system of the new members and groups. */
    staging_system_id: ofSystem(),
    /** Deadline, extended with every batch. The rows of an import past its deadline are deleted. */
    expires_at: integer().notNull(),
  },
  (table) => [
    index('pending_imports_by_system').on(table.system_id),
    index('pending_imports_by_staging_system').on(table.staging_system_id),
  ],
)

/** Import that wrote a row; the row is hidden until the import is finished. */
export const ofImport = () => integer()

/** Rows of imported files that have no counterpart here, stored unchanged. */
export const importArchive = sqliteTable(
  'import_archive',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    collection: text().notNull(),
    content: text().notNull(),
    /** Hash of the content, so that equal rows are stored once. */
    digest: text().notNull(),
    import_id: ofImport(),
    /** ID of the conversion that replaced this row. The row is hidden when that is committed. */
    replaced_by: ofImport(),
    /** Version of the conversion that left the row in the archive. Zero if none has read it. */
    reader: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('import_archive_by_digest').on(table.system_id, table.collection, table.digest),
    // Partial, so that the planner of PostgreSQL cannot prefer it to the index of digests.
    index('import_archive_by_collection')
      .on(table.system_id, table.collection, table.id)
      .where(sql`${table.id} > 0`),
    index('import_archive_by_replacement')
      .on(table.replaced_by)
      .where(isNotNull(table.replaced_by)),
    index('import_archive_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)
