import type { Db } from '../db/handle'
import { createInserter } from '../db/rows'
import type { Happening } from '../model/events'
import type { Instant } from '../model/time'

/** Writes down what happened, in the transaction of the change itself. */
export async function tell(tx: Db, at: Instant, happening: Happening): Promise<void> {
  await insertEvent(tx, { ...happening, at })
}

const insertEvent = createInserter('events', ['system_id', 'type', 'subject', 'data', 'at'])
