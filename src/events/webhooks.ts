import { randomBytes } from 'node:crypto'
import { desc, eq, sql } from 'drizzle-orm'
import { type Db, prepared } from '../db/open'
import { deliveries, systems, webhooks } from '../db/tables'
import { error } from '../model/errors'
import { Problem } from '../model/field'
import { formatInstant, type Instant } from '../model/time'
import type { EventDeps } from './deps'
import { latestEventId } from './outbox'

export type Webhook = typeof webhooks.$inferSelect
export type Delivery = Omit<typeof deliveries.$inferInsert, 'id'>

/** How many attempts an owner can look back on. */
export const KEPT_DELIVERIES = 50

export async function findWebhook(db: Db, systemId: number): Promise<Webhook | null> {
  return (await bySystem(db).get({ system: systemId })) ?? null
}

export async function getWebhook(db: Db, systemId: number): Promise<Webhook> {
  const found = await findWebhook(db, systemId)
  if (!found) throw error('notFound', 'no webhook is registered')
  return found
}

export async function activeWebhooks(db: Db): Promise<Webhook[]> {
  return await db.select().from(webhooks).where(eq(webhooks.state, 'active')).all()
}

/** A new address waits until its receiver has proven itself. */
export async function registerWebhook(
  deps: EventDeps,
  systemId: number,
  url: string,
  token: string,
): Promise<void> {
  await deps.transact(async (tx) => {
    const cursor = await latestEventId(tx)
    const row = { system_id: systemId, url, token, state: 'pending' as const, cursor, ...healthy }
    await tx
      .insert(webhooks)
      .values(row)
      .onConflictDoUpdate({ target: webhooks.system_id, set: row })
    await tx.update(systems).set({ webhook_url: null }).where(eq(systems.id, systemId))
  })
}

/** The receiver has proven itself: from now on it hears what happens. */
export async function activateWebhook(deps: EventDeps, { system_id, url }: Webhook): Promise<void> {
  await deps.transact(async (tx) => {
    const cursor = await latestEventId(tx)
    await update(tx, system_id, { state: 'active', cursor, checked: deps.now(), ...healthy })
    await tx.update(systems).set({ webhook_url: url }).where(eq(systems.id, system_id))
  })
}

/** Goes on after it was disabled; what waited in the outbox follows. */
export async function enableWebhook(deps: EventDeps, systemId: number): Promise<void> {
  await deps.transact(async (tx) => {
    const { state } = await getWebhook(tx, systemId)
    if (state === 'pending') throw error('conflict', 'the webhook is not verified yet')
    await update(tx, systemId, { state: 'active', ...healthy })
  })
}

export async function removeWebhook(deps: EventDeps, systemId: number): Promise<void> {
  await deps.transact(async (tx) => {
    await tx.delete(webhooks).where(eq(webhooks.system_id, systemId))
    await tx.delete(deliveries).where(eq(deliveries.system_id, systemId))
    await tx.update(systems).set({ webhook_url: null }).where(eq(systems.id, systemId))
  })
}

/** Keeps what an attempt changed about the webhook, and the attempt itself for its owner. */
export async function noteDelivery(
  deps: EventDeps,
  hook: Webhook,
  delivery: Delivery,
  changed: Partial<Webhook>,
): Promise<void> {
  await deps.transact(async (tx) => {
    // Meanwhile it may be gone, or be another one.
    const now = await findWebhook(tx, hook.system_id)
    if (now?.url !== hook.url || now.token !== hook.token) return
    if (Object.keys(changed).length > 0) await update(tx, hook.system_id, changed)
    await tx.insert(deliveries).values(delivery)
    await tx.run(sql`
      delete from ${deliveries} where system_id = ${hook.system_id} and id <= (
        select d.id from ${deliveries} d where d.system_id = ${hook.system_id}
        order by d.id desc limit 1 offset ${KEPT_DELIVERIES}
      )`)
  })
}

export async function changeWebhook(
  deps: EventDeps,
  systemId: number,
  changed: Partial<Webhook>,
): Promise<void> {
  await deps.transact((tx) => update(tx, systemId, changed))
}

/** The webhook as its owner sees it. The token is not shown again. */
export async function describeWebhook(db: Db, systemId: number) {
  const hook = await findWebhook(db, systemId)
  const rows = await recent(db).all({ system: systemId })
  return {
    url: hook?.url ?? null,
    state: hook?.state ?? ('none' as const),
    reason: hook?.reason ?? null,
    failing_since: timeOrNull(hook?.failing_since),
    deliveries: rows.map(({ event_id, type, at, status, error, attempt }) => ({
      event_id,
      type,
      at: formatInstant(at),
      status,
      error,
      attempt,
    })),
  }
}

/** The given signing token, or a new one. */
export function chooseToken(given: unknown): string | Problem {
  if (given === undefined || given === null) return randomBytes(48).toString('base64')
  const isFine = typeof given === 'string' && /^[\x21-\x7e]{16,128}$/.test(given)
  return isFine ? given : new Problem('Must be 16 to 128 characters of plain ASCII without spaces.')
}

const healthy = { reason: null, failing_since: null, attempts: 0, next_attempt: null }

async function update(tx: Db, systemId: number, changed: Partial<Webhook>): Promise<void> {
  await tx.update(webhooks).set(changed).where(eq(webhooks.system_id, systemId))
}

function timeOrNull(instant: Instant | null | undefined): string | null {
  return typeof instant === 'number' ? formatInstant(instant) : null
}

const bySystem = prepared((db) =>
  db
    .select()
    .from(webhooks)
    .where(eq(webhooks.system_id, sql.placeholder('system')))
    .prepare(),
)

const recent = prepared((db) =>
  db
    .select()
    .from(deliveries)
    .where(eq(deliveries.system_id, sql.placeholder('system')))
    .orderBy(desc(deliveries.id))
    .limit(KEPT_DELIVERIES)
    .prepare(),
)
