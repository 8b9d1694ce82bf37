import { statement } from '../db/statement'
import type { Db, MaybePromise } from '../db/types'
import type { Change } from '../model/events'
import type { Instant } from '../model/time'

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
  return insertEvent(tx).run({ system: system_id, type, subject, data, at })
}

const insertEvent = statement<'system' | 'type' | 'subject' | 'data' | 'at'>(`
   insert into events (system_id, type, subject, data, at)
   values (:system, :type, :subject, :data, :at)`)
