import { createHash } from 'node:crypto'
import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { isImportCommitted } from '../../db/visibility'
import { createYielder } from '../../db/yieldToEventLoop'
import { MAX_ARCHIVED_ROWS } from '../../formats/bundle'
import { type ArchivedRow, countIn } from '../../formats/chunks'
import { error } from '../../model/errors'
import type { Deps } from '../deps'
import { type Staging, writeInBatches } from '../staging'
import type { Import } from './importContext'

/** Remaining capacity for archived rows of a system. */
export interface ArchiveCapacity {
  rows: number
  bytes: number
}

export async function archiveCapacity(
  { db, quotas }: Deps,
  systemId: number | null,
): Promise<ArchiveCapacity> {
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
    await writeInBatches(deps, staging, [JSON.stringify(added)], async (tx, json) => {
      await insert(tx).run({ system: staging.systemId, import: staging.id, rows: json })
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

const usage = statement<'system', { rows: number; bytes: number }>(
  ({ count, size }) => `
   select ${count()} as rows, coalesce(sum(${size('content')}), 0) as bytes
   from import_archive where system_id = :system`,
)

const staged = statement<'import', { rows: number }>(
  ({ count }) => `select ${count()} as rows from import_archive where import_id = :import`,
)

const known = statement<'system' | 'names', { collection: string; digest: string }>(
  (dialect) => `
   select ${dialect.jsonTextAt('n.value', 0)} as collection, ${dialect.jsonTextAt('n.value', 1)} as digest
   from ${dialect.jsonEach(':names', 'n')} where exists (
     select 1 from import_archive a where a.system_id = :system
     and a.collection = ${dialect.jsonTextAt('n.value', 0)} and a.digest = ${dialect.jsonTextAt('n.value', 1)}
     and ${isImportCommitted('a')} ${dialect.fence}
   )`,
)

const insert = statement<'system' | 'import' | 'rows'>(
  (dialect) => `
   insert into import_archive (system_id, collection, content, digest, import_id)
   select ${dialect.number(':system')}, r.value ->> 'collection', r.value ->> 'content',
     r.value ->> 'digest', ${dialect.number(':import')}
   from ${dialect.jsonEach(':rows', 'r')} where true on conflict do nothing`,
)

const collections = statement<'system', { collection: string; ids: string }>(
  ({ groupConcat }) => `
   select collection, ${groupConcat('cast(id as text)')} as ids from import_archive
   where system_id = :system group by collection order by min(id)`,
)

const contents = statement<'ids', { content: string }>(
  ({ inJsonNumbers }) => `
   select a.content from import_archive a
   where ${inJsonNumbers('a.id', ':ids')} and ${isImportCommitted('a')} order by a.id`,
)
