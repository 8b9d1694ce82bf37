import { readStream } from '../../events/readStream'
import { createBot } from '../../tools/operatorActions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp, type TestSystem } from '../../tools/testApp'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'

const CLIENT = '203.0.113.7'
const OTHER_CLIENT = '203.0.113.8'

describe('limit on requests in flight', () => {
  const clock = createTestClock()
  const { app, ask, makeSystem } = createTestApp({
    ...{ REQUESTS_IN_FLIGHT: '10', RATE_LIMIT: 'off' },
    clock,
  })

  test('refuses requests above the limit, except health checks, and accepts later ones', async () => {
    const { hid } = await makeSystem('Lantern Hill')
    // A request that is answered synchronously is never in flight; this one waits for storage.
    const requests = Array.from({ length: 30 }, () => ask(`GET /v2/systems/${hid}/settings`))
    const checks = ['GET /health', 'GET /health/live'].map((line) => ask(line))
    // Refusals are delayed and sent together.
    await clock.untilTimer(500)
    await clock.advance(500)
    const responses = await Promise.all(requests)
    for (const check of checks) expect((await check).status).toBe(200)
    expect(responses.map(({ status }) => status)).toEqual([
      ...Array<number>(10).fill(200),
      ...Array<number>(20).fill(503),
    ])
    const { headers, json } = responses[29] ?? fail()
    expect(json).toEqual({
      message: '503: Service Unavailable (too many requests at once)',
      code: 0,
      retry_after: 1000,
    })
    expect(headers.get('retry-after')).toBe('1')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect((await ask(`GET /v2/systems/${hid}`)).status).toBe(200)
  })

  test('open streams do not count as requests in flight', async () => {
    const { hid } = await makeSystem()
    const path = `http://localhost/v2/systems/${hid}/fronters/stream`
    const open: Response[] = []
    for (let n = 0; n < 16; n++) open.push(await app.handle(new Request(path), '127.0.0.1'))
    expect((await ask(`GET /v2/systems/${hid}`)).status).toBe(200)
    for (const response of open) await response.body?.cancel()
  })
})

describe('limit on streams', () => {
  const testApp = createTestApp({ STREAMS_PER_CLIENT: '2', STREAMS_IN_ALL: '7', RATE_LIMIT: 'off' })

  test('refuses streams above the limit of an address, of a system and of the server', async () => {
    const [as, other] = [await testApp.makeSystem(), await testApp.makeSystem()]
    const bot = await createBot(testApp.deps, 'streams')
    const front = `/v2/systems/${as.hid}/fronters/stream`
    const open = opener(testApp)

    await open(front, { peer: CLIENT }, 200)
    const second = await open(front, { peer: CLIENT }, 200)
    const refused = await open(front, { peer: CLIENT }, 503)
    expect(await refused.json()).toMatchObject({ code: 0, retry_after: expect.any(Number) })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // A refused client does not keep its connection either.
    expect(refused.headers.get('connection')).toBe('close')

    // A closed stream no longer counts.
    await second.body?.cancel()
    await open(front, { peer: CLIENT }, 200)
    await open(front, { peer: CLIENT }, 503)

    // All streams of a system count together, whatever their address.
    await open('/v2/systems/@me/events', { peer: CLIENT, as }, 200)
    await open(front, { peer: OTHER_CLIENT, as }, 200)
    await open('/v2/systems/@me/events', { peer: OTHER_CLIENT, as }, 503)
    await open('/v2/systems/@me/events', { peer: OTHER_CLIENT, as: other }, 200)

    // A client behind a proxy is not local.
    const forwarded = { 'x-forwarded-for': CLIENT }
    await open(front, { peer: '127.0.0.1', headers: forwarded }, 200)

    const key = { authorization: `Bot ${bot}`, 'x-system': other.hid }
    await open('/v2/systems/@me/events', { peer: OTHER_CLIENT, headers: key }, 200)
    for (const client of [
      { peer: '127.0.0.1' },
      { peer: OTHER_CLIENT },
      { peer: OTHER_CLIENT, headers: key },
    ])
      await open(front, client, 503)
    await open.close()
  })

  test('local clients and bots have no stream limit of their own', async () => {
    await until(() => testApp.app.events.streams.count === 0)
    const as = await testApp.makeSystem()
    const key = { authorization: `Bot ${await createBot(testApp.deps, 'many')}` }
    const front = `/v2/systems/${as.hid}/fronters/stream`
    const open = opener(testApp)
    for (let n = 0; n < 3; n++) await open(front, { peer: '127.0.0.1' }, 200)
    for (let n = 0; n < 3; n++) await open(front, { peer: OTHER_CLIENT, headers: key }, 200)
    await open.close()
  })
})

test('ends a stream at its maximum age, so that the client reconnects', async () => {
  const clock = createTestClock()
  const events = { heartbeatMs: 1000, streamMs: 2500 }
  const { app, makeSystem } = createTestApp({ HOST: '127.0.0.1', PORT: '0', events, clock })
  const { token } = await makeSystem()
  const reading = await readStream(`${app.listen()}/v2/systems/@me/events`, { token })
  await app.started
  await clock.advance(2000)
  await until(() => reading.heartbeats === 3)
  expect(reading.isOpen).toBe(true)
  await clock.advance(1000)
  expect(await reading.ended).toBe('ended')
  expect(reading.heartbeats).toBe(3)
})

interface Client {
  peer: string
  as?: TestSystem
  headers?: Record<string, string>
}

/** Opens streams through the handler; `close` closes all of them. */
function opener({ app }: TestApp) {
  const opened: Response[] = []
  const open = async (path: string, { peer, as, headers }: Client, status: number) => {
    const request = new Request(`http://localhost${path}`, {
      headers: { ...(as && { authorization: as.token }), ...headers },
    })
    const response = await app.handle(request, peer)
    expect(response.status).toBe(status)
    if (status === 200) opened.push(response)
    return response
  }
  const close = async () => {
    for (const response of opened) await response.body?.cancel().catch(() => {})
  }
  return Object.assign(open, { close })
}

function fail(): never {
  throw new Error('missing response')
}
