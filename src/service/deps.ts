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

/** Dependencies of all service functions: storage, clock, queues, caches and quotas. */
export interface Deps {
  readonly db: Db
  readonly sharedRead: Storage['sharedRead']
  readonly transact: Storage['transact']
  /** Runs reads on one snapshot, unaffected by concurrent writes. */
  readonly snapshot: Storage['snapshot']
  readonly longReads: LongReads
  readonly now: () => Instant
  /** Parses the file of an import, in this process or in a worker process. */
  readonly parseImport: ParseImport
  readonly importLimiter: ImportLimiter
  readonly bulkQueue: BulkQueue
  readonly credentialCache: CredentialCache
  readonly quotas: Quotas
  /** Schedules rendering of a row's JSON after a cache miss. */
  readonly scheduleRender: (table: RenderedTable, id: number) => void
}

/**
 * Creates a wall clock in microseconds. It never returns the same instant twice, so that two
 * switches logged within one millisecond keep their order.
 */
export function createClock(): () => Instant {
  let last = 0
  return () => {
    last = Math.max(last + 1, Date.now() * 1000)
    return last
  }
}

/** Placeholder for code that only describes routes. Every use of its database is an error. */
export const noDeps: Deps = {
  db: new Proxy({} as Db, {
    get() {
      throw new Error('no database available')
    },
  }),
  sharedRead: { begin: () => 0, end: () => {} },
  transact: () => Promise.reject(new Error('no database available')),
  snapshot: () => Promise.reject(new Error('no database available')),
  longReads: createLongReads(),
  now: () => 0,
  parseImport: parseInProcess,
  importLimiter: createImportLimiter(createSpool('')),
  bulkQueue: createBulkQueue(),
  credentialCache: createCredentialCache({ begin: () => 0 }),
  quotas: { systems: null, members: 0, groups: 0, archive: 0, registration: 'closed' },
  scheduleRender: () => {},
}
