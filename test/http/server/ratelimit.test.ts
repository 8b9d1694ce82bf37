import { createConnection } from 'node:net'
import fc from 'fast-check'
import { createRateLimiter } from '../../../src/http/server/requestLimits'
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from '../../tools/test'
import {
  createTestApp,
  type RequestOptions,
  type TestApp,
  type TestSystem,
} from '../../tools/testApp'

const NOON = Date.UTC(2026, 4, 6, 12) + 250
const CLIENT = '203.0.113.7'
const OTHER_CLIENT = '203.0.113.8'

beforeEach(() => setSystemTime(NOON))
afterEach(() => setSystemTime())

describe('bucket of the rate limiter', () => {
  const limits = fc.integer({ min: 1, max: 400 })
  const times = fc.integer({ min: NOON, max: NOON + 1e9 })
  const createLimiter = (limit: number) =>
    createRateLimiter({ generic_get: limit, message: limit, generic_update: limit })

  test('allows exactly as many requests as the limit and counts down to 0', () => {
    fc.assert(
      fc.property(limits, times, (limit, now) => {
        const take = createLimiter(limit)
        const all = Array.from({ length: limit + 2 }, () => take('generic_get', 'a', now))
        const passed = all.filter(({ retryAfter }) => retryAfter === null)
        expect(passed.map(({ remaining }) => remaining)).toEqual(
          Array.from({ length: limit }, (_, at) => limit - 1 - at),
        )
        expect(all.at(-1)).toMatchObject({ remaining: 0 })
      }),
      { numRuns: 60 },
    )
  })

  test.each([400, 99_999, 100_000, 999_999])('counts down from a limit of %p', (limit) => {
    const take = createLimiter(limit)
    const first = [1, 2, 3].map(() => take('generic_get', 'a', NOON).remaining)
    expect(first).toEqual([limit - 1, limit - 2, limit - 3])
  })

  test('allows a request at its retry time, and all requests at its reset time', () => {
    fc.assert(
      fc.property(limits, times, (limit, now) => {
        const take = createLimiter(limit)
        for (let at = 0; at < limit; at++) take('message', 'a', now)
        const { retryAfter, reset } = take('message', 'a', now)
        if (retryAfter === null) throw new Error('the bucket should be empty')
        expect(retryAfter).toBeGreaterThanOrEqual(1)
        expect(retryAfter).toBeLessThanOrEqual(Math.ceil(1000 / limit) + 1)
        expect(take('message', 'a', now + retryAfter).retryAfter).toBeNull()
        const full = createLimiter(limit)
        for (let at = 0; at <= limit; at++) full('message', 'a', now)
        expect(full('message', 'a', reset * 1000).remaining).toBe(limit - 1)
      }),
      { numRuns: 60 },
    )
  })

  test('never refuses a client that stays within the rate limit', () => {
    const take = createLimiter(7)
    const refused = Array.from({ length: 700 }, (_, at) =>
      take('generic_get', 'a', NOON + Math.ceil((at * 1000) / 7)),
    ).filter(({ retryAfter }) => retryAfter !== null)
    expect(refused).toEqual([])
  })

  test('counts each client and each scope separately', () => {
    const take = createLimiter(1)
    for (const scope of ['generic_get', 'message', 'generic_update'] as const)
      for (const client of ['a', 'b']) expect(take(scope, client, NOON).retryAfter).toBeNull()
    expect(take('generic_get', 'a', NOON).retryAfter).toBe(1000)
  })

  test('does not limit a client longer when the clock was set back', () => {
    const take = createLimiter(2)
    for (let at = 0; at < 3; at++) take('generic_get', 'a', NOON)
    const before = NOON - 3_600_000
    expect(take('generic_get', 'a', before).retryAfter).toBeLessThanOrEqual(1000)
    expect(take('generic_get', 'a', before + 1000).retryAfter).toBeNull()
  })

  test('remembers a client until its bucket is full again', () => {
    const take = createLimiter(1)
    take('generic_get', 'a', NOON)
    for (let at = 1; at < 1000; at += 111) {
      take('generic_get', `other ${at}`, NOON + at)
      expect(take('generic_get', 'a', NOON + at).retryAfter).toBe(1000 - at)
    }
  })
})

