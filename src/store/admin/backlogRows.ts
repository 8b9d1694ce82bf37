import { and, eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { events, pushQueue, webhooks } from '../../db/tables'
import type { Db } from '../../db/types'
import { isEnabled, visibleSystems } from '../../db/visible'
import type { Instant } from '../../model/core/time'

/** Counts the webhooks by their state. */
export async function countWebhooks(db: Db) {
  return await byState(db).all({})
}

/** Counts the push messages that wait to be sent. */
export async function countPushes(db: Db): Promise<number> {
  return (await queuedPushes(db).get({}))?.count ?? 0
}

/** An active webhook, and the last event that it got. */
export interface ActiveWebhook {
  readonly system_id: number
  readonly cursor: number
}

/** Finds the first active webhook of the systems after one. */
export async function findActiveWebhook(db: Db, after: number): Promise<ActiveWebhook | null> {
  return await nextActive(db).get({ system: after })
}

/** Counts the events that a webhook did not get yet. */
export async function countWaiting(
  db: Db,
  { system_id, cursor }: ActiveWebhook,
): Promise<{ count: number; oldest: Instant | null }> {
  return (await waitingFor(db).get({ system_id, cursor })) ?? { count: 0, oldest: null }
}

const { system_id, state, cursor } = webhooks

const byState = query((db, _, { count }) =>
  db
    .select({ state, count: count().as('count') })
    .from(webhooks)
    .groupBy(state),
)

const queuedPushes = query((db, _, { count }) =>
  db.select({ count: count().as('count') }).from(pushQueue),
)

const nextActive = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ system_id, cursor })
    .from(webhooks)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(and(eq(state, 'active'), gt(system_id, system), isEnabled('systems')))
    .orderBy(system_id)
    .limit(1),
)

const waitingFor = query((db, values: Placeholders<'system_id' | 'cursor'>, { count }) => {
  const isWaiting = and(eq(events.system_id, values.system_id), gt(events.id, values.cursor))
  const oldest = db.select({ at: events.at }).from(events).where(isWaiting).orderBy(events.id)
  return db
    .select({
      count: count().as('count'),
      oldest: sql<Instant | null>`${oldest.limit(1)}`.as('oldest'),
    })
    .from(events)
    .where(isWaiting)
})
