import type { Storage } from '../db/open'
import type { Db } from '../db/types'
import type { Instant } from '../model/core/time'
import type { Clock } from '../runtime/timers/clock'

export interface EventDeps {
  readonly db: Db
  readonly transact: Storage['transact']
  readonly changes: Storage['changes']
  readonly now: () => Instant
  readonly clock: Clock
  readonly warn: (message: string, fields?: Record<string, string | number>) => void
}
