import { type Placeholders, query } from '../../db/query'
import { events } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { Instant } from '../../model/core/time'
import type { Change } from '../../model/events'

/** Records the event of a change, in the transaction of the change. */
export function recordEvent(tx: Db, at: Instant, change: Change): MaybePromise<unknown> {
  return recordSerializedEvent(tx, at, change, change.data && JSON.stringify(change.data))
}

/** Like `recordEvent`, with data that is serialized already. */
export function recordSerializedEvent(
  tx: Db,
  at: Instant,
  { system_id, type, subject }: Omit<Change, 'data'>,
  data: string | null,
): MaybePromise<unknown> {
  return insertEvent(tx).run({ system_id, type, subject, data, at })
}

const insertEvent = query(
  (db, values: Placeholders<'system_id' | 'type' | 'subject' | 'data' | 'at'>) => {
    const { system_id, type, subject, data, at } = values
    return db.insert(events).values({ system_id, type, subject, data, at })
  },
)
