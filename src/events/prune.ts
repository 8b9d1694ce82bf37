import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../db/query'
import { events, prunedEvents, webhooks } from '../db/tables'
import type { Db } from '../db/types'
import { visibleSystems } from '../db/visible'
import { yieldToEventLoop } from '../db/yieldToEventLoop'
import { DAY } from '../model/core/time'
import { recordActivity } from '../store/core/activity'
import type { EventDeps } from './deps'
import type { StoredEvent } from './outbox'
import { findWebhook, type Webhook } from './webhooks'

/** Retention of events: time, and number per system. */
const KEPT_FOR = 7 * DAY
export const KEPT_PER_SYSTEM = 10_000
/** Maximum number per system while its webhook has not received them. */
export const KEPT_WAITING = 100_000

/** Deletions per transaction, so that other transactions do not wait long. */
const BATCH = 500

/** Deletes events that are too old or too many, and counts those that a webhook did not receive. */
export async function pruneEvents(deps: EventDeps, isStopped = () => false): Promise<void> {
  let system = 0
  while (!isStopped()) {
    const next = await nextSystem(deps.db).get({ system })
    if (!next) return
    system = next.system_id
    await pruneOld(deps, system, isStopped)
    await pruneExcess(deps, system, isStopped)
    await yieldToEventLoop()
  }
}

/** Deletes old events, oldest first, so that most recent ones are not read. */
async function pruneOld(deps: EventDeps, system: number, isStopped: () => boolean): Promise<void> {
  const oldest = deps.now() - KEPT_FOR
  let last = 0
  while (!isStopped()) {
    const rows = await nextOfSystem(deps.db).all({ system, id: last, limit: BATCH })
    const old = rows.filter(({ at }) => at < oldest)
    if (old.length === 0) return
    last = rows.at(-1)?.id ?? last
    await deleteEvents(deps, system, old)
  }
}

async function pruneExcess(
  deps: EventDeps,
  system: number,
  isStopped: () => boolean,
): Promise<void> {
  const upTo = await findExcess(deps.db, system)
  while (!isStopped()) {
    const rows = await nextOfSystem(deps.db).all({ system, id: 0, limit: BATCH })
    const excess = rows.filter(({ id }) => id <= upTo)
    if (excess.length === 0) return
    await deleteEvents(deps, system, excess)
  }
}

/** Returns the ID up to which the system's events exceed the limit; 0 if they do not. */
async function findExcess(db: Db, system: number): Promise<number> {
  const overLimit = await newestBut(db).get({ system, many: KEPT_PER_SYSTEM })
  if (!overLimit) return 0
  const hook = await findWebhook(db, system)
  if (!hasPendingEvents(hook)) return overLimit.id
  const overPendingLimit = await newestBut(db).get({ system, many: KEPT_WAITING })
  return Math.max(Math.min(overLimit.id, hook.cursor), overPendingLimit?.id ?? 0)
}

async function deleteEvents({ transact }: EventDeps, system: number, rows: PastEvent[]) {
  await transact({ system }, async (tx) => {
    const hook = await findWebhook(tx, system)
    const lost = hasPendingEvents(hook) ? rows.filter(({ id }) => id > hook.cursor).length : 0
    for (const { id } of rows) await remove(tx).run({ id })
    if (lost > 0) await countDropped(tx).run({ system, many: lost })
    await recordPruned(tx).run({ system, id: rows.at(-1)?.id ?? 0 })
    await recordActivity(tx, system, rows.at(-1)?.at ?? 0)
  })
}

type PastEvent = Pick<StoredEvent, 'id' | 'at'>

/** An unverified webhook receives only events after its verification, so it has none pending. */
function hasPendingEvents(hook: Webhook | null): hook is Webhook {
  return hook !== null && hook.state !== 'pending'
}

const { id, system_id, at } = events

const nextSystem = query((db, { system }: Placeholders<'system'>) =>
  db.select({ system_id }).from(events).where(gt(system_id, system)).orderBy(system_id).limit(1),
)

const newestBut = query((db, { system, many }: Placeholders<'system' | 'many'>) =>
  db
    .select({ id })
    .from(events)
    .where(eq(system_id, system))
    .orderBy(desc(id))
    .limit(1)
    .offset(many),
)

const nextOfSystem = query((db, values: Placeholders<'system' | 'id' | 'limit'>) =>
  db
    .select({ id, at })
    .from(events)
    .where(and(eq(system_id, values.system), gt(id, values.id)))
    .orderBy(id)
    .limit(values.limit),
)

const remove = query((db, values: Placeholders<'id'>) => db.delete(events).where(eq(id, values.id)))

const countDropped = query((db, { system, many }: Placeholders<'system' | 'many'>) =>
  db
    .update(webhooks)
    .set({ dropped: sql`${webhooks.dropped} + ${many}` })
    .where(eq(webhooks.system_id, system)),
)

/** Does nothing if the system was deleted meanwhile. */
const recordPruned = query((db, { system, id }: Placeholders<'system' | 'id'>, { number, max }) => {
  const last = number(id)
  const { system_id, last_event_id } = prunedEvents
  return db
    .insert(prunedEvents)
    .select(
      db
        .select({ system_id: visibleSystems.id, last_event_id: last.as('last_event_id') })
        .from(visibleSystems)
        .where(eq(visibleSystems.id, system)),
    )
    .onConflictDoUpdate({
      target: system_id,
      set: { last_event_id: max(last_event_id, last) },
    })
})
