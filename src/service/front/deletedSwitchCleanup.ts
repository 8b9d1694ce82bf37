import type { Db } from '../../db/types'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import {
  DELETED_SWITCH_KEPT,
  deleteOldRecords,
  deleteRecordsOf,
  findNextSystem,
  findOldestOfNewest,
} from '../../store/front/deletedSwitches'
import type { Deps } from '../core/deps'

/** Number of deleted switches of one system that are remembered. */
export const MAX_DELETED_SWITCHES = 10_000

const BATCH = 500
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 10_000

interface CleanupOptions {
  /** Returns true in the one process, of all on the same database, that removes them. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
}

/** Removes records of deleted switches every hour. */
export function startDeletedSwitchCleanup(
  deps: Deps,
  { isLeader, warn }: CleanupOptions,
): PeriodicTask {
  return startPeriodicTask({
    clock: deps.clock,
    everyMs: REPEAT_MS,
    firstMs: FIRST_MS,
    mayRun: isLeader,
    run: (isStopped) => pruneDeletedSwitches(deps, isStopped),
    onError: (cause) => warn('cleanup of deleted switches failed', { cause: String(cause) }),
  })
}

/** Removes records that are too old, and the oldest of systems that have too many. */
export async function pruneDeletedSwitches(deps: Deps, isStopped = () => false): Promise<void> {
  const before = deps.now() - DELETED_SWITCH_KEPT
  const inBatches = async (remove: (tx: Db) => Promise<number>) => {
    while (!isStopped()) if ((await deps.transact('new', remove, 'slice')) < BATCH) return
  }
  await inBatches((tx) => deleteOldRecords(tx, before, BATCH))
  for (let last = 0; !isStopped(); ) {
    const system = await findNextSystem(deps.db, last)
    if (system === null) return
    last = system
    const kept = await findOldestOfNewest(deps.db, system, MAX_DELETED_SWITCHES)
    if (kept !== null) await inBatches((tx) => deleteRecordsOf(tx, system, kept, BATCH))
  }
}
