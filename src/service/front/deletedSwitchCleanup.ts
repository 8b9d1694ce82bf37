import type { Db } from '../../db/types'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import {
  DELETED_SWITCH_KEPT,
  deleteOldRecords,
  deleteRecordsOf,
  findNextSystem,
  findOldestOfNewest,
} from '../../store/front/deletedSwitches'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'

/** Number of deleted switches of one system that are remembered. */
export const MAX_DELETED_SWITCHES = 10_000

const BATCH = 500
const REPEAT_MS = 60 * 60 * 1000
const FIRST_MS = 10_000

/** Removes records of deleted switches every hour. */
export function startDeletedSwitchCleanup(deps: Deps, leader: LeaderOptions): PeriodicTask {
  return startLeaderTask(deps, leader, {
    name: 'cleanup of deleted switches',
    everyMs: REPEAT_MS,
    firstMs: FIRST_MS,
    run: (isStopped) => pruneDeletedSwitches(deps, isStopped),
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
