import type { ByteSource } from '../../formats/chunks'
import { error } from '../../model/errors'
import { createWorkQueue } from '../workQueue'
import { RETRY_AFTER_MS, type Spool } from './spool'

/** Imports take much memory and long: one at a time for each system, and few for all. */
export interface ImportLimiter {
  /**
   * Receives a file, waits for its turn and does the work with the file. Imports run in the order
   * in which their files have arrived, so that a client that sends for long keeps no other waiting.
   */
  run<T>(
    systemId: number,
    file: ByteSource,
    work: (file: ByteSource) => Promise<T>,
    /** Aborted when the client closes its connection: an import that still waits is dropped then. */
    signal: AbortSignal | null,
  ): Promise<T>
  /** How many are under way: files that arrive, wait or are imported. */
  readonly count: number
  /** Called with the result of each import. */
  onResult?: (result: 'done' | 'failed' | 'refused') => void
}

const MAX_RUNNING = 2
/** Files that arrive, wait or are imported. Each needs an open file. */
const MAX_CONCURRENT = 50

export function createImportLimiter(spool: Spool): ImportLimiter {
  const busy = new Set<number>()
  const queue = createWorkQueue({ maxRunning: MAX_RUNNING })
  const refuse = (reason: string) => {
    turns.onResult?.('refused')
    return error('tooManyRequests', reason, RETRY_AFTER_MS)
  }
  const turns: ImportLimiter = {
    get count() {
      return busy.size
    },
    async run(systemId, file, work, signal) {
      if (busy.has(systemId)) throw refuse('a file is being imported into this system')
      if (busy.size >= MAX_CONCURRENT) throw refuse('other files are being imported')
      busy.add(systemId)
      try {
        const received = await spool.receive(file)
        try {
          const result = await queue({ systemId, signal }, () => work(received.read()))
          turns.onResult?.('done')
          return result
        } finally {
          await received.discard()
        }
      } catch (cause) {
        turns.onResult?.('failed')
        throw cause
      } finally {
        busy.delete(systemId)
      }
    },
  }
  return turns
}
