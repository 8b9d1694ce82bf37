import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { perHandle } from '../db/query'
import { statement } from '../db/statement'
import { events } from '../db/tables'
import type { Db } from '../db/types'

export type StoredEvent = typeof events.$inferSelect

/** Returns the highest event ID ever assigned; that event may have been pruned since. */
export async function latestEventId(db: Db): Promise<number> {
  const row = await newest(db).get({})
  return row?.id ?? 0
}

/** Returns an ID below which all events are committed, even under concurrent writes. */
export async function settledEventId(db: Db): Promise<number> {
  return Math.max(0, (await latestEventId(db)) - db.driver.textDialect.maxUncommittedIds)
}

/** Returns the ID of a system's newest event, and of its newest pruned event; 0 if none. */
export async function boundsOfSystem(
  db: Db,
  system: number,
): Promise<{ newest: number; pruned: number }> {
  const { kept, pruned } = (await bounds(db).get({ system })) ?? { kept: 0, pruned: 0 }
  return { newest: Math.max(kept, pruned), pruned }
}

/** Returns the next events of all systems, ordered by ID. */
export async function eventsAfter(db: Db, id: number, limit: number): Promise<StoredEvent[]> {
  return await after(db).all({ id, limit })
}

/** Returns the events with these IDs that are visible by now. */
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

const newest = statement<never, { id: number | null }>(
  ({ lastEvent }) => `select ${lastEvent} as id`,
)

const bounds = statement<'system', { kept: number; pruned: number }>(
  `select coalesce((select max(id) from events where system_id = :system), 0) as kept,
     coalesce((select last_event_id from pruned_events where system_id = :system), 0) as pruned`,
)

const after = perHandle((db) =>
  db
    .select()
    .from(events)
    .where(gt(events.id, sql.placeholder('id')))
    .orderBy(events.id)
    .limit(sql.placeholder('limit'))
    .prepare(),
)

const afterOfSystem = perHandle((db) =>
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
