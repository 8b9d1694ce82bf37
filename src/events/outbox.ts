import { and, eq, gt, max, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../db/query'
import { events, prunedEvents } from '../db/tables'
import type { Db } from '../db/types'

export type StoredEvent = typeof events.$inferSelect

/** Returns the highest event ID ever assigned; that event may have been pruned since. */
export async function latestEventId(db: Db): Promise<number> {
  const row = await newest(db).get({})
  return row?.id ?? 0
}

/** Returns an ID below which all events are committed, even under concurrent writes. */
export async function settledEventId(db: Db): Promise<number> {
  return Math.max(0, (await latestEventId(db)) - db.driver.dialect.maxUncommittedIds)
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
  return await among(db).all({ ids: JSON.stringify(ids) })
}

export async function eventsOfSystemAfter(
  db: Db,
  system: number,
  id: number,
  limit: number,
): Promise<StoredEvent[]> {
  return await afterOfSystem(db).all({ system, id, limit })
}

// SQL text, because the builder cannot select without a table.
const newest = query(
  (_, __, { lastEvent }) => sql<{ id: number | null }>`select ${lastEvent} as id`,
)

const bounds = query((db, { system }: Placeholders<'system'>) => {
  const kept = db
    .select({ id: max(events.id) })
    .from(events)
    .where(eq(events.system_id, system))
  const pruned = db
    .select({ id: prunedEvents.last_event_id })
    .from(prunedEvents)
    .where(eq(prunedEvents.system_id, system))
  return sql<{ kept: number; pruned: number }>`
    select coalesce(${kept}, 0) as kept, coalesce(${pruned}, 0) as pruned`
})

const among = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.select().from(events).where(inJsonNumbers(events.id, ids)).orderBy(events.id),
)

const after = query((db, { id, limit }: Placeholders<'id' | 'limit'>) =>
  db.select().from(events).where(gt(events.id, id)).orderBy(events.id).limit(limit),
)

const afterOfSystem = query((db, { system, id, limit }: Placeholders<'system' | 'id' | 'limit'>) =>
  db
    .select()
    .from(events)
    .where(and(eq(events.system_id, system), gt(events.id, id)))
    .orderBy(events.id)
    .limit(limit),
)