describe('rate limit headers', () => {
  const { ask, makeSystem } = createTestApp({
    RATE_LIMIT: 'generic_get=3,message=2,generic_update=1',
  })

  const scopes: [line: string, scope: string, limit: string][] = [
    ['GET /v2/systems/abcdef', 'generic_get', '3'],
    ['HEAD /v2/systems/abcdef', 'generic_get', '3'],
    ['GET /nowhere', 'generic_get', '3'],
    ['GET /v2/messages/123', 'message', '2'],
    ['GET /messages/123', 'message', '2'],
    ['PATCH /v2/systems/@me', 'generic_update', '1'],
    ['POST /v2/members', 'generic_update', '1'],
    ['DELETE /v2/members/abcdef', 'generic_update', '1'],
  ]

  test.each(scopes)('%s counts as %s', async (line, scope, limit) => {
    const { headers } = await ask(line, { peer: `peer of ${line}` })
    expect(rateLimitHeaders(headers)).toEqual({
      limit,
      remaining: String(Number(limit) - 1),
      reset: String(Math.ceil((NOON + 1000 / Number(limit)) / 1000)),
      scope,
    })
  })

  test('a response from cached JSON has rate limit headers of its own request', async () => {
    const me = await makeSystem('Lantern Hill')
    const responses = []
    for (const line of ['GET', 'HEAD', 'GET'])
      responses.push(await ask(`${line} /v2/systems/${me.hid}`, { peer: 'reader of the cache' }))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(responses.map(({ headers }) => rateLimitHeaders(headers)?.remaining)).toEqual([
      '2',
      '1',
      '0',
    ])
    for (const { headers } of responses) {
      expect(rateLimitHeaders(headers)).toMatchObject({ limit: '3', scope: 'generic_get' })
      expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const ids = new Set(responses.map(({ headers }) => headers.get('x-request-id')))
    expect(ids.size).toBe(3)
    const local = await ask(`GET /v2/systems/${me.hid}`)
    expect([local.status, rateLimitHeaders(local.headers)]).toEqual([200, null])
  })

  test('a request over the limit gets 429 with a retry time, and is allowed then', async () => {
    const get = () => ask('GET /v2/systems/abcdef', { peer: CLIENT })
    const statuses = [await get(), await get(), await get()].map(({ status }) => status)
    expect(statuses).toEqual([404, 404, 404])
    const { status, json, headers } = await get()
    expect([status, json]).toEqual([
      429,
      { message: '429: Too Many Requests', code: 0, retry_after: 334 },
    ])
    expect(headers.get('retry-after')).toBe('1')
    const reset = String(Math.ceil((NOON + 1000) / 1000))
    expect(rateLimitHeaders(headers)).toEqual({
      limit: '3',
      remaining: '0',
      reset,
      scope: 'generic_get',
    })
    setSystemTime(NOON + 333)
    expect((await get()).status).toBe(429)
    setSystemTime(NOON + 334)
    expect((await get()).status).toBe(404)
    expect((await get()).status).toBe(429)
  })

  test('a request over the limit changes nothing', async () => {
    const me = await makeSystem()
    const write = (tag: string) =>
      ask('PATCH /systems/@me', { as: me, body: { tag }, peer: CLIENT })
    expect([(await write('first')).status, (await write('second')).status]).toEqual([200, 429])
    expect((await ask('GET /systems/@me', { as: me })).json.tag).toBe('first')
  })

  const free = [
    'GET /health',
    'GET /health/live',
    'GET /docs',
    'GET /openapi.json',
    'OPTIONS /v2/systems/@me',
  ]

  test.each(free)('%s is not limited', async (line) => {
    for (let at = 0; at < 5; at++) {
      const { status, headers } = await ask(line, { peer: OTHER_CLIENT })
      expect(status).toBeLessThan(300)
      expect(rateLimitHeaders(headers)).toBeNull()
    }
  })
})

describe('local clients', () => {
  const { ask } = createTestApp({ RATE_LIMIT: 'generic_get=1' })

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'a local client at %s is not limited',
    async (peer) => {
      for (let at = 0; at < 5; at++) {
        const { status, headers } = await ask('GET /systems/abcdef', { peer })
        expect([status, rateLimitHeaders(headers)]).toEqual([404, null])
      }
    },
  )

  test.each(['x-forwarded-for', 'forwarded'])(
    'a local client that sends the header %s is limited',
    async (name) => {
      const { headers } = await ask('GET /systems/abcdef', { headers: { [name]: CLIENT } })
      expect(rateLimitHeaders(headers)).not.toBeNull()
    },
  )
})

