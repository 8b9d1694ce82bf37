import { and, desc, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm'
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

/** Returns the row ID of the next system with records of deleted switches. */
export async function findNextSystem(db: Db, after: number): Promise<number | null> {
  return (await nextSystem(db).get({ system: after }))?.system_id ?? null
}

/** Returns the time of the oldest of a system's `many` newest records; null if there are fewer. */
export async function findOldestOfNewest(
  db: Db,
  systemId: number,
  many: number,
): Promise<Instant | null> {
  return (await newestBut(db).get({ system: systemId, many: many - 1 }))?.at ?? null
}

/** Deletes up to `most` records of all systems before a time. Returns their number. */
export async function deleteOldRecords(tx: Db, before: Instant, most: number): Promise<number> {
  return (await deleteOld(tx).all({ before, system: 0, limit: most })).length
}

/** Deletes up to `most` records of a system before a time, oldest first. Returns their number. */
export async function deleteRecordsOf(
  tx: Db,
  systemId: number,
  before: Instant,
  most: number,
): Promise<number> {
  return (await deleteExcess(tx).all({ before, system: systemId, limit: most })).length
}

const { system_id, uuid, at } = deletedSwitches

const store = createUpserter(deletedSwitches, ['system_id', 'uuid'], ['at'])

const byUuid = query((db, values: Placeholders<'system' | 'uuid' | 'since'>) =>
  db
    .select({ uuid })
    .from(deletedSwitches)
    .where(and(eq(system_id, values.system), eq(uuid, values.uuid), gte(at, values.since))),
)

const nextSystem = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ system_id })
    .from(deletedSwitches)
    .where(gt(system_id, system))
    .orderBy(system_id)
    .limit(1),
)

const newestBut = query((db, { system, many }: Placeholders<'system' | 'many'>) =>
  db
    .select({ at })
    .from(deletedSwitches)
    .where(eq(system_id, system))
    .orderBy(desc(at))
    .limit(1)
    .offset(many),
)

/** UUIDs of several systems may be equal, which does not matter for records that are too old. */
const deleteOld = query((db, values: Placeholders<'before' | 'system' | 'limit'>) => {
  const some = db
    .select({ uuid })
    .from(deletedSwitches)
    .where(and(lt(at, values.before), gt(system_id, values.system)))
    .limit(values.limit)
  return db
    .delete(deletedSwitches)
    .where(and(lt(at, values.before), inArray(uuid, some)))
    .returning({ one: sql<number>`1`.as('one') })
})

const deleteExcess = query((db, values: Placeholders<'before' | 'system' | 'limit'>) => {
  const some = db
    .select({ uuid })
    .from(deletedSwitches)
    .where(and(eq(system_id, values.system), lt(at, values.before)))
    .orderBy(at)
    .limit(values.limit)
  return db
    .delete(deletedSwitches)
    .where(and(eq(system_id, values.system), inArray(uuid, some)))
    .returning({ one: sql<number>`1`.as('one') })
})
