import { and, eq, gte } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { createUpserter } from '../../db/rows'
import { deletedSwitches } from '../../db/tables'
import type { Db } from '../../db/types'
import { DAY, type Instant } from '../../model/core/time'

/** Time for which a client that repeats an old request cannot create a deleted switch again. */
export const DELETED_SWITCH_KEPT = 30 * DAY

/** Records that a switch was deleted, in the transaction of the deletion. */
export async function recordDeletedSwitch(
  tx: Db,
  at: Instant,
  { system_id, uuid }: { system_id: number; uuid: string },
): Promise<void> {
  await store(tx, { system_id, uuid, at })
}

export async function isDeletedSwitch(
  db: Db,
  now: Instant,
  system: number,
  uuid: string,
): Promise<boolean> {
  return (await byUuid(db).get({ system, uuid, since: now - DELETED_SWITCH_KEPT })) !== null
}

const store = createUpserter(deletedSwitches, ['system_id', 'uuid'], ['at'])

const byUuid = query((db, values: Placeholders<'system' | 'uuid' | 'since'>) => {
  const { system_id, uuid, at } = deletedSwitches
  return db
    .select({ uuid })
    .from(deletedSwitches)
    .where(and(eq(system_id, values.system), eq(uuid, values.uuid), gte(at, values.since)))
})
