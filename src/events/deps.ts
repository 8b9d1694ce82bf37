import type { Storage } from '../db/open'
import type { Db } from '../db/types'
import type { Instant } from '../model/time'

/** Dependencies of the event layer. */
export interface EventDeps {
  readonly db: Db
  readonly transact: Storage['transact']
  readonly changes: Storage['changes']
  readonly now: () => Instant
  readonly warn: (message: string, fields?: Record<string, string | number>) => void
}
