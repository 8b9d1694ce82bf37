import { error } from '../../model/core/errors'
import { createWorkQueue, type QueuedWork, type WorkQueue } from './workQueue'

/** Client that waits for the result of a long read. */
export interface WaitingClient {
  /** Aborted when the client closes its connection; null where there is no connection. */
  readonly signal: AbortSignal | null
  /** Address that limits are counted for; null for bots and for programs on this machine. */
  readonly address: string | null
}

/** Client of a long read that has no connection, such as a command. */
export const noConnection: WaitingClient = { signal: null, address: null }

/** Long read of the rows of one system. */
export interface LongRead extends QueuedWork, WaitingClient {
  /** True if the caller sees what the owner sees. */
  readonly isOwn: boolean
}

/**
 * Queue of long reads. Few run at a time, because each takes much memory and processor time. Throws
 * 429 at once if too many wait already.
 */
export type LongReads = WorkQueue<LongRead>

/** Fewer than the snapshots that storage allows at a time, so that one is left for a short read. */
const MAX_RUNNING = 3
const MAX_WAITING_OF_OWNER = 4
const MAX_WAITING_OF_OTHERS = 4
const MAX_WAITING_OF_ADDRESS = 2
const RETRY_AFTER_MS = 2000

export function createLongReads(): LongReads {
  return createWorkQueue({
    maxRunning: MAX_RUNNING,
    isPreferred: ({ isOwn }) => isOwn,
    rejectExcess({ systemId, isOwn, address }, waiting) {
      const ofSystem = waiting.filter((other) => other.systemId === systemId)
      const most = isOwn ? MAX_WAITING_OF_OWNER : MAX_WAITING_OF_OTHERS
      if (ofSystem.filter((other) => other.isOwn === isOwn).length >= most)
        throw tooMany('long reads of this system are waiting')
      if (isOwn || address === null) return
      const ofAddress = waiting.filter((other) => !other.isOwn && other.address === address)
      if (ofAddress.length >= MAX_WAITING_OF_ADDRESS)
        throw tooMany('long reads of this address are waiting')
    },
  })
}

function tooMany(reason: string): Error {
  return error('tooManyRequests', reason, RETRY_AFTER_MS)
}