describe('client behind proxies', () => {
  type From = [peer: string, forwarded?: string]
  const trusting = {
    0: createAppTrusting('0'),
    1: createAppTrusting('1'),
    2: createAppTrusting('2'),
  }

  const pairs: [title: string, trust: 0 | 1 | 2, first: From, second: From, same: boolean][] = [
    ['identifies a client by its peer address', 0, [CLIENT], [CLIENT], true],
    ['distinguishes clients by their peer addresses', 0, [CLIENT], [OTHER_CLIENT], false],
    ['ignores X-Forwarded-For of an untrusted peer', 0, [CLIENT, 'a'], [CLIENT, 'b'], true],
    [
      'distinguishes untrusted peers that send the same X-Forwarded-For',
      0,
      [CLIENT, 'a'],
      [OTHER_CLIENT, 'a'],
      false,
    ],
    [
      'distinguishes clients by the address that the proxy sends',
      1,
      ['127.0.0.1', 'a'],
      ['127.0.0.1', 'b'],
      false,
    ],
    ['recognizes a client behind the proxy', 1, ['127.0.0.1', 'a'], ['127.0.0.1', 'a'], true],
    [
      'ignores addresses that the client put before the proxy’s',
      1,
      ['127.0.0.1', 'x, a'],
      ['127.0.0.1', 'y,a'],
      true,
    ],
    [
      'distinguishes clients by the address that the outer of two proxies sends',
      2,
      [CLIENT, 'a, p'],
      [CLIENT, 'b, p'],
      false,
    ],
    [
      'recognizes a client behind different inner proxies',
      2,
      [CLIENT, 'a, p'],
      [OTHER_CLIENT, 'a, q'],
      true,
    ],
    [
      'ignores addresses that the client put before those of two proxies',
      2,
      [CLIENT, 'x, a, p'],
      [CLIENT, 'y, a, p'],
      true,
    ],
    [
      'uses the address that one proxy sends where two are trusted',
      2,
      [CLIENT, 'a'],
      [CLIENT, 'b'],
      false,
    ],
    ['uses the peer address if the proxy sends none', 1, [CLIENT, ' '], [CLIENT], true],
  ]

  let turn = 0

  test.each(pairs)('%s (TRUST_PROXY=%d)', async (_, trust, first, second, same) => {
    // An hour per row, so that the buckets of earlier rows are full again.
    setSystemTime(NOON + ++turn * 3_600_000)
    const { ask } = trusting[trust]
    const responses = []
    for (const from of [first, second])
      responses.push(await ask('GET /systems/abcdef', requestFrom(from)))
    expect(responses.map(({ status }) => status)).toEqual([404, same ? 429 : 404])
  })

  test('warns once about X-Forwarded-For when no proxy is trusted', async () => {
    const testApp = createAppTrusting('0')
    for (let at = 0; at < 3; at++)
      await testApp.ask('GET /systems/abcdef', requestFrom([CLIENT, 'a']))
    const warnings = testApp.logged().match(/"level":"warn".*TRUST_PROXY/g)
    expect(warnings).toHaveLength(1)
  })

  function createAppTrusting(proxies: string): TestApp {
    return createTestApp({ RATE_LIMIT: 'generic_get=1', TRUST_PROXY: proxies })
  }

  function requestFrom([peer, forwarded]: From): RequestOptions {
    return { peer, ...(forwarded && { headers: { 'x-forwarded-for': forwarded } }) }
  }
})

