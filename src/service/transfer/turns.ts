import { error } from '../../model/errors'

/** Imports take much memory and long: one at a time for each system, and few for all. */
export interface ImportTurns {
  /** Does the work, from the first byte of the file on, or says that it is not its turn. */
  take<T>(systemId: number, work: () => Promise<T>): Promise<T>
}

const MOST_AT_ONCE = 2
const RETRY_AFTER_MS = 5000

export function createImportTurns(): ImportTurns {
  const busy = new Set<number>()
  return {
    async take(systemId, work) {
      if (busy.has(systemId))
        throw error('tooManyRequests', 'a file is being imported into this system', RETRY_AFTER_MS)
      if (busy.size >= MOST_AT_ONCE)
        throw error('tooManyRequests', 'other files are being imported', RETRY_AFTER_MS)
      busy.add(systemId)
      try {
        return await work()
      } finally {
        busy.delete(systemId)
      }
    },
  }
}
