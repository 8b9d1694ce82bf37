import type { Storage } from '../../db/open'
import type { RenderedTable } from '../../db/renderedJson'
import type { Db } from '../../db/types'
import type { ParseImport } from '../../formats/chunks'
import type { Clock } from '../../runtime/timers/clock'
import type { StoreDeps } from '../../store/core/storeDeps'
import type { CredentialCache } from '../access/types'
import type { ImportLimiter } from '../transfer/import/importLimiter'
import type { BulkQueue } from './bulkQueue'
import type { LongReads } from './longReads'
import type { OpenLists } from './openLists'

/** Dependencies of all service functions: storage, clock, queues, caches and quotas. */
export interface Deps extends StoreDeps {
  readonly db: Db
  readonly sharedRead: Storage['sharedRead']
  readonly readFor: Storage['readFor']
  readonly transact: Storage['transact']
  /** Runs reads on one snapshot, unaffected by concurrent writes. */
  readonly snapshot: Storage['snapshot']
  readonly longReads: LongReads
  readonly openLists: OpenLists
  /** Timers, and the time in milliseconds. */
  readonly clock: Clock
  /** Parses the file of an import, in this process or in a worker process. */
  readonly parseImport: ParseImport
  readonly importLimiter: ImportLimiter
  readonly bulkQueue: BulkQueue
  readonly credentialCache: CredentialCache
  /** Schedules rendering of a row's JSON after a cache miss. */
  readonly scheduleRender: (table: RenderedTable, id: number) => void
}
