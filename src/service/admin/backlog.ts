import { statement } from '../../db/statement'
import { isEnabled } from '../../db/visibility'
import { createYielder } from '../../db/yieldToEventLoop'
import { requireOperator, type Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'

/** Undelivered webhook events of all systems together. */
export interface Backlog {
  /** Events not yet delivered to active webhooks. */
  waiting: number
  oldest: Instant | null
  webhooks: Record<'active' | 'pending' | 'disabled', number>
}

/** Counts system by system, yielding in between. Each system has a bounded number of events. */
export async function measureBacklog({ db }: Deps, viewer: Viewer): Promise<Backlog> {
  requireOperator(viewer)
  const yieldIfDue = createYielder()
  const webhooks = { active: 0, pending: 0, disabled: 0 }
  for (const { state, count } of await byState(db).all({})) webhooks[state] = count
  const backlog: Backlog = { waiting: 0, oldest: null, webhooks }
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

const byState = statement<never, { state: keyof Backlog['webhooks']; count: number }>(
  ({ count }) => `select state, ${count()} as count from webhooks group by state`,
)

const nextActive = statement<'system', { system_id: number; cursor: number }>(
  `select system_id, cursor from webhooks
   where state = 'active' and system_id > :system and exists (
     select 1 from systems where systems.id = webhooks.system_id and ${isEnabled('systems')}
   ) order by system_id limit 1`,
)

const waitingFor = statement<'system_id' | 'cursor', { count: number; oldest: Instant | null }>(
  (dialect) => `select ${dialect.count()} as count, (
     select at from events where system_id = :system_id and id > :cursor order by id limit 1
   ) as oldest from events where system_id = :system_id and id > :cursor`,
)
