import { createHash } from 'node:crypto'
import { and, eq, exists, isNull, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../../db/query'
import { importArchive } from '../../../db/tables'
import type { Db } from '../../../db/types'
import { committedArchive } from '../../../db/visible'
import { createYielder } from '../../../db/yieldToEventLoop'
import { MAX_ARCHIVED_ROWS } from '../../../formats/bundle'
import { type ArchivedRow, countIn } from '../../../formats/chunks'
import { READER_VERSION } from '../../../formats/simplyplural/archive'
import { error } from '../../../model/core/errors'
import type { Staging } from '../../../store/transfer/stagedRows'
import type { Deps } from '../../core/deps'
import { purgeArchive } from '../../systems/purge'
import { writeInBatches } from '../../systems/staging'
import type { Import } from './importContext'

/** Remaining capacity for archived rows of a system. */
export interface ArchiveCapacity {
  rows: number
  bytes: number
}

export async function archiveCapacity(
  deps: Deps,
  systemId: number | null,
): Promise<ArchiveCapacity> {
  const { db, quotas } = deps
  // Hidden rows would take space, and equal rows could not be archived again.
  await purgeArchive(deps)
  const used = systemId === null ? null : await usage(db).get({ system: systemId })
  return {
    rows: MAX_ARCHIVED_ROWS - (used?.rows ?? 0),
    bytes: quotas.archive - (used?.bytes ?? 0),
  }
}

/** Archives rows that have no counterpart here, each once, within the capacity. */
export async function archiveRows(
  work: Import,
  capacity: ArchiveCapacity,
  archived: ArchivedRow[],
): Promise<void> {
  const { deps, systemId, report, options } = work
  const rows = archived.map(({ collection, content }) => {
    const digest = createHash('sha256').update(content).digest('hex')
    return { collection, content, digest }
  })
  const names = JSON.stringify(rows.map(({ collection, digest }) => [collection, digest]))
  const found = systemId === null ? [] : await known(deps.db).all({ system: systemId, names })
  const isKnown = new Set(found.map(({ collection, digest }) => `${collection} ${digest}`))
  const added = rows.filter(({ collection, content, digest }) => {
    const name = `${collection} ${digest}`
    const isNew = !isKnown.has(name)
    const size = Buffer.byteLength(content)
    const fits = !isNew || (capacity.rows > 0 && size <= capacity.bytes)
    countIn(fits ? report.kept : report.skipped, collection)
    if (!isNew || !fits) return false
    isKnown.add(name)
    capacity.rows -= 1
    capacity.bytes -= size
    return true
  })
  if (added.length > 0 && !options.dryRun) {
    const staging = await work.staging()
    const reader = work.head.format === 'simplyplural' ? READER_VERSION : 0
    const ofImport = { system_id: staging.systemId, import_id: staging.id, reader }
    const json = JSON.stringify(added.map((row) => ({ ...row, ...ofImport })))
    await writeInBatches(deps, staging, [json], async (tx) => {
      await insert(tx).run({ rows: json })
    })
  }
  await work.step(archived.length)
}

/** Checks the capacity again, because another import may have archived rows since the first check. */
export async function requireCapacity(
  { quotas }: Deps,
  tx: Db,
  { systemId, id }: Staging,
): Promise<void> {
  const own = await staged(tx).get({ import: id })
  if (!own || own.rows === 0) return
  const all = await usage(tx).get({ system: systemId })
  if (all && (all.rows > MAX_ARCHIVED_ROWS || all.bytes > quotas.archive))
    throw error(
      'conflict',
      'another import archived rows meanwhile, and there is no space for both',
    )
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

const known = query((db, { system, names }: Placeholders<'system' | 'names'>, dialect) => {
  const nameAt = (at: number) => sql<string>`${dialect.jsonTextAt(sql`n.value`, at)}`
  const isSame = and(
    eq(committedArchive.system_id, system),
    eq(committedArchive.collection, nameAt(0)),
    eq(committedArchive.digest, nameAt(1)),
  )
  const found = db
    .select({ id: committedArchive.id })
    .from(committedArchive)
    .where(sql`${isSame} ${dialect.fence}`)
  return db
    .select({ collection: nameAt(0).as('collection'), digest: nameAt(1).as('digest') })
    .from(dialect.jsonEach(names, 'n'))
    .where(exists(found))
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
