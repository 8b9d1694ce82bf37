import type { Storage } from '../db/open'
import type { RenderedTable } from '../db/renderedJson'
import type { Db } from '../db/types'
import { type ParseImport, parseInProcess } from '../formats/chunks'
import type { Instant } from '../model/time'
import { type CredentialCache, createCredentialCache } from './access/credentialCache'
import type { Quotas } from './admin/quotas'
import { type BulkQueue, createBulkQueue } from './bulkQueue'
import { createLongReads, type LongReads } from './longReads'
import { createImportLimiter, type ImportLimiter } from './transfer/importLimiter'
import { createSpool } from './transfer/spool'

/** What every verb works with. The outside world enters here and nowhere else. */
export interface Deps {
  readonly db: Db
  readonly sharedRead: Storage['sharedRead']
  readonly transact: Storage['transact']
  /** Reads as of one moment, whatever is written meanwhile. */
  readonly snapshot: Storage['snapshot']
  readonly longReads: LongReads
  readonly now: () => Instant
  /** How the file of an import is read: here, or by another process. */
  readonly parseImport: ParseImport
  readonly importLimiter: ImportLimiter
  readonly bulkQueue: BulkQueue
  readonly credentialCache: CredentialCache
  readonly quotas: Quotas
  /** Asks for the faces of a row, where a reader found none. */
  readonly scheduleRender: (table: RenderedTable, id: number) => void
}

/**
 * The wall clock in microseconds. It never gives one instant twice, so that two switches logged
 * within the same millisecond keep their order.
 */
export function createClock(): () => Instant {
  let last = 0
  return () => {
    last = Math.max(last + 1, Date.now() * 1000)
    return last
  }
}

/** For describing the verbs without doing them: whoever asks anything of it has made a mistake. */
export const noDeps: Deps = {
  db: new Proxy({} as Db, {
    get() {
      throw new Error('there is no database here')
    },
  }),
  sharedRead: { begin: () => 0, end: () => {} },
  transact: () => Promise.reject(new Error('there is no database here')),
  snapshot: () => Promise.reject(new Error('there is no database here')),
  longReads: createLongReads(),
  now: () => 0,
  parseImport: parseInProcess,
  importLimiter: createImportLimiter(createSpool('')),
  bulkQueue: createBulkQueue(),
  credentialCache: createCredentialCache({ begin: () => 0 }),
  quotas: { systems: null, members: 0, groups: 0, archive: 0, registration: 'closed' },
  scheduleRender: () => {},
}
