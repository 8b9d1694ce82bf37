import { error } from '../model/errors'

/** Client that waits for the result of a long read. */
export interface WaitingClient {
  /** Aborted when the client closes its connection; null where there is no connection. */
  readonly signal: AbortSignal | null
  /** Address that limits are counted for; null for bots and for programs on this machine. */
  readonly address: string | null
}

/** Client of a caller without a connection, such as a command. */
export const noConnection: WaitingClient = { signal: null, address: null }

/** Long read of the rows of one system. */
export interface LongRead {
  readonly systemId: number
  /** Whether the caller sees what the owner sees. */
  readonly isOwn: boolean
  readonly client: WaitingClient
}

/**
 * Runs long reads, one at a time for each system and few for all, because each takes much memory
 * and processor time. Throws 429 at once if too many wait already, and the reason of the client's
 * signal as soon as a waiting client has closed its connection.
 */
export type LongReads = <T>(read: LongRead, work: () => Promise<T>) => Promise<T>

/** Fewer than storage gives snapshots at a time, so that a short read that needs one finds it. */
const MAX_RUNNING = 3
const MAX_WAITING_OF_OWNER = 4
const MAX_WAITING_OF_OTHERS = 4
const MAX_WAITING_OF_ADDRESS = 2
const RETRY_AFTER_MS = 2000

interface Waiting extends LongRead {
  begin(): void
}

export function createLongReads(): LongReads {
  /** Systems with a running read. */
  const running = new Set<number>()
  /** Oldest first. */
  const waiting: Waiting[] = []

  const canBegin = ({ systemId }: LongRead) => running.size < MAX_RUNNING && !running.has(systemId)

  const isFull = (most: number, isCounted: (read: LongRead) => boolean) =>
    waiting.filter(isCounted).length >= most

  const rejectTooMany = ({ systemId, isOwn, client: { address } }: LongRead) => {
    const most = isOwn ? MAX_WAITING_OF_OWNER : MAX_WAITING_OF_OTHERS
    if (isFull(most, (other) => other.systemId === systemId && other.isOwn === isOwn))
      throw tooMany('long reads of this system are waiting')
    const isOfAddress = (other: LongRead) => !other.isOwn && other.client.address === address
    if (!isOwn && address !== null && isFull(MAX_WAITING_OF_ADDRESS, isOfAddress))
      throw tooMany('long reads of this address are waiting')
  }

  const remove = (read: Waiting) => waiting.splice(waiting.indexOf(read), 1)

  const wait = (read: LongRead) =>
    new Promise<void>((resolve, reject) => {
      const { signal } = read.client
      const drop = () => {
        remove(entry)
        reject(signal?.reason)
      }
      const entry: Waiting = {
        ...read,
        begin() {
          signal?.removeEventListener('abort', drop)
          resolve()
        },
      }
      signal?.addEventListener('abort', drop, { once: true })
      waiting.push(entry)
    })

  const beginWaiting = () => {
    for (;;) {
      const next = waiting.find((read) => read.isOwn && canBegin(read)) ?? waiting.find(canBegin)
      if (!next) return
      remove(next)
      running.add(next.systemId)
      next.begin()
    }
  }

  return async (read, work) => {
    read.client.signal?.throwIfAborted()
    if (canBegin(read)) running.add(read.systemId)
    else {
      rejectTooMany(read)
      await wait(read)
    }
    try {
      return await work()
    } finally {
      running.delete(read.systemId)
      beginWaiting()
    }
  }
}

function tooMany(reason: string): Error {
  return error('tooManyRequests', reason, RETRY_AFTER_MS)
}
