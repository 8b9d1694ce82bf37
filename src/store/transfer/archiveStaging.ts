import { and, eq, exists, isNull, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../db/query'
import { importArchive } from '../../db/tables'
import type { Db } from '../../db/types'
import { committedArchive } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'

// Archived rows as imports write and exports read them.

/** Numbers and bytes of the archived rows of a system, with those of running imports. */
export async function archiveUsage(
  db: Db,
  systemId: number,
): Promise<{ rows: number; bytes: number } | null> {
  return await usage(db).get({ system: systemId })
}

/** Counts the rows that a running import has archived. */
export async function countArchivedBy(tx: Db, importId: number): Promise<number> {
  return (await staged(tx).get({ import: importId }))?.rows ?? 0
}

/** Name of an archived row: equal rows have the same. */
export interface ArchivedName {
  readonly collection: string
  readonly digest: string
}

export async function listKnownRows(
  db: Db,
  systemId: number,
  rows: readonly ArchivedName[],
): Promise<ArchivedName[]> {
  const names = JSON.stringify(rows.map(({ collection, digest }) => [collection, digest]))
  return await knownNames(db).all({ system: systemId, names })
}

/** Archives rows, which are a JSON array. */
export async function insertArchived(tx: Db, rows: string): Promise<void> {
  await insert(tx).run({ rows })
}

const PAGE = 200

/** Iterates over the archived rows of a system, by collection and in pages. */
export async function* archivedPages(
  db: Db,
  systemId: number,
): AsyncGenerator<{ collection: string; rows: string[] }> {
  const yieldIfDue = createYielder()
  for (const { collection, ids } of await collections(db).all({ system: systemId })) {
    const all = ids.split(',').map(Number)
    all.sort((a, b) => a - b)
    for (let at = 0; at < all.length; at += PAGE) {
      const rows = await contents(db).all({ ids: JSON.stringify(all.slice(at, at + PAGE)) })
      if (rows.length > 0) yield { collection, rows: rows.map(({ content }) => content) }
      await yieldIfDue()
    }
  }
}

const { id, system_id, collection, content, digest, import_id, reader } = importArchive

const usage = query((db, { system }: Placeholders<'system'>, { count, size }) =>
  db
    .select({
      rows: count().as('rows'),
      bytes: sql<number>`coalesce(sum(${size(content)}), 0)`.as('bytes'),
    })
    .from(importArchive)
    // Rows that a conversion replaces make space for what it leaves of them.
    .where(and(eq(system_id, system), isNull(importArchive.replaced_by))),
)

const staged = query((db, values: Placeholders<'import'>, { count }) =>
  db
    .select({ rows: count().as('rows') })
    .from(importArchive)
    .where(eq(import_id, values.import)),
)

const knownNames = query((db, { system, names }: Placeholders<'system' | 'names'>, dialect) => {
  const nameAt = (at: number) => sql<string>`${dialect.jsonTextAt(sql`n.value`, at)}`
  const isSame = and(
    eq(committedArchive.system_id, system),
    eq(committedArchive.collection, nameAt(0)),
    eq(committedArchive.digest, nameAt(1)),
  )
  const same = db
    .select({ id: committedArchive.id })
    .from(committedArchive)
    .where(sql`${isSame} ${dialect.fence}`)
  return db
    .select({ collection: nameAt(0).as('collection'), digest: nameAt(1).as('digest') })
    .from(dialect.jsonEach(names, 'n'))
    .where(exists(same))
})

/**
 * SQL text, because the builder inserts selected rows only with all columns of their table, and the
 * ID is left to the database.
 */
const insert = query((_, { rows }: Placeholders<'rows'>, { rowsIn }) => {
  const columns = [system_id, collection, content, digest, import_id, reader]
  const names = columns.map(({ name }) => name)
  return sql`insert into ${importArchive} (${columnNames(...columns)})
    ${rowsIn(rows, importArchive, names)} where true on conflict do nothing`
})

/** Reads the table itself, of which an index has all that is needed; `contents` leaves out the rest. */
const collections = query((db, { system }: Placeholders<'system'>, { groupConcat }) =>
  db
    .select({
      collection,
      ids: sql<string>`${groupConcat(sql`cast(${id} as text)`)}`.as('ids'),
    })
    .from(importArchive)
    .where(eq(system_id, system))
    .groupBy(collection)
    .orderBy(sql`min(${id})`),
)

const contents = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db
    .select({ content: committedArchive.content })
    .from(committedArchive)
    .where(inJsonNumbers(committedArchive.id, ids))
    .orderBy(committedArchive.id),
)
