import { createHmac } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { events, webhooks } from '../../src/db/tables'
import type { EventOptions } from '../../src/events/events'
import { HOUR, SECOND } from '../../src/model/core/time'
import { freePort } from '../postgres/engine'
import { drizzleOn } from '../tools/drizzle'
import { deleteSystem } from '../tools/operatorActions'
import { beforeEach, describe, expect, test } from '../tools/test'
import { createTestApp, type TestApp, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { hook, type Receiver, receivers, TOKEN } from './receiver'

const DISPATCH_ALLOW = '127.0.0.1'

const TIMEOUT_MS = 10_000
/** No other timer of the app has these times. */
const PAUSES = [7, 31, 123]

let at: ReturnType<typeof createRetryingApp>
const defaultApp = createTestApp({ DISPATCH_ALLOW })
const checkingApp = createTestApp({ DISPATCH_ALLOW, events: { checkEvery: 0 } })
const stoppedApp = createTestApp({ DISPATCH_ALLOW })
const receive = receivers()

// After the advances of other tests, another timer could be as far away as a pause.
beforeEach(() => {
  at = createRetryingApp()
})

describe('webhook delivery', () => {
  test('sends an event with its ID, its time and a signature over both and the body', async () => {
    const { as, receiver } = await hooked()
    await rename(as, 'Lantern Vale')
    await until(() => receiver.events.length === 1)
    const [{ headers, text, body } = fail()] = receiver.events
    const [stored = fail()] = await outboxOf(as)
    expect(text).toBe(
      JSON.stringify({
        type: 'UPDATE_SYSTEM',
        signing_token: TOKEN,
        system_id: as.uuid,
        id: null,
        data: { name: 'Lantern Vale' },
      }),
    )
    expect(body.system_id).toBe(as.uuid)
    const timestamp = Math.floor(stored.at / 1_000_000)
    const hmac = createHmac('sha256', TOKEN).update(`${stored.id}.${timestamp}.${text}`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Multitude\/\d/),
      'x-event-id': String(stored.id),
      'x-event-timestamp': String(timestamp),
      'x-event-signature': `sha256=${hmac.digest('hex')}`,
    })
  })

  test('sends events one after the other, in order', async () => {
    let busy = 0
    const { as, receiver } = await hooked(async () => {
      expect(busy++).toBe(0)
      await new Promise((resolve) => setImmediate(resolve))
      busy--
      return 200
    })
    const all = Array.from({ length: 60 }, (_, n) => `name ${n}`)
    await Promise.all(all.map((name) => rename(as, name)))
    const outbox = await outboxOf(as)
    const ids = outbox.map(({ id }) => id)
    await until(async () => (await stateOf(as)).deliveries[0]?.event_id === ids.at(-1))
    const happened = outbox.map(({ data }) => data?.name)
    expect(named(receiver)).toEqual(happened)
    expect(happened.toSorted()).toEqual(all.toSorted())
    const { deliveries } = await stateOf(as)
    expect(deliveries.map(({ event_id }) => event_id)).toEqual(ids.toReversed().slice(0, 50))
    expect(deliveries[0]).toEqual({
      event_id: ids.at(-1) ?? 0,
      type: 'UPDATE_SYSTEM',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      status: 200,
      error: null,
      attempt: 1,
    })
  })

  test.each([200, 201, 204])(
    'counts an event as delivered when the receiver answers %d',
    async (status) => {
      const { as, receiver } = await hooked(() => status)
      await rename(as, 'one')
      await rename(as, 'two')
      await until(() => receiver.events.length === 2)
      expect(named(receiver)).toEqual(['one', 'two'])
    },
  )
})

