import { createHash } from 'node:crypto'
import type { Db } from '../../../db/types'
import { MAX_ARCHIVED_ROWS } from '../../../formats/bundle'
import { type ArchivedRow, batchesBySize, countIn } from '../../../formats/chunks'
import { CONVERTER_VERSION } from '../../../formats/simplyplural/archive'
import { error } from '../../../model/core/errors'
import {
  archiveUsage,
  countArchivedBy,
  insertArchived,
  listKnownRows,
} from '../../../store/transfer/archiveStaging'
import { writeInBatches } from '../../systems/staging'
import type { ImportRun } from './importRun'
import type { ImportStep } from './importStep'

/** Rows that have no counterpart here. Each is archived once, within the capacity. */
export class Archive implements ImportStep {
  readonly reads = 'kept'
  #added: DigestedRow[] = []

  constructor(readonly run: ImportRun) {}

  async plan(): Promise<void> {
    const { run } = this
    const { options, file } = run
    if (options.only !== null) return
    this.#added = await planArchived(run, file.kept)
    await run.advance(file.kept.length)
  }

  async stage(): Promise<void> {
    await stageArchived(this.run, this.#added)
  }

  /** Checks the capacity again, because another import may have archived rows since. */
  async apply(tx: Db): Promise<boolean> {
    await requireCapacity(this.run, tx)
    return false
  }
}

/** Selects the rows that are not archived yet and fit, and counts all in the report. */
export async function planArchived(
  { deps, systemId, report, space }: ImportRun,
  archived: readonly ArchivedRow[],
): Promise<DigestedRow[]> {
  const rows = archived.map(({ collection, content }) => {
    const digest = createHash('sha256').update(content).digest('hex')
    return { collection, content, digest }
  })
  const archivedRows = systemId === null ? [] : await listKnownRows(deps.db, systemId, rows)
  const isKnown = new Set(archivedRows.map(({ collection, digest }) => `${collection} ${digest}`))
  return rows.filter(({ collection, content, digest }) => {
    const name = `${collection} ${digest}`
    const isNew = !isKnown.has(name)
    const size = Buffer.byteLength(content)
    const fits = !isNew || (space.archive.rows > 0 && size <= space.archive.bytes)
    countIn(fits ? report.kept : report.skipped, collection)
    if (!isNew || !fits) return false
    isKnown.add(name)
    space.archive.rows -= 1
    space.archive.bytes -= size
    return true
  })
}

/** An archived row with the digest that equal rows share. */
export interface DigestedRow extends ArchivedRow {
  readonly digest: string
}

export async function stageArchived(run: ImportRun, rows: readonly DigestedRow[]): Promise<void> {
  if (rows.length === 0) return
  const staging = await run.staging()
  const reader = run.file.head.format === 'simplyplural' ? CONVERTER_VERSION : 0
  const ofImport = { system_id: staging.systemId, import_id: staging.id, reader }
  const batches = batchesBySize(rows, ({ content }) => content.length).map((batch) =>
    JSON.stringify(batch.map((row) => ({ ...row, ...ofImport }))),
  )
  await writeInBatches(run.deps, staging, [...batches], insertArchived)
}

export async function requireCapacity({ deps, begun }: ImportRun, tx: Db): Promise<void> {
  if (!begun || (await countArchivedBy(tx, begun.id)) === 0) return
  const all = await archiveUsage(tx, begun.systemId)
  if (all && (all.rows > MAX_ARCHIVED_ROWS || all.bytes > deps.quotas.archive))
    throw error(
      'conflict',
      'another import archived rows meanwhile, and there is no space for both',
    )
}
