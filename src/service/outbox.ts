import type { Db } from '../db/open'
import { events } from '../db/tables'
import type { Happening } from '../model/events'
import type { Instant } from '../model/time'

/** Writes down what happened, in the transaction of the change itself. */
export async function tell(tx: Db, at: Instant, happening: Happening): Promise<void> {
  await tx.insert(events).values({ ...happening, at })
}
