import { createHash } from 'node:crypto'
import type { Db } from '../../../db/types'
import { yieldToEventLoop } from '../../../db/yieldToEventLoop'
import { type ArchivedRow, batchesBySize } from '../../../formats/chunks'
import { CONVERTER_VERSION, isShared, sharingOf } from '../../../formats/simplyplural/archive'
import type { AppRow } from '../../../formats/simplyplural/rows'
import { isObject } from '../../../model/core/validation'
import { extParts } from '../../../model/transfer/transfer'
import { createConvertedMark, replaceArchived } from '../../../store/transfer/conversionRows'
import { originKey } from '../../../store/transfer/originRows'
import { purgeArchive } from '../../systems/purge'
import { writeInBatches } from '../../systems/staging'
import {
  type DigestedRow,
  planArchived,
  requireCapacity,
  stageArchived,
} from '../import/importArchive'
import type { MemberExts } from '../import/importMemberExts'
import type { ImportRun } from '../import/importRun'
import type { ImportStep } from '../import/importStep'
import type { KnownOrigins } from '../import/knownOrigins'
import type { ArchiveSource } from './conversionSource'
import type { SourceRow } from './convertibleRows'

/** What the reader leaves of the archived rows. */
export class Remains implements ImportStep {
  readonly reads = 'kept'
  readonly rows: ArchivedRow[] = []

  constructor(readonly run: ImportRun) {}

  async plan(): Promise<void> {
    this.rows.push(...this.run.file.kept)
  }
}

const markConverted = createConvertedMark(CONVERTER_VERSION)

/** Replaces the rows that were read by what the reader left of them. */
export class Replacement implements ImportStep {
  readonly reads = 'head'
  #replaced: SourceRow[] = []
  readonly #added: DigestedRow[] = []
  /** Other rows that were read, which are not offered again. */
  #left: SourceRow[] = []

  constructor(
    readonly run: ImportRun,
    readonly source: ArchiveSource,
    readonly origins: KnownOrigins,
    readonly memberExts: MemberExts,
    readonly remains: Remains,
  ) {}

  async plan(): Promise<void> {
    const { run, source } = this
    const staying = this.#stayingRows()
    const isStaying = (row: SourceRow) =>
      staying.all.has(row) || staying.ids.has(`${row.collection} ${row.sourceId}`)
    const kept = [...leftRows(this.remains.rows, staying.ids), ...staying.parts]
    const names = new Set(
      kept.map(({ collection, content }) => `${collection} ${digestOf(content)}`),
    )
    this.#replaced = [...source.read, ...source.descriptions.values()].filter(
      (row) => !isStaying(row) && !names.has(`${row.collection} ${row.digest}`),
    )
    const replaced = new Set(this.#replaced)
    this.#left = source.rows.filter(
      (row) =>
        row.isUnconverted && !replaced.has(row) && !source.unmatched.has(row) && !isStaying(row),
    )
    const { archive } = run.space
    for (const { content } of this.#replaced) {
      archive.rows += 1
      archive.bytes += Buffer.byteLength(content)
    }
    for (const batch of batchesBySize(kept, ({ content }) => content.length)) {
      this.#added.push(...(await planArchived(run, batch)))
      await run.advance(batch.length)
    }
  }

  async stage(): Promise<void> {
    const { run } = this
    if (this.#replaced.length > 0) {
      const staging = await run.staging()
      await writeInBatches(run.deps, staging, batchesOf(this.#replaced), (tx, ids) =>
        replaceArchived(tx, ids, staging.id),
      )
    }
    await stageArchived(run, this.#added)
  }

  async apply(tx: Db): Promise<boolean> {
    await requireCapacity(this.run, tx)
    return false
  }

  /** Marks the rows that were read and stay, and deletes the replaced ones. */
  async cleanUp(isCommitted: boolean): Promise<void> {
    const { deps, systemId } = this.run
    if (!isCommitted || systemId === null) return
    for (const ids of batchesOf(this.#left)) {
      await deps.transact({ system: systemId }, (tx) => markConverted(tx, systemId, ids), 'slice')
      await yieldToEventLoop()
    }
    await purgeArchive(deps)
  }

  /** Finds the rows of which something did not fit into the limits of the system. */
  #stayingRows(): StayingRows {
    const { run, source } = this
    const { ext, members } = run.file
    const ids = new Set<string>()
    const all = new Set<SourceRow>()
    const written = new Set(this.origins.added.map(originKey))
    for (const part of extParts)
      for (const { origin } of ext[part])
        if (origin && !written.has(originKey(origin))) ids.add(`${origin.collection} ${origin.id}`)
    const incomplete = new Set(this.memberExts.incomplete)
    for (const { key, uuid = '', origin } of members) {
      if (!incomplete.has(key)) continue
      const description = source.descriptions.get(uuid)
      if (description) all.add(description)
      if (origin) ids.add(`${origin.collection} ${origin.id}`)
    }
    const rowIds = new Set([...source.read].map((row) => `${row.collection} ${row.sourceId}`))
    const hasOtherComments = [...ids].some(
      (id) => id.startsWith('frontHistory ') && !rowIds.has(id),
    )
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
        ...partsOf(run, source, 'values'),
        ...partsOf(run, source, 'votes'),
        ...sharingParts(run, source),
      ],
    }
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

/** Returns the values of members or the votes of polls, if some of them were not written. */
function partsOf(run: ImportRun, { read }: ArchiveSource, part: 'values' | 'votes'): ArchivedRow[] {
  const { report, file } = run
  if ((report.ext?.[part].left_out ?? 0) <= file.head.extLeftOut[part]) return []
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
function sharingParts({ report, file }: ImportRun, { read }: ArchiveSource): ArchivedRow[] {
  if ((report.ext?.buckets.left_out ?? 0) <= file.head.extLeftOut.buckets) return []
  return [...read].flatMap(({ collection, content }) => {
    const row: AppRow = JSON.parse(content)
    const sharing = isShared(collection) && sharingOf(row)
    return sharing ? { collection, content: JSON.stringify({ _id: row._id, ...sharing }) } : []
  })
}
