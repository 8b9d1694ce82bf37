import { join } from 'node:path'
import { type App, createApp } from '../../src/app/app'
import type { EventOptions } from '../../src/events/events'
import { parseConfig } from '../../src/runtime/config/config'
import { createLog } from '../../src/runtime/log'
import { freePort } from '../postgres/engine'
import { createSystem } from '../tools/operatorActions'
import { emptyFolder } from '../tools/serverProcess'
import { afterAll, describe, expect, test } from '../tools/test'
import { newDatabaseAddress, type TestSystem } from '../tools/testApp'
import { createTestClock } from '../tools/testClock'
import { until } from '../tools/until'
import { hook, type Receiver, receivers, TOKEN } from './receiver'

/** Time for running deliveries to finish when the server stops. */
const GRACE_MS = 2_000

const clock = createTestClock()
const receive = receivers()
const folder = emptyFolder()
const addresses = new Map<string, string>()

describe('delivery after a restart', () => {
  test('delivers pending events in order after a restart, though the receiver was down', async () => {
    const server = open('gone', { pauses: [60_000_000] })
    const as = await server.makeSystem()
    const receiver = receive({}, await freePort())
    await hook(server, as, receiver.url)
    await receiver.stop()
    for (const name of ['one', 'two', 'three']) await server.rename(as, name)
    await until(async () => (await server.stateOf(as)).deliveries.length === 1)
    await server.stop()

    const back = receive({}, receiver.port)
    const again = open('gone', { pauses: [60_000_000] })
    // The pause continues after the restart, so the owner enables the webhook.
    expect(await again.stateOf(as)).toMatchObject({ state: 'active' })
    const after = await again.makeSystem()
    const other = receive()
    await hook(again, after, other.url)
    await again.rename(after, 'later')
    await until(() => other.events.length === 1)
    expect(back.events).toEqual([])
    await again.ask('POST /v2/systems/@me/webhook/enable', { as })
    await until(() => back.events.length === 3)
    expect(named(back)).toEqual(['one', 'two', 'three'])
  })

  test('retries a failed event after a restart when the pause is over', async () => {
    const server = open('pause')
    const as = await server.makeSystem()
    const receiver = receive({ event: () => 500 })
    await hook(server, as, receiver.url)
    await server.rename(as, 'one')
    await until(async () => (await server.stateOf(as)).deliveries.length === 1)
    await server.stop()
    receiver.event = () => 200
    open('pause')
    // The rest of the pause of five seconds, of which no time has passed.
    await clock.untilTimer(5_000)
    await clock.advance(4_999)
    expect(receiver.events).toHaveLength(1)
    await clock.advance(1)
    await until(() => receiver.events.length === 2)
    const [first, second] = receiver.events
    expect(second?.headers.get('x-event-id')).toBe(first?.headers.get('x-event-id') ?? '')
  })

  test('delivers an event at once after a restart if another process wrote it meanwhile', async () => {
    const server = open('meanwhile')
    const as = await server.makeSystem()
    const receiver = receive()
    await hook(server, as, receiver.url)
    // As after a kill: the event is written, but no process delivers it.
    await server.app.events.stop()
    await server.rename(as, 'one')
    await server.stop()
    expect(receiver.events).toEqual([])
    open('meanwhile')
    await until(() => receiver.events.length === 1)
    expect(named(receiver)).toEqual(['one'])
  })
})

describe('a stop during a delivery', () => {
  test('waits for a response that arrives soon', async () => {
    const server = open('soon')
    const as = await server.makeSystem()
    const answered = Promise.withResolvers<number>()
    const receiver = receive({ event: () => answered.promise })
    await hook(server, as, receiver.url)
    await server.rename(as, 'one')
    await until(() => receiver.events.length === 1)
    const stopped = server.stop()
    expect(Bun.peek.status(stopped)).toBe('pending')
    answered.resolve(200)
    await stopped
    receiver.event = () => 200
    const again = open('soon')
    await again.rename(as, 'two')
    await until(() => receiver.events.length === 2)
    expect(named(receiver)).toEqual(['one', 'two'])
  })

  test('does not wait for a receiver that hangs, and sends the event again later', async () => {
    const server = open('hangs')
    const as = await server.makeSystem()
    const hung = Promise.withResolvers<number>()
    const receiver = receive({ event: () => hung.promise })
    await hook(server, as, receiver.url)
    await server.rename(as, 'one')
    await until(() => receiver.events.length === 1)
    const stopped = server.stop()
    await clock.untilTimer(GRACE_MS)
    await clock.advance(GRACE_MS)
    await stopped
    hung.resolve(200)
    receiver.event = () => 200
    const again = open('hangs')
    await until(() => receiver.events.length === 2)
    expect(named(receiver)).toEqual(['one', 'one'])
    await until(async () => (await again.stateOf(as)).deliveries.length > 0)
    // The aborted attempt does not count as a failure of the receiver.
    expect(await again.stateOf(as)).toMatchObject({
      failing_since: null,
      deliveries: [{ status: 200, attempt: 1 }],
    })
  })
})

const running = new Set<App>()
afterAll(async () => {
  for (const app of running) await app.stop()
})

interface State {
  state: string
  deliveries: unknown[]
}

/** Starts the application on the database of that name, which may already exist. */
function open(name: string, events: EventOptions = {}) {
  const DATABASE_URL = addresses.get(name) ?? newDatabaseAddress(join(folder, name))
  addresses.set(name, DATABASE_URL)
  const config = parseConfig({ DATABASE_URL, DISPATCH_ALLOW: '127.0.0.1' })
  const app = createApp(config, {
    log: createLog('error', 'json'),
    clock,
    now: () => clock.now() * 1000,
    events,
  })
  running.add(app)
  const ask = async <T>(
    line: string,
    { as, body }: { as?: TestSystem | null; body?: unknown } = {},
  ) => {
    const [method = '', path] = line.split(' ')
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: as?.token ?? '' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const response = await app.handle(request, '127.0.0.1')
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, text, json: JSON.parse(text) as T }
  }
  return {
    app,
    ask,
    stop() {
      running.delete(app)
      return app.stop()
    },
    async makeSystem(): Promise<TestSystem> {
      const link = { account: null, tokenName: 'test' }
      const { system, token } = await createSystem(app.deps, { name: 'x' }, link)
      return { ...system, token }
    },
    rename: (as: TestSystem, name: string) => ask('PATCH /v2/systems/@me', { as, body: { name } }),
    stateOf: async (as: TestSystem) =>
      (await ask<State>('GET /v2/systems/@me/webhook', { as })).json,
  }
}

function named({ events }: Receiver): unknown[] {
  return events.map(({ body }) => {
    expect(body.signing_token).toBe(TOKEN)
    return body.data?.name
  })
}