describe('limits of a system', () => {
  const { ask, makeSystem } = createTestApp({ RATE_LIMIT: 'generic_get=2,generic_update=2' })
  const statuses = async (lines: string[], as: TestSystem | null, peers: string[]) => {
    const all = []
    for (const [at, line] of lines.entries())
      all.push((await ask(line, { as, peer: peers[at % peers.length] ?? '' })).status)
    return all
  }

  test('a system has one limit for reads of itself from all addresses', async () => {
    const me = await makeSystem()
    const dashed = `${me.hid.slice(0, 3)}-${me.hid.slice(3)}`.toUpperCase()
    const names = ['@me', me.hid, me.uuid, dashed, me.uuid.toUpperCase()]
    const lines = names.map((name) => `GET /v2/systems/${name}`)
    expect(await statuses(lines, me, ['a', 'b', 'c'])).toEqual([200, 200, 429, 429, 429])
  })

  test('a system has one limit for writes from all addresses', async () => {
    const me = await makeSystem()
    const lines = Array(3).fill('PATCH /v2/systems/@me')
    expect(await statuses(lines, me, ['a', 'b', 'c'])).toEqual([400, 400, 429])
  })

  test('reads of another system count for the address of the caller', async () => {
    const [me, other] = [await makeSystem(), await makeSystem()]
    const lines = [...Array(2).fill(`GET /systems/${other.hid}`), 'GET /systems/@me']
    expect(await statuses(lines, me, ['d'])).toEqual([200, 200, 200])
    expect(await statuses([`GET /systems/${other.hid}`], null, ['d'])).toEqual([429])
    expect(await statuses([`GET /systems/${other.hid}`], me, ['e'])).toEqual([200])
  })
})

describe('RATE_LIMIT=off', () => {
  const { ask } = createTestApp({ RATE_LIMIT: 'off' })

  test('limits nothing and sends no rate limit headers when the limit is off', async () => {
    for (let at = 0; at < 30; at++) {
      const { status, headers } = await ask('GET /systems/abcdef', { peer: CLIENT })
      expect([status, rateLimitHeaders(headers)]).toEqual([404, null])
    }
  })
})

describe('invalid Host header', () => {
  const { app } = createTestApp({ RATE_LIMIT: 'generic_get=1', PORT: '0' })
  const { hostname, port } = new URL(app.listen())

  test('limits a request with an invalid Host header', async () => {
    const head = 'GET /systems/abcdef?x=///docs HTTP/1.1\r\nHost: not a host\r\n'
    const response = await new Promise<string>((resolve, reject) => {
      const socket = createConnection(Number(port), hostname, () =>
        socket.write(`${head}X-Forwarded-For: ${CLIENT}\r\nConnection: close\r\n\r\n`),
      )
      socket.on('data', (bytes) => resolve(bytes.toString()))
      socket.on('error', reject)
    })
    expect(response.toLowerCase()).toContain('x-ratelimit-scope: generic_get')
    expect(response).toStartWith('HTTP/1.1 404 ')
  })
})

function rateLimitHeaders(headers: Headers) {
  const [limit, remaining, reset, scope] = ['limit', 'remaining', 'reset', 'scope'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  )
  return [limit, remaining, reset, scope].every((value) => value === null)
    ? null
    : { limit, remaining, reset, scope }
}