describe('webhook receivers', () => {
  const failing: [what: string, fail: Receiver['event'], logged: object][] = [
    ['answers 500', () => 500, { status: 500, error: null }],
    ['answers 403', () => 403, { status: 403, error: null }],
    ['redirects', () => Response.redirect('/other'), { status: 302, error: null }],
    ['hangs', () => new Promise(() => {}), { status: null, error: 'timeout' }],
  ]
  test.each(failing)(
    'retries after growing pauses when the receiver %s',
    async (what, fail, logged) => {
      const { promise: isSeen, resolve: see } = Promise.withResolvers<void>()
      const { as, receiver } = await hooked((one) =>
        receiver.events.length < 4 ? fail(one) : isSeen.then(() => 200),
      )
      await rename(as, 'one')
      await rename(as, 'two')
      for (const [index, pause] of PAUSES.entries()) {
        await until(() => receiver.events.length === index + 1)
        if (what === 'hangs') await at.clock.advance(TIMEOUT_MS)
        await at.clock.untilTimer(pause * 1000)
        expect(await stateOf(as)).toMatchObject({ state: 'active', reason: null })
        expect((await stateOf(as)).failing_since).not.toBeNull()
        await at.clock.advance(pause * 1000 - 1)
        expect(receiver.events).toHaveLength(index + 1)
        await at.clock.advance(1)
      }
      see()
      await until(async () => (await stateOf(as)).deliveries.length === 5)
      expect(named(receiver)).toEqual(['one', 'one', 'one', 'one', 'two'])
      expect(receiver.received.every(({ path }) => path === '/pk')).toBe(true)
      const { deliveries, failing_since } = await stateOf(as)
      expect(failing_since).toBeNull()
      expect(deliveries.toReversed()).toMatchObject([
        ...[1, 2, 3].map((attempt) => ({ ...logged, attempt })),
        { status: 200, attempt: 4 },
        { status: 200, attempt: 1 },
      ])
    },
  )

  test('delivers missed events when the receiver is available again', async () => {
    const as = await at.makeSystem()
    const receiver = receive({}, await freePort())
    await hook(at, as, receiver.url)
    await receiver.stop()
    await rename(as, 'one')
    await rename(as, 'two')
    await at.clock.untilTimer(7_000)
    await at.clock.advance(7_000)
    await until(async () => (await stateOf(as)).deliveries.length === 2)
    expect((await stateOf(as)).deliveries[0]).toMatchObject({ error: 'ECONNREFUSED' })
    const back = receive({}, receiver.port)
    await at.clock.untilTimer(31_000)
    await at.clock.advance(31_000)
    await until(() => back.events.length === 2)
    expect(named(back)).toEqual(['one', 'two'])
  })

  test.each([401, 410])(
    'stops delivery after an answer of %d until the webhook is enabled',
    async (status) => {
      const { as, receiver } = await hooked(() => status)
      await rename(as, 'one')
      await rename(as, 'two')
      await until(async () => (await stateOf(as)).state === 'disabled')
      await at.clock.advance(200_000)
      expect(named(receiver)).toEqual(['one'])
      expect(await stateOf(as)).toMatchObject({ reason: `The receiver answered ${status}.` })
      receiver.event = () => 200
      const { json } = await at.ask('POST /v2/systems/@me/webhook/enable', { as })
      expect(json).toMatchObject({ state: 'active', reason: null, failing_since: null })
      await until(() => receiver.events.length === 3)
      await rename(as, 'three')
      await until(() => receiver.events.length === 4)
      expect(named(receiver)).toEqual(['one', 'one', 'two', 'three'])
    },
  )

  test('disables a webhook that fails for too long, and shows the reason to its owner', async () => {
    const givingUp = createRetryingApp({
      pauses: [7 * SECOND, HOUR],
      giveUpAfter: 300 * SECOND,
    })
    const { as, receiver } = await hooked(() => 503, givingUp)
    await rename(as, 'one', givingUp)
    await givingUp.clock.untilTimer(7_000)
    await givingUp.clock.advance(7_000)
    // The last attempt is made when the time is up, and not after the long pause.
    await givingUp.clock.untilTimer(293_000)
    expect(receiver.events).toHaveLength(2)
    expect(await stateOf(as, givingUp)).toMatchObject({ state: 'active' })
    await givingUp.clock.advance(293_000)
    await until(async () => (await stateOf(as, givingUp)).state === 'disabled')
    expect(receiver.events).toHaveLength(3)
    const { reason, failing_since, url } = await stateOf(as, givingUp)
    expect(reason).toBe('Deliveries failed for too long; last error: status 503')
    expect(failing_since).toMatch(/^\d{4}-.*Z$/)
    expect(url).toBe(receiver.url)
  })

  test('does not delay other webhooks when a receiver is slow', async () => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    const slow = await hooked(() => isReleased.then(() => 200), defaultApp)
    const quick = await hooked(() => 200, defaultApp)
    for (const name of ['one', 'two', 'three']) {
      await rename(slow.as, name, defaultApp)
      await rename(quick.as, name, defaultApp)
    }
    await until(() => quick.receiver.events.length === 3)
    expect(slow.receiver.events.length).toBeLessThanOrEqual(1)
    release()
    await until(() => slow.receiver.events.length === 3)
    expect(named(slow.receiver)).toEqual(['one', 'two', 'three'])
  })
})

