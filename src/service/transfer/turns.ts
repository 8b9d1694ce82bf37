import type { Arriving } from '../../formats/parts'
import { error } from '../../model/errors'
import { RETRY_AFTER_MS, type Spool } from './spool'

/** Imports take much memory and long: one at a time for each system, and few for all. */
export interface ImportTurns {
  /**
   * Receives a file, waits for a slot and does the work with the file. Slots are given in the order
   * in which files have arrived, so that a client that sends for long keeps no other waiting.
   */
  take<T>(
    systemId: number,
    file: Arriving,
    work: (file: Arriving) => Promise<T>,
    /** Aborted when the client left: an import that waits for a slot is dropped then. */
    signal?: AbortSignal,
  ): Promise<T>
  /** How many are under way: files that arrive, wait or are imported. */
  readonly count: number
  /** Called with the result of each import. */
  note?: (result: 'done' | 'failed' | 'refused') => void
}

const SLOTS = 2
/** Files that arrive, wait or are imported. Each needs an open file. */
const MOST_AT_ONCE = 50

export function createImportTurns(spool: Spool): ImportTurns {
  const busy = new Set<number>()
  const slots = createSlots(SLOTS)
  const refuse = (reason: string) => {
    turns.note?.('refused')
    return error('tooManyRequests', reason, RETRY_AFTER_MS)
  }
  const turns: ImportTurns = {
    get count() {
      return busy.size
    },
    async take(systemId, file, work, signal) {
      if (busy.has(systemId)) throw refuse('a file is being imported into this system')
      if (busy.size >= MOST_AT_ONCE) throw refuse('other files are being imported')
      busy.add(systemId)
      try {
        const received = await spool.receive(file)
        try {
          await slots.acquire(signal)
          try {
            const result = await work(received.read())
            turns.note?.('done')
            return result
          } finally {
            slots.release()
          }
        } finally {
          await received.discard()
        }
      } catch (cause) {
        turns.note?.('failed')
        throw cause
      } finally {
        busy.delete(systemId)
      }
    },
  }
  return turns
}

/** Creates a semaphore that gives its slots in the order of the calls. */
function createSlots(count: number) {
  let free = count
  const waiting = new Set<() => void>()
  return {
    async acquire(signal?: AbortSignal): Promise<void> {
      if (free > 0) return void free--
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        waiting.delete(resolve)
        reject(error('badRequest', 'the client closed the connection'))
      }
      waiting.add(resolve)
      if (signal?.aborted) leave()
      signal?.addEventListener('abort', leave)
      await promise.finally(() => signal?.removeEventListener('abort', leave))
    },
    release(): void {
      const [next] = waiting
      if (next === undefined) return void free++
      waiting.delete(next)
      next()
    },
  }
}
