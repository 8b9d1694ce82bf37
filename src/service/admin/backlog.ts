import { and, eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { events, pushQueue, webhooks } from '../../db/tables'
import { isEnabled, visibleSystems } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import type { Deps } from '../core/deps'

/** Undelivered webhook events and push messages of all systems together. */
export interface Backlog {
  /** Events not yet delivered to active webhooks. */
  waiting: number
  oldest: Instant | null
  webhooks: Record<'active' | 'pending' | 'disabled', number>
  /** Push messages that wait to be sent. */
  pushes: number
}

/** Counts system by system, yielding in between. Each system has a bounded number of events. */
export async function measureBacklog({ db }: Deps, viewer: Viewer): Promise<Backlog> {
  requireOperator(viewer)
  const yieldIfDue = createYielder()
  const webhooks = { active: 0, pending: 0, disabled: 0 }
  for (const { state, count } of await byState(db).all({})) webhooks[state] = count
  const pushes = (await countPushes(db).get({}))?.count ?? 0
  const backlog: Backlog = { waiting: 0, oldest: null, webhooks, pushes }
  let system = 0
  for (;;) {
    const hook = await nextActive(db).get({ system })
    if (!hook) return backlog
    system = hook.system_id
    const { count, oldest } = (await waitingFor(db).get({ ...hook })) ?? { count: 0, oldest: null }
    backlog.waiting += count
    if (oldest !== null) backlog.oldest = Math.min(oldest, backlog.oldest ?? oldest)
    await yieldIfDue()
  }
}

const { system_id, state, cursor } = webhooks

const byState = query((db, _, { count }) =>
  db
    .select({ state, count: count().as('count') })
    .from(webhooks)
    .groupBy(state),
)

const countPushes = query((db, _, { count }) =>
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
