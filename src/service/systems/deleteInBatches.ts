import type { Db } from '../../db/types'
import { yieldToEventLoop } from '../../db/yieldToEventLoop'
import type { Deps } from '../core/deps'

/** Returns true when the process stops and no further batch should begin. */
export type IsStopped = () => boolean

export const never: IsStopped = () => false

/** Target for the time that one batch holds the write lock. The batch size adapts to it. */
const BATCH_MS = 10
const FIRST_BATCH = 100
const MIN_BATCH = 10
const MAX_BATCH = 1000

/**
 * Deletes rows in batches, each in a short transaction, so that other writes wait only briefly. The
 * lock makes two nodes that delete the same rows take turns: without it, a batch whose rows another
 * node is deleting would delete none and count as the last one.
 */
export async function deleteInBatches(
  deps: Deps,
  lock: Parameters<Deps['transact']>[0],
  isStopped: IsStopped,
  remove: (tx: Db, most: number) => Promise<number>,
): Promise<void> {
  let most = FIRST_BATCH
  while (!isStopped()) {
    let elapsed = 0
    const deleted = await deps.transact(
      lock,
      async (tx) => {
        const began = deps.clock.monotonic()
        const count = await remove(tx, most)
        elapsed = deps.clock.monotonic() - began
        return count
      },
      'slice',
    )
    if (deleted === 0) return
    // The time differs, because the deletion of some rows cascades to many others.
    if (elapsed < BATCH_MS / 2) most = Math.min(most * 2, MAX_BATCH)
    if (elapsed > BATCH_MS) most = Math.max(Math.ceil(most / 2), MIN_BATCH)
    await yieldToEventLoop()
  }
}
