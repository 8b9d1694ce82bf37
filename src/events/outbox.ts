import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import { statement } from '../db/statement'
import { events } from '../db/tables'

export type StoredEvent = typeof events.$inferSelect

/** The number of the newest event there ever was; it may have been pruned since. */
export async function latestEventId(db: Db): Promise<number> {
  const row = await newest(db).get({})
  return row?.id ?? 0
}

/** One that all lower ones are committed by, however many write at once. */
export async function settledEventId(db: Db): Promise<number> {
  return Math.max(0, (await latestEventId(db)) - db.driver.dialect.unsettled)
}

/** The number of a system's newest event. */
export async function latestOfSystem(db: Db, system: number): Promise<number> {
  return (await newestOfSystem(db).get({ system }))?.id ?? 0
}

/** The next events of all systems, in the order in which they happened. */
export async function eventsAfter(db: Db, id: number, limit: number): Promise<StoredEvent[]> {
  return await after(db).all({ id, limit })
}

/** Those of the numbers that are there by now. */
export async function eventsAmong(db: Db, ids: readonly number[]): Promise<StoredEvent[]> {
  return await db
    .select()
    .from(events)
    .where(inArray(events.id, [...ids]))
    .orderBy(events.id)
    .all()
}

export async function eventsOfSystemAfter(
  db: Db,
  system: number,
  id: number,
  limit: number,
): Promise<StoredEvent[]> {
  return await afterOfSystem(db).all({ system, id, limit })
}

/** Where events are missing for one who has heard those up to that number, if any are. */
export async function findGap(
  db: Db,
  system: number,
  after: number,
): Promise<{ after: number; before: number } | null> {
  const pruned = (await prunedOfSystem(db).get({ system }))?.newest ?? 0
  if (pruned <= after) return null
  const [kept] = await eventsOfSystemAfter(db, system, after, 1)
  const before = kept?.id ?? pruned + 1
  return before === after + 1 ? null : { after, before }
}

const newest = statement<never, { id: number | null }>(
  ({ lastEvent }) => `select ${lastEvent} as id`,
)

const newestOfSystem = statement<'system', { id: number }>(
  ({ greater }) =>
    `select ${greater(
      'coalesce((select max(id) from events where system_id = :system), 0)',
      'coalesce((select newest from pruned_events where system_id = :system), 0)',
    )} as id`,
)

const prunedOfSystem = statement<'system', { newest: number }>(
  'select newest from pruned_events where system_id = :system',
)

const after = prepared((db) =>
  db
    .select()
    .from(events)
    .where(gt(events.id, sql.placeholder('id')))
    .orderBy(events.id)
    .limit(sql.placeholder('limit'))
    .prepare(),
)

const afterOfSystem = prepared((db) =>
  db
    .select()
    .from(events)
    .where(
      and(eq(events.system_id, sql.placeholder('system')), gt(events.id, sql.placeholder('id'))),
    )
    .orderBy(events.id)
    .limit(sql.placeholder('limit'))
    .prepare(),
)
