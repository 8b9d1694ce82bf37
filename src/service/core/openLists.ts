import { error } from '../../model/core/errors'
import type { LongRead } from './longReads'
import { createWorkQueue, type QueuedWork, type WorkQueue } from './workQueue'

/** Large lists that are being sent. Each holds one piece in memory, however slowly its client reads. */
export interface OpenLists {
  /** Counts a list until the returned function is called. Throws 429 if the client has too many. */
  open(read: LongRead): () => void
  /** Reads a piece. Few are read in one turn of the event loop. */
  readonly readPiece: WorkQueue<QueuedWork>
}

const MAX_READING = 2
const MAX_OPEN_OF_OWNER = 8
const MAX_OPEN_OF_OTHERS = 16
const MAX_OPEN_OF_ADDRESS = 4
const RETRY_AFTER_MS = 5000

export function createOpenLists(): OpenLists {
  const lists = new Set<LongRead>()
  const rejectExcess = ({ systemId, isOwn, address }: LongRead) => {
    const open = [...lists].filter((other) => other.isOwn === isOwn)
    const most = isOwn ? MAX_OPEN_OF_OWNER : MAX_OPEN_OF_OTHERS
    if (open.filter((other) => other.systemId === systemId).length >= most)
      throw tooMany('large lists of this system are being sent')
    if (isOwn || address === null) return
    if (open.filter((other) => other.address === address).length >= MAX_OPEN_OF_ADDRESS)
      throw tooMany('large lists are being sent to this address')
  }
  return {
    open(read) {
      rejectExcess(read)
      lists.add(read)
      return () => lists.delete(read)
    },
    readPiece: createWorkQueue({ maxRunning: MAX_READING }),
  }
}

function tooMany(reason: string): Error {
  return error('tooManyRequests', reason, RETRY_AFTER_MS)
}
