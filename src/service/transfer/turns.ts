import { error } from '../../model/errors'

/** Imports take much memory and long: one at a time for each system, and few for all. */
export interface ImportTurns {
  /** Does the work, from the first byte of the file on, or says that it is not its turn. */
  take<T>(systemId: number, work: () => Promise<T>): Promise<T>
  /** How many are under way. */
  readonly count: number
  /** Told how each went, where anybody wants to know. */
  note?: (result: 'done' | 'failed' | 'refused') => void
}

const MOST_AT_ONCE = 2
const RETRY_AFTER_MS = 5000

export function createImportTurns(): ImportTurns {
  const busy = new Set<number>()
  const refuse = (reason: string) => {
    turns.note?.('refused')
    return error('tooManyRequests', reason, RETRY_AFTER_MS)
  }
  const turns: ImportTurns = {
    get count() {
      return busy.size
    },
    async take(systemId, work) {
      if (busy.has(systemId)) throw refuse('a file is being imported into this system')
      if (busy.size >= MOST_AT_ONCE) throw refuse('other files are being imported')
      busy.add(systemId)
      try {
        const result = await work()
        turns.note?.('done')
        return result
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
