import { createYielder } from '../../db/yieldToEventLoop'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import {
  countPushes,
  countWaiting,
  countWebhooks,
  findActiveWebhook,
} from '../../store/admin/backlogRows'
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
  for (const { state, count } of await countWebhooks(db)) webhooks[state] = count
  const pushes = await countPushes(db)
  const backlog: Backlog = { waiting: 0, oldest: null, webhooks, pushes }
  let system = 0
  for (;;) {
    const hook = await findActiveWebhook(db, system)
    if (!hook) return backlog
    system = hook.system_id
    const { count, oldest } = await countWaiting(db, hook)
    backlog.waiting += count
    if (oldest !== null) backlog.oldest = Math.min(oldest, backlog.oldest ?? oldest)
    await yieldIfDue()
  }
}
