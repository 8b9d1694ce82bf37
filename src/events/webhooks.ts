import { randomBytes } from 'node:crypto'
import { and, desc, eq, getTableColumns, lte } from 'drizzle-orm'
import { incrementCounter, readCounter } from '../db/changeCounters'
import { type Placeholders, query } from '../db/query'
import { createInserter, createUpserter } from '../db/rows'
import { deliveries, systems, webhooks } from '../db/tables'
import type { Db } from '../db/types'
import { visibleSystems } from '../db/visible'
import { error } from '../model/core/errors'
import { requireSystem, type Viewer } from '../model/core/privacy'
import { formatInstant, type Instant } from '../model/core/time'
import { Problem } from '../model/core/validation'
import { markSerialized } from '../serializers/body'
import type { EventDeps } from './deps'
import { latestEventId } from './outbox'

export type Webhook = typeof webhooks.$inferSelect
export type Delivery = Omit<typeof deliveries.$inferInsert, 'id'>

/** Number of delivery attempts that are kept per webhook. */
export const KEPT_DELIVERIES = 50

export async function findWebhook(db: Db, systemId: number): Promise<Webhook | null> {
  return await bySystem(db).get({ system: systemId })
}

export async function getWebhook(db: Db, systemId: number): Promise<Webhook> {
  const hook = await findWebhook(db, systemId)
  if (!hook) throw error('notFound', 'no webhook is registered')
  return hook
}

/** Returns the systems with an active webhook. */
export async function activeWebhooks(db: Db): Promise<number[]> {
  return (await active(db).all({})).map(({ system_id }) => system_id)
}

/** Returns a counter that changes when any process activates a webhook. */
export async function countWebhookChanges(db: Db): Promise<number> {
  return readCounter(db, 'webhooks')
}

export async function findSystemUuid(db: Db, systemId: number): Promise<string | null> {
  const row = await uuidOf(db).get({ system: systemId })
  return row?.uuid ?? null
}

/** Address of a webhook, its signing token, and the events that it receives. */
export type Registration = Pick<Webhook, 'url' | 'token' | 'events'>

/** Registers an address, which stays pending until its receiver is verified. */
export async function registerWebhook(
  deps: EventDeps,
  viewer: Viewer,
  { url, token, events }: Registration,
): Promise<void> {
  const systemId = requireSystem(viewer, 'manage')
  await deps.transact({ system: systemId }, async (tx) => {
    // The system may have been deleted while this transaction waited.
    if (!(await findSystemUuid(tx, systemId))) throw error('systemNotFound')
    const cursor = await latestEventId(tx)
    const values = { system_id: systemId, url, token, events }
    await storeWebhook(tx, { ...values, state: 'pending', cursor, ...fresh })
    await setSystemUrl(tx).run({ system: systemId, url: null })
  })
}

/** Activates a verified webhook; a new one receives only later events. */
export async function activateWebhook(deps: EventDeps, verified: Webhook): Promise<void> {
  const { system_id, url } = verified
  await deps.transact({ system: system_id }, async (tx) => {
    const current = await findWebhook(tx, system_id)
    // Another address may have been registered meanwhile, which is not verified.
    if (!current || !isSame(current, verified))
      throw error('conflict', 'the webhook was changed meanwhile')
    // A webhook that was verified before resumes at its cursor, so that no event is lost.
    const cursor = current.state === 'pending' ? await latestEventId(tx) : current.cursor
    const row = { ...current, state: 'active', cursor, checked: deps.now(), ...healthy }
    await storeWebhook(tx, row)
    await incrementCounter(tx, 'webhooks')
    await setSystemUrl(tx).run({ system: system_id, url })
  })
}

/** Resumes a disabled webhook, beginning with the events in the outbox. */
export async function enableWebhook(deps: EventDeps, systemId: number): Promise<void> {
  await deps.transact({ system: systemId }, async (tx) => {
    const current = await getWebhook(tx, systemId)
    if (current.state === 'pending') throw error('conflict', 'the webhook is not verified yet')
    await storeWebhook(tx, { ...current, state: 'active', ...healthy })
    await incrementCounter(tx, 'webhooks')
  })
}

export async function removeWebhook(deps: EventDeps, viewer: Viewer): Promise<void> {
  const systemId = requireSystem(viewer, 'manage')
  await deps.transact({ system: systemId }, async (tx) => {
    await deleteWebhook(tx).run({ system: systemId })
    await deleteDeliveries(tx).run({ system: systemId })
    await setSystemUrl(tx).run({ system: systemId, url: null })
  })
}

/** Stores the attempt for the owner, and the changes of the webhook. */
export async function recordDelivery(
  deps: EventDeps,
  webhook: Webhook,
  delivery: Delivery,
  changed: Partial<Webhook> = {},
): Promise<void> {
  await deps.transact({ system: webhook.system_id }, async (tx) => {
    const current = await findWebhook(tx, webhook.system_id)
    if (!current || !isSame(current, webhook)) return
    await updateUnlessMoved(tx, current, webhook, changed)
    await insertDelivery(tx, delivery)
    await deleteOldDeliveries(tx).run({ system: webhook.system_id })
  })
}

