import { and, eq, gt, lt, sql } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import { statement } from '../db/statement'
import { events } from '../db/tables'
import { DAY, type Instant } from '../model/time'
import type { EventDeps } from './deps'

export type StoredEvent = typeof events.$inferSelect

/** How long an event can be replayed, and how many of one system at most. */
const KEPT_FOR = 7 * DAY
export const KEPT_PER_SYSTEM = 10_000

export async function latestEventId(db: Db): Promise<number> {
  const row = await newest(db).get()
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

/** Forgets what is too old, and of each system what is too much. */
export async function pruneEvents({ transact, now }: EventDeps): Promise<void> {
  const oldest: Instant = now() - KEPT_FOR
  await transact(async (tx) => {
    await tx.delete(events).where(lt(events.at, oldest))
    const crowded = await tx
      .select({ system: events.system_id })
      .from(events)
      .groupBy(events.system_id)
      .having(sql`count(*) > ${KEPT_PER_SYSTEM}`)
      .all()
    for (const { system } of crowded)
      await tx.delete(events).where(
        and(
          eq(events.system_id, system),
          sql`${events.id} <= (
            select e.id from ${events} e where e.system_id = ${system}
            order by e.id desc limit 1 offset ${KEPT_PER_SYSTEM}
          )`,
        ),
      )
  })
}

const newest = statement<{ id: number | null }>([], 'select max(id) as id from events')

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
