import { createHash } from 'node:crypto'
import type { Db } from '../../../db/types'
import { MAX_ARCHIVED_ROWS } from '../../../formats/bundle'
import { type ArchivedRow, countIn } from '../../../formats/chunks'
import { READER_VERSION } from '../../../formats/simplyplural/archive'
import { error } from '../../../model/core/errors'
import {
  archiveUsage,
  countArchivedBy,
  insertArchived,
  listKnownRows,
} from '../../../store/transfer/archiveStaging'
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
  const used = systemId === null ? null : await archiveUsage(db, systemId)
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
  const found = systemId === null ? [] : await listKnownRows(deps.db, systemId, rows)
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
      await insertArchived(tx, json)
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
  if ((await countArchivedBy(tx, id)) === 0) return
  const all = await archiveUsage(tx, systemId)
  if (all && (all.rows > MAX_ARCHIVED_ROWS || all.bytes > quotas.archive))
    throw error(
      'conflict',
      'another import archived rows meanwhile, and there is no space for both',
    )
}
