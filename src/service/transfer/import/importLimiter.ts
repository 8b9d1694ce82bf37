import type { ByteSource } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import type { ImportResult } from '../../../model/transfer/transfer'
import type { Clock } from '../../../runtime/timers/clock'
import { createWorkQueue } from '../../core/workQueue'
import { RETRY_AFTER_MS, type Spool } from './spool'
import { createUploadQueue, type UploadQueue } from './uploadQueue'

/** Limits imports to one per system and a few per server, because each takes much memory and time. */
export interface ImportLimiter {
  /**
   * Receives a file, waits for its turn and runs the work with the file. Imports run in the order
   * in which their files were received completely, so that a slow client delays no other import.
   */
  run<T>(
    systemId: number,
    file: ByteSource,
    work: (file: ByteSource) => Promise<T>,
    /** Aborted when the client closes its connection. A waiting import is dropped then. */
    signal: AbortSignal | null,
  ): Promise<T>
  readonly uploadQueue: UploadQueue
  /** Number of files that are being received, waiting or being imported. */
  readonly count: number
}

const MAX_RUNNING = 2
/** Limit for `count`. Each import needs an open file. */
const MAX_CONCURRENT = 50

interface ImportLimiterOptions {
  /** Called with the result of each import. */
  readonly onResult?: ((result: ImportResult) => void) | undefined
  readonly clock?: Clock | undefined
}

export function createImportLimiter(
  spool: Spool,
  { onResult = () => {}, clock }: ImportLimiterOptions = {},
): ImportLimiter {
  const busy = new Set<number>()
  const uploadQueue = createUploadQueue(busy, { clock })
  const queue = createWorkQueue({ maxRunning: MAX_RUNNING })
  const refuse = (reason: string) => {
    onResult('refused')
    return error('tooManyRequests', reason, RETRY_AFTER_MS)
  }
  return {
    uploadQueue,
    get count() {
      return busy.size
    },
    async run(systemId, file, work, signal) {
      if (busy.has(systemId)) throw refuse('a file is being imported into this system')
      if (busy.size >= MAX_CONCURRENT) throw refuse('other files are being imported')
      busy.add(systemId)
      uploadQueue.release(systemId)
      try {
        const received = await spool.receive(file)
        try {
          const result = await queue({ systemId, signal }, () => work(received.read()))
          onResult('done')
          return result
        } finally {
          await received.discard()
        }
      } catch (cause) {
        onResult('failed')
        throw cause
      } finally {
        busy.delete(systemId)
        uploadQueue.assign()
      }
    },
  }
}
