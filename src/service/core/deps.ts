import type { Storage } from '../../db/open'
import type { RenderedTable } from '../../db/renderedJson'
import type { Db } from '../../db/types'
import type { ParseImport } from '../../formats/chunks'
import type { Instant } from '../../model/core/time'
import type { Clock } from '../../runtime/timers/clock'
import type { Quotas } from '../access/quotas'
import type { CredentialCache } from '../access/types'
import type { ImportLimiter } from '../transfer/import/importLimiter'
import type { BulkQueue } from './bulkQueue'
import type { LongReads } from './longReads'
import type { OpenLists } from './openLists'

/** Dependencies of all service functions: storage, clock, queues, caches and quotas. */
export interface Deps {
  readonly db: Db
  readonly sharedRead: Storage['sharedRead']
  readonly readFor: Storage['readFor']
  readonly transact: Storage['transact']
  /** Runs reads on one snapshot, unaffected by concurrent writes. */
  readonly snapshot: Storage['snapshot']
  readonly longReads: LongReads
  readonly openLists: OpenLists
  readonly now: () => Instant
  /** Timers, and the time in milliseconds. */
  readonly clock: Clock
  /** Parses the file of an import, in this process or in a worker process. */
  readonly parseImport: ParseImport
  readonly importLimiter: ImportLimiter
  readonly bulkQueue: BulkQueue
  readonly credentialCache: CredentialCache
  readonly quotas: Quotas
  /** Public address of this server, with which links and addresses of pictures begin; empty if unknown. */
  readonly publicUrl: string
  /** Schedules rendering of a row's JSON after a cache miss. */
  readonly scheduleRender: (table: RenderedTable, id: number) => void
}
