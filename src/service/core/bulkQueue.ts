import { error } from '../../model/core/errors'
import { createWorkQueue, type QueuedWork, type WorkQueue } from './workQueue'

/** Queue of bulk changes, each of which takes as long as hundreds of single changes. */
export type BulkQueue = WorkQueue<QueuedWork>

const MAX_RUNNING = 2
/** The number of writes per second that the rate limit admits. */
const MAX_WAITING_OF_SYSTEM = 3
/** Limited because each waiting request holds its body in memory. */
const MAX_WAITING = 32
const RETRY_AFTER_MS = 1000

export function createBulkQueue(): BulkQueue {
  return createWorkQueue({
    maxRunning: MAX_RUNNING,
    rejectExcess({ systemId }, waiting) {
      const ofSystem = waiting.filter((other) => other.systemId === systemId)
      if (ofSystem.length >= MAX_WAITING_OF_SYSTEM || waiting.length >= MAX_WAITING)
        throw error('tooManyRequests', 'other bulk changes are waiting', RETRY_AFTER_MS)
    },
  })
}
