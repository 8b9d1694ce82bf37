import type { Storage } from '../db/open'
import type { Db } from '../db/types'
import type { Instant } from '../model/time'

/** What the room works with: the same store and clock as everybody, and a way to complain. */
export interface EventDeps {
  readonly db: Db
  readonly transact: Storage['transact']
  readonly pulse: Storage['changes']
  readonly now: () => Instant
  readonly warn: (message: string, fields?: Record<string, string | number>) => void
}
