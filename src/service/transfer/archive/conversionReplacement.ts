import { createHash } from 'node:crypto'
import { yieldToEventLoop } from '../../../db/yieldToEventLoop'
import { type ArchivedRow, batchesBySize } from '../../../formats/chunks'
import { isShared, READER_VERSION, sharingOf } from '../../../formats/simplyplural/archive'
import type { AppRow } from '../../../formats/simplyplural/rows'
import { isObject } from '../../../model/core/validation'
import { extParts } from '../../../model/transfer/transfer'
import { createReadMark, replaceArchived } from '../../../store/transfer/conversionRows'
import { originKey } from '../../../store/transfer/originRows'
import type { Deps } from '../../core/deps'
import { writeInBatches } from '../../systems/staging'
import { archiveCapacity, archiveRows } from '../import/archiveRows'
import type { Import } from '../import/importContext'
import type { ArchiveSource } from './conversionSource'
import type { SourceRow } from './convertibleRows'

/**
 * Stages what a conversion changes in the archive: rows that were read are replaced by what the
 * reader left of them. Returns the other rows that it read, which need not be offered again.
 */
export async function replaceRows(
  work: Import,
  source: ArchiveSource,
  left: readonly ArchivedRow[],
): Promise<SourceRow[]> {
  const { deps, options } = work
  const staying = stayingRows(work, source)
  const isStaying = (row: SourceRow) =>
    staying.all.has(row) || staying.ids.has(`${row.collection} ${row.sourceId}`)
  const kept = [...leftRows(left, staying.ids), ...staying.parts]
  const names = new Set(kept.map(({ collection, content }) => `${collection} ${digestOf(content)}`))
  const replaced = [...source.read, ...source.descriptions.values()].filter(
    (row) => !isStaying(row) && !names.has(`${row.collection} ${row.digest}`),
  )
  const capacity = await archiveCapacity(deps, work.systemId)
  for (const { content } of replaced) {
    capacity.rows += 1
    capacity.bytes += Buffer.byteLength(content)
  }
  if (replaced.length > 0 && !options.dryRun) {
    const staging = await work.staging()
    await writeInBatches(deps, staging, batchesOf(replaced), async (tx, ids) => {
      await replaceArchived(tx, ids, staging.id)
    })
  }
  for (const batch of batchesBySize(kept, ({ content }) => content.length))
    await archiveRows(work, capacity, batch)
  const gone = new Set(replaced)
  return source.rows.filter(
    (row) => row.isUnseen && !gone.has(row) && !source.unmatched.has(row) && !isStaying(row),
  )
}

const markRead = createReadMark(READER_VERSION)

/** Records that the reader has left the rows, so that they are not offered again. */
export async function markSeen(
  deps: Deps,
  systemId: number,
  rows: readonly SourceRow[],
): Promise<void> {
  for (const ids of batchesOf(rows)) {
    await deps.transact({ system: systemId }, (tx) => markRead(tx, systemId, ids), 'slice')
    await yieldToEventLoop()
  }
}

const BATCH = 500

/** Returns the IDs of rows in batches. */
function batchesOf(rows: readonly SourceRow[]): number[][] {
  const batches: number[][] = []
  for (let at = 0; at < rows.length; at += BATCH)
    batches.push(rows.slice(at, at + BATCH).map(({ id }) => id))
  return batches
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Leaves out what the reader left of rows that stay whole. */
function leftRows(left: readonly ArchivedRow[], staying: ReadonlySet<string>): ArchivedRow[] {
  if (staying.size === 0) return [...left]
  return left.filter(({ collection, content }) => {
    const row: unknown = JSON.parse(content)
    return !isObject(row) || !staying.has(`${collection} ${row._id}`)
  })
}

interface StayingRows {
  /** Collections and IDs of rows that stay whole. */
  readonly ids: Set<string>
  readonly all: Set<SourceRow>
  /** Parts of rows that stay. */
  readonly parts: ArchivedRow[]
}

/** Finds the rows of which something did not fit into the limits of the system. */
function stayingRows(work: Import, source: ArchiveSource): StayingRows {
  const ids = new Set<string>()
  const all = new Set<SourceRow>()
  const written = new Set(work.newOrigins.map(originKey))
  for (const part of extParts)
    for (const { origin } of work.ext[part])
      if (origin && !written.has(originKey(origin))) ids.add(`${origin.collection} ${origin.id}`)
  for (const { uuid = '', origin, ext } of work.members) {
    if (ext?.about !== null && ext?.archived_reason !== null) continue
    const description = source.descriptions.get(uuid)
    if (description) all.add(description)
    if (origin) ids.add(`${origin.collection} ${origin.id}`)
  }
  const rowIds = new Set([...source.read].map((row) => `${row.collection} ${row.sourceId}`))
  const hasOtherComments = [...ids].some((id) => id.startsWith('frontHistory ') && !rowIds.has(id))
  const hasRooms = [...ids].some((id) => id.startsWith('channels '))
  for (const row of source.read) {
    const { collection, sourceId, content } = row
    // Comments inside their front have IDs of their own.
    if (collection === 'frontHistory' && hasOtherComments && content.includes('"comments"'))
      ids.add(`frontHistory ${sourceId}`)
    if (collection === 'channelCategories' && hasRooms) ids.add(`channelCategories ${sourceId}`)
    // A comment is read together with its front.
    if (collection === 'comments' && ids.has(`comments ${sourceId}`))
      ids.add(`frontHistory ${JSON.parse(content).documentId}`)
  }
  return {
    ids,
    all,
    parts: [
      ...partsOf(work, source, 'values'),
      ...partsOf(work, source, 'votes'),
      ...sharingParts(work, source),
    ],
  }
}

/** Returns the values of members or the votes of polls, if some of them were not written. */
function partsOf(work: Import, { read }: ArchiveSource, part: 'values' | 'votes'): ArchivedRow[] {
  const { report, head } = work
  if ((report.ext?.[part].left_out ?? 0) <= head.extLeftOut[part]) return []
  const [collection, key] = part === 'values' ? ['members', 'info'] : ['polls', 'votes']
  return [...read].flatMap((row) => {
    if (row.collection !== collection) return []
    const { _id, [key]: value } = JSON.parse(row.content)
    return value === undefined
      ? []
      : { collection: row.collection, content: JSON.stringify({ _id, [key]: value }) }
  })
}

/** Returns who could see the rows, if some of the buckets were not written. */
function sharingParts({ report, head }: Import, { read }: ArchiveSource): ArchivedRow[] {
  if ((report.ext?.buckets.left_out ?? 0) <= head.extLeftOut.buckets) return []
  return [...read].flatMap(({ collection, content }) => {
    const row: AppRow = JSON.parse(content)
    const sharing = isShared(collection) && sharingOf(row)
    return sharing ? { collection, content: JSON.stringify({ _id: row._id, ...sharing }) } : []
  })
}
