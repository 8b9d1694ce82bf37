import { error } from '../model/errors'

/**
 * Queue of bulk changes: one per system and two per server run at a time, because each takes as
 * long as hundreds of single changes.
 */
export interface BulkTurns {
  /** Runs the work when its turn comes. Throws the signal's reason if the client left before. */
  take<T>(systemId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

const MOST_RUNNING = 2
/** As many as the rate limit admits in a second. */
const MOST_WAITING_PER_SYSTEM = 3
/** Each holds its request body in memory. */
const MOST_WAITING = 32
const RETRY_AFTER_MS = 1000

interface Turn {
  readonly systemId: number
  begin(): void
}

export function createBulkTurns(): BulkTurns {
  const running = new Set<number>()
  const waiting: Turn[] = []

  const isFree = (systemId: number) => running.size < MOST_RUNNING && !running.has(systemId)

  const beginNext = () => {
    const next = waiting.find(({ systemId }) => isFree(systemId))
    if (!next) return
    waiting.splice(waiting.indexOf(next), 1)
    running.add(next.systemId)
    next.begin()
  }

  const wait = (systemId: number, signal: AbortSignal) => {
    const ofSystem = waiting.filter((turn) => turn.systemId === systemId).length
    if (ofSystem >= MOST_WAITING_PER_SYSTEM || waiting.length >= MOST_WAITING)
      throw error('tooManyRequests', 'other bulk changes are waiting', RETRY_AFTER_MS)
    signal.throwIfAborted()
    return new Promise<void>((resolve, reject) => {
      const drop = () => {
        waiting.splice(waiting.indexOf(turn), 1)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', drop)
        resolve()
      }
      const turn = { systemId, begin }
      waiting.push(turn)
      signal.addEventListener('abort', drop, { once: true })
    })
  }

  return {
    async take(systemId, signal, work) {
      if (isFree(systemId)) running.add(systemId)
      else await wait(systemId, signal)
      try {
        return await work()
      } finally {
        running.delete(systemId)
        beginNext()
      }
    },
  }
}