describe('token checks', () => {
  test('disables a webhook whose receiver accepts a wrong token at a later check', async () => {
    const { as, receiver } = await hooked(() => 200, checkingApp)
    await rename(as, 'one', checkingApp)
    await until(() => receiver.events.length === 1)
    receiver.wrong = () => 200
    await rename(as, 'two', checkingApp)
    await until(async () => (await stateOf(as, checkingApp)).state === 'disabled')
    expect(await stateOf(as, checkingApp)).toMatchObject({
      reason: 'The receiver accepted a wrong signing token.',
    })
    expect(named(receiver)).toEqual(['one'])
    receiver.wrong = () => 401
    await checkingApp.ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(() => receiver.events.length === 2)
    const kinds = receiver.received
      .slice(2)
      .map(({ body: { type, signing_token } }) =>
        type === 'PING' ? signing_token !== TOKEN && 'wrong' : 'event',
      )
    expect(kinds).toEqual(['wrong', 'event', 'wrong', 'wrong', 'event'])
  })
})

describe('changes during a delivery', () => {
  test.each([200, 401, 500])(
    'a late answer of %d does not change a webhook that was registered again meanwhile',
    async (status) => {
      const { as, receiver, answer } = await stuck()
      const body = { url: receiver.url, token: TOKEN }
      await defaultApp.ask('PUT /v2/systems/@me/webhook', { as, body })
      answer(status)
      await until(async () => (await stateOf(as, defaultApp)).deliveries.length === 1)
      expect(await stateOf(as, defaultApp)).toMatchObject({ state: 'pending', reason: null })
      const [{ cursor, attempts } = fail()] = await hookOf(as)
      expect({ cursor, attempts }).toEqual({ cursor: await latest(), attempts: 0 })
    },
  )

  test('handles deletion of the webhook or the system during a delivery', async () => {
    const [withoutWebhook, deleted] = [await stuck(stoppedApp), await stuck(stoppedApp)]
    await stoppedApp.ask('DELETE /v2/systems/@me/webhook', { as: withoutWebhook.as })
    await deleteSystem(stoppedApp.deps, deleted.as.id)
    withoutWebhook.answer(500)
    deleted.answer(500)
    // Ends when both answers were handled.
    await stoppedApp.app.events.stop()
    expect(await hookOf(withoutWebhook.as, stoppedApp)).toEqual([])
    expect(withoutWebhook.receiver.events).toHaveLength(1)
    expect(deleted.receiver.events).toHaveLength(1)
    expect(stoppedApp.logged()).not.toContain('"level":"warn"')
  })
})

/** Creates an app that retries after pauses on a clock of its own. */
function createRetryingApp(
  events: EventOptions = { pauses: PAUSES.map((seconds) => seconds * SECOND) },
) {
  const clock = createTestClock()
  const now = () => clock.now() * 1000
  return { clock, ...createTestApp({ DISPATCH_ALLOW, clock, now, events }) }
}

/** Creates a system with an active webhook. */
async function hooked(event: Receiver['event'] = () => 200, app: TestApp = at) {
  const as = await app.makeSystem()
  const receiver = receive({ event })
  await hook(app, as, receiver.url)
  return { as, receiver }
}

/** Creates a system whose first event has arrived; the test decides when and how it is answered. */
async function stuck(app = defaultApp) {
  const answered = Promise.withResolvers<number>()
  const { as, receiver } = await hooked(() => answered.promise, app)
  await rename(as, 'one', app)
  await until(() => receiver.events.length === 1)
  return { as, receiver, answer: answered.resolve }
}

async function rename(as: TestSystem, name: string, app: TestApp = at): Promise<void> {
  await app.ask('PATCH /v2/systems/@me', { as, body: { name } })
}

interface State {
  url: string
  state: string
  reason: string | null
  failing_since: string | null
  deliveries: { event_id: number; [key: string]: unknown }[]
}

async function stateOf(as: TestSystem, app: TestApp = at): Promise<State> {
  return (await app.ask<State>('GET /v2/systems/@me/webhook', { as })).json
}

async function hookOf(as: TestSystem, app = defaultApp) {
  return drizzleOn(app.deps.db).select().from(webhooks).where(eq(webhooks.system_id, as.id))
}

async function outboxOf(as: TestSystem) {
  return drizzleOn(at.deps.db)
    .select()
    .from(events)
    .where(eq(events.system_id, as.id))
    .orderBy(events.id)
}

async function latest(): Promise<number> {
  return (
    (await drizzleOn(defaultApp.deps.db).select().from(events).orderBy(events.id)).at(-1)?.id ?? 0
  )
}

function named({ events }: Receiver): unknown[] {
  return events.map(({ body }) => body.data?.name)
}

function fail(): never {
  throw new Error('not found')
}
