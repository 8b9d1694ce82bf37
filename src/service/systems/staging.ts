import type { Db } from '../../db/types'
import { hiddenIdentity } from '../../db/visible'
import { yieldToEventLoop } from '../../db/yieldToEventLoop'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import { findUnusedTagIndex } from '../../store/members/tagIndex'
import { insertSystem } from '../../store/systems/systemRows'
import { restoreReplaced } from '../../store/transfer/archiveDeletion'
import {
  deletePendingImport,
  deletionsOfImport,
  insertPendingImport,
  listAbandonedImports,
  listAbandonedImportsOf,
  lockImport,
  renewStaging,
  requireNoImport,
  type Staging,
} from '../../store/transfer/stagedRows'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'
import { purgeDeleted, purgeHiddenSystem, purgeTags } from './purge'

/** Target for the time that one batch holds the write lock. */
const BATCH_MS = 15

/** Begins an import into a system, or into a new one. Of each system one runs, on all processes. */
export async function beginStaging(deps: Deps, systemId: number | null): Promise<Staging> {
  // Hidden rows of a killed import would take the place of equal rows of this one.
  if (systemId !== null) await removeAbandonedOf(deps, systemId)
  return deps.transact(systemId === null ? 'new' : { system: systemId }, async (tx) => {
    const now = deps.now()
    if (systemId !== null) await requireNoImport(tx, systemId, now)
    const hidden = await insertSystem(tx, {}, hiddenIdentity())
    const target = systemId ?? hidden.id
    const id = await insertPendingImport(tx, target, hidden.id, now)
    return { id, systemId: target, stagingSystemId: hidden.id }
  })
}

/** Writes items in batches, each in a short transaction, so that other writes wait only briefly. */
export async function writeInBatches<T>(
  deps: Deps,
  staging: Staging,
  items: readonly T[],
  write: (tx: Db, item: T) => Promise<void>,
): Promise<void> {
  let at = 0
  while (at < items.length) {
    at = await deps.transact(
      { system: staging.systemId },
      async (tx) => {
        await renewStaging(tx, staging, deps.now())
        const began = deps.clock.monotonic()
        let next = at
        for (const item of items.slice(at)) {
          await write(tx, item)
          next += 1
          if (deps.clock.monotonic() - began > BATCH_MS) break
        }
        return next
      },
      'slice',
    )
    await yieldToEventLoop()
  }
}

/** Deletes the rows of an import, unless it is committed. */
export async function rollBackStaging(
  deps: Deps,
  { id }: Pick<Staging, 'id'>,
  /** Rolls back only if the timeout of the import is before this time. */
  before = Infinity,
): Promise<void> {
  for (const removeRows of [...deletionsOfImport, restoreReplaced])
    for (;;) {
      const deleted = await deps.transact(
        'new',
        async (tx) => {
          // The lock keeps other processes from committing, continuing or rolling back the import.
          if (!(await lockImport(tx, id, before))) return null
          return removeRows(tx, id)
        },
        'slice',
      )
      if (deleted === null) return
      if (deleted === 0) break
      await yieldToEventLoop()
    }
  const removed = await deps.transact('new', async (tx) =>
    (await lockImport(tx, id, before)) ? deletePendingImport(tx, id) : null,
  )
  if (removed) await purgeHiddenSystem(deps, removed.staging_system_id)
}

const CLEANUP_MS = 5_000

/** Periodically deletes rows of abandoned imports and of deletions. */
export function startImportCleanup(deps: Deps, leader: LeaderOptions): PeriodicTask {
  let isFirst = true
  return startLeaderTask(deps, leader, {
    name: 'cleanup',
    everyMs: CLEANUP_MS,
    async run(isStopped) {
      // Once is enough: only a killed import leaves old tags.
      if (isFirst) {
        isFirst = false
        await removeOldTags(deps)
      }
      await removeAbandoned(deps, isStopped)
    },
  })
}

/** Deletes rows of abandoned or killed imports, and the hidden rows of deletions. */
export async function removeAbandoned(deps: Deps, isStopped = () => false): Promise<void> {
  const now = deps.now()
  for (const { id } of await listAbandonedImports(deps.db, now))
    await rollBackStaging(deps, { id }, now)
  await purgeDeleted(deps, isStopped)
}

/** Deletes the rows of abandoned or killed imports into one system. */
async function removeAbandonedOf(deps: Deps, systemId: number): Promise<void> {
  const now = deps.now()
  for (const { id } of await listAbandonedImportsOf(deps.db, systemId, now))
    await rollBackStaging(deps, { id }, now)
}

/** Deletes proxy tag keys that an import replaced but could not delete before it was killed. */
export async function removeOldTags(deps: Deps): Promise<void> {
  let last = 0
  for (;;) {
    const old = await findUnusedTagIndex(deps.db, last)
    if (old === null) return
    await purgeTags(deps, old)
    last = old
  }
}