/** Stores changes of a webhook, unless it was deleted or replaced meanwhile. */
export async function changeWebhook(
  deps: EventDeps,
  webhook: Webhook,
  changed: Partial<Webhook>,
): Promise<void> {
  await deps.transact({ system: webhook.system_id }, async (tx) => {
    const current = await findWebhook(tx, webhook.system_id)
    if (current && isSame(current, webhook)) await updateUnlessMoved(tx, current, webhook, changed)
  })
}

/** Moves the cursor past events that the webhook does not receive. */
export async function advanceWebhook(
  deps: EventDeps,
  webhook: Webhook,
  cursor: number,
): Promise<void> {
  await deps.transact({ system: webhook.system_id }, async (tx) => {
    const current = await findWebhook(tx, webhook.system_id)
    if (current && isSame(current, webhook) && current.cursor === webhook.cursor)
      await storeWebhook(tx, { ...current, cursor })
  })
}

/** Returns the webhook for its owner, without the token. */
export async function describeWebhook({ db }: EventDeps, viewer: Viewer) {
  const systemId = requireSystem(viewer, 'manage')
  const webhook = await findWebhook(db, systemId)
  const rows = await recent(db).all({ system: systemId })
  return markSerialized({
    url: webhook?.url ?? null,
    state: webhook?.state ?? ('none' as const),
    reason: webhook?.reason ?? null,
    failing_since: timeOrNull(webhook?.failing_since),
    dropped: webhook?.dropped ?? 0,
    ...(webhook?.events === 'all' && { events: webhook.events }),
    deliveries: rows.map(({ event_id, type, at, status, error, attempt }) => ({
      event_id,
      type,
      at: formatInstant(at),
      status,
      error,
      attempt,
    })),
  })
}

/** Returns the given signing token, or a new one. */
export function chooseToken(token: unknown): string | Problem {
  if (token === undefined || token === null) return randomBytes(48).toString('base64')
  const isValid = typeof token === 'string' && /^[\x21-\x7e]{16,128}$/.test(token)
  return isValid ? token : new Problem('not_signing_token')
}

const healthy = { reason: null, failing_since: null, attempts: 0, next_attempt: null }
const fresh = { ...healthy, dropped: 0 }

function isSame(current: Webhook, earlier: Webhook): boolean {
  return current.url === earlier.url && current.token === earlier.token
}

/** Updates a webhook, unless its state or cursor changed since it was read. */
async function updateUnlessMoved(
  tx: Db,
  current: Webhook,
  earlier: Webhook,
  changed: Partial<Webhook>,
): Promise<void> {
  const isUnmoved = current.state === earlier.state && current.cursor === earlier.cursor
  if (!isUnmoved || Object.keys(changed).length === 0) return
  // The delivered event reported the earlier drop count to the receiver.
  const isDelivered = changed.cursor !== undefined
  const dropped = isDelivered ? current.dropped - earlier.dropped : current.dropped
  await storeWebhook(tx, { ...current, ...changed, dropped })
}

function timeOrNull(instant: Instant | null | undefined): string | null {
  return typeof instant === 'number' ? formatInstant(instant) : null
}

const columns = Object.keys(getTableColumns(webhooks)) as (keyof Webhook)[]

const storeWebhook = createUpserter(
  webhooks,
  ['system_id'],
  columns.filter((name) => name !== 'system_id'),
)

const insertDelivery = createInserter(deliveries, [
  'system_id',
  'event_id',
  'type',
  'at',
  'status',
  'error',
  'attempt',
])

const bySystem = query((db, { system }: Placeholders<'system'>) =>
  db.select().from(webhooks).where(eq(webhooks.system_id, system)),
)

const active = query((db) =>
  db.select({ system_id: webhooks.system_id }).from(webhooks).where(eq(webhooks.state, 'active')),
)

const deleteWebhook = query((db, { system }: Placeholders<'system'>) =>
  db.delete(webhooks).where(eq(webhooks.system_id, system)),
)

const uuidOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ uuid: visibleSystems.uuid })
    .from(visibleSystems)
    .where(eq(visibleSystems.id, system)),
)

const setSystemUrl = query((db, { system, url }: Placeholders<'system' | 'url'>) =>
  db.update(systems).set({ webhook_url: url }).where(eq(systems.id, system)),
)

const { id, system_id } = deliveries

const recent = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(deliveries)
    .where(eq(system_id, system))
    .orderBy(desc(id))
    .limit(KEPT_DELIVERIES),
)

const deleteDeliveries = query((db, { system }: Placeholders<'system'>) =>
  db.delete(deliveries).where(eq(system_id, system)),
)

const deleteOldDeliveries = query((db, { system }: Placeholders<'system'>) => {
  const newest = db.select({ id }).from(deliveries).where(eq(system_id, system)).orderBy(desc(id))
  const newestExcess = newest.limit(1).offset(KEPT_DELIVERIES)
  return db.delete(deliveries).where(and(eq(system_id, system), lte(id, newestExcess)))
})
