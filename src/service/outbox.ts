import type { Db } from '../db/handle'
import { statement } from '../db/statement'
import type { Change } from '../model/events'
import type { Instant } from '../model/time'

/** Writes down what happened, in the transaction of the change itself. */
export async function tell(tx: Db, at: Instant, change: Change): Promise<void> {
  const { system_id, type, subject, data } = change
  await insertEvent(tx).run({
    system: system_id,
    type,
    subject,
    data: data && JSON.stringify(data),
    at,
  })
}

const insertEvent = statement<'system' | 'type' | 'subject' | 'data' | 'at'>(`
   insert into events (system_id, type, subject, data, at)
   values (:system, :type, :subject, :data, :at)`)
