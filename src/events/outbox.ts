import { and, eq, gt, sql } from 'drizzle-orm'
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

/** The next events of all systems, in the order in which they happened. */
export async function eventsAfter(db: Db, id: number, limit: number): Promise<StoredEvent[]> {
  return await after(db).all({ id, limit })
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

const newest = statement<never, { id: number }>(
  `select seq as id from sqlite_sequence where name = 'events'`,
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
