import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { createConnection } from 'node:net'
import fc from 'fast-check'
import { createRateLimiter } from '../../src/http/ratelimit'
import { createTestApp, type RequestOptions, type TestApp, type TestSystem } from '../testApp'

const NOON = Date.UTC(2026, 4, 6, 12) + 250
const GUEST = '203.0.113.7'
const OTHER = '203.0.113.8'

beforeEach(() => setSystemTime(NOON))
afterEach(() => setSystemTime())

describe('the bucket', () => {
  const limits = fc.integer({ min: 1, max: 400 })
  const times = fc.integer({ min: NOON, max: NOON + 1e9 })
  const limiterOf = (limit: number) =>
    createRateLimiter({ generic_get: limit, message: limit, generic_update: limit })

  test('lets exactly as many pass as its limit, and counts them down to 0', () => {
    fc.assert(
      fc.property(limits, times, (limit, now) => {
        const take = limiterOf(limit)
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
    const take = limiterOf(limit)
    const first = [1, 2, 3].map(() => take('generic_get', 'a', NOON).remaining)
    expect(first).toEqual([limit - 1, limit - 2, limit - 3])
  })

  test('lets one pass when it said to come again, and all when it said to be full', () => {
    fc.assert(
      fc.property(limits, times, (limit, now) => {
        const take = limiterOf(limit)
        for (let at = 0; at < limit; at++) take('message', 'a', now)
        const { retryAfter, reset } = take('message', 'a', now)
        if (retryAfter === null) throw new Error('it should be empty')
        expect(retryAfter).toBeGreaterThanOrEqual(1)
        expect(retryAfter).toBeLessThanOrEqual(Math.ceil(1000 / limit) + 1)
        expect(take('message', 'a', now + retryAfter).retryAfter).toBeNull()
        const full = limiterOf(limit)
        for (let at = 0; at <= limit; at++) full('message', 'a', now)
        expect(full('message', 'a', reset * 1000).remaining).toBe(limit - 1)
      }),
      { numRuns: 60 },
    )
  })

  test('never stops a client that keeps to the limit', () => {
    const take = limiterOf(7)
    const refused = Array.from({ length: 700 }, (_, at) =>
      take('generic_get', 'a', NOON + Math.ceil((at * 1000) / 7)),
    ).filter(({ retryAfter }) => retryAfter !== null)
    expect(refused).toEqual([])
  })

  test('is one for each client and each scope', () => {
    const take = limiterOf(1)
    for (const scope of ['generic_get', 'message', 'generic_update'] as const)
      for (const client of ['a', 'b']) expect(take(scope, client, NOON).retryAfter).toBeNull()
    expect(take('generic_get', 'a', NOON).retryAfter).toBe(1000)
  })

  test('stops nobody for longer because the clock was set back', () => {
    const take = limiterOf(2)
    for (let at = 0; at < 3; at++) take('generic_get', 'a', NOON)
    const before = NOON - 3_600_000
    expect(take('generic_get', 'a', before).retryAfter).toBeLessThanOrEqual(1000)
    expect(take('generic_get', 'a', before + 1000).retryAfter).toBeNull()
  })

  test('forgets no client while it fills again', () => {
    const take = limiterOf(1)
    take('generic_get', 'a', NOON)
    for (let at = 1; at < 1000; at += 111) {
      take('generic_get', `other ${at}`, NOON + at)
      expect(take('generic_get', 'a', NOON + at).retryAfter).toBe(1000 - at)
    }
  })
})

describe('a limited answer', () => {
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

  test.each(scopes)('to %s counts as %s', async (line, scope, limit) => {
    const { headers } = await ask(line, { peer: `peer of ${line}` })
    expect(limitsOf(headers)).toEqual({
      limit,
      remaining: String(Number(limit) - 1),
      reset: String(Math.ceil((NOON + 1000 / Number(limit)) / 1000)),
      scope,
    })
  })

  test('made of what is kept says the same, and nothing of it is left for the next', async () => {
    const me = await makeSystem('Lantern Hill')
    const answers = []
    for (const line of ['GET', 'HEAD', 'GET'])
      answers.push(await ask(`${line} /v2/systems/${me.hid}`, { peer: 'a guest of storage' }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.map(({ headers }) => limitsOf(headers)?.remaining)).toEqual(['2', '1', '0'])
    for (const { headers } of answers) {
      expect(limitsOf(headers)).toMatchObject({ limit: '3', scope: 'generic_get' })
      expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')))
    expect(ids.size).toBe(3)
    const local = await ask(`GET /v2/systems/${me.hid}`)
    expect([local.status, limitsOf(local.headers)]).toEqual([200, null])
  })

  test('over the limit says when to come again, and then lets pass', async () => {
    const get = () => ask('GET /v2/systems/abcdef', { peer: GUEST })
    const statuses = [await get(), await get(), await get()].map(({ status }) => status)
    expect(statuses).toEqual([404, 404, 404])
    const { status, json, headers } = await get()
    expect([status, json]).toEqual([
      429,
      { message: '429: Too Many Requests', code: 0, retry_after: 334 },
    ])
    expect(headers.get('retry-after')).toBe('1')
    const reset = String(Math.ceil((NOON + 1000) / 1000))
    expect(limitsOf(headers)).toEqual({ limit: '3', remaining: '0', reset, scope: 'generic_get' })
    setSystemTime(NOON + 333)
    expect((await get()).status).toBe(429)
    setSystemTime(NOON + 334)
    expect((await get()).status).toBe(404)
    expect((await get()).status).toBe(429)
  })

  test('over the limit has done nothing', async () => {
    const me = await makeSystem()
    const write = (tag: string) => ask('PATCH /systems/@me', { as: me, body: { tag }, peer: GUEST })
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

  test.each(free)('is none to %s', async (line) => {
    for (let at = 0; at < 5; at++) {
      const { status, headers } = await ask(line, { peer: OTHER })
      expect(status).toBeLessThan(300)
      expect(limitsOf(headers)).toBeNull()
    }
  })
})

describe('a program on this machine', () => {
  const { ask } = createTestApp({ RATE_LIMIT: 'generic_get=1' })

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'at %s is exempt',
    async (peer) => {
      for (let at = 0; at < 5; at++) {
        const { status, headers } = await ask('GET /systems/abcdef', { peer })
        expect([status, limitsOf(headers)]).toEqual([404, null])
      }
    },
  )

  test.each(['x-forwarded-for', 'forwarded'])(
    'that speaks for others by %s is not',
    async (name) => {
      const { headers } = await ask('GET /systems/abcdef', { headers: { [name]: GUEST } })
      expect(limitsOf(headers)).not.toBeNull()
    },
  )
})

describe('the client', () => {
  type From = [peer: string, forwarded?: string]
  const trusting = { 0: one('0'), 1: one('1'), 2: one('2') }

  const pairs: [says: string, trust: 0 | 1 | 2, first: From, second: From, same: boolean][] = [
    ['is the peer', 0, [GUEST], [GUEST], true],
    ['is another at another address', 0, [GUEST], [OTHER], false],
    ['is the peer, whatever it says of itself', 0, [GUEST, 'a'], [GUEST, 'b'], true],
    ['at another address is another, saying the same', 0, [GUEST, 'a'], [OTHER, 'a'], false],
    ['is whom the proxy names', 1, ['127.0.0.1', 'a'], ['127.0.0.1', 'b'], false],
    ['is the same through the proxy again', 1, ['127.0.0.1', 'a'], ['127.0.0.1', 'a'], true],
    ['is not whom it claims to be', 1, ['127.0.0.1', 'x, a'], ['127.0.0.1', 'y,a'], true],
    ['is whom the outer of two proxies names', 2, [GUEST, 'a, p'], [GUEST, 'b, p'], false],
    ['is the same by any inner proxy', 2, [GUEST, 'a, p'], [OTHER, 'a, q'], true],
    ['is not whom it claims to be to two', 2, [GUEST, 'x, a, p'], [GUEST, 'y, a, p'], true],
    ['is whom one proxy names where two are trusted', 2, [GUEST, 'a'], [GUEST, 'b'], false],
    ['is the peer if the proxy names nobody', 1, [GUEST, ' '], [GUEST], true],
  ]

  let turn = 0

  test.each(pairs)('%s (TRUST_PROXY=%d)', async (_, trust, first, second, same) => {
    // Each row at its own hour, so that the rows before it are forgotten.
    setSystemTime(NOON + ++turn * 3_600_000)
    const { ask } = trusting[trust]
    const answers = []
    for (const from of [first, second]) answers.push(await ask('GET /systems/abcdef', asking(from)))
    expect(answers.map(({ status }) => status)).toEqual([404, same ? 429 : 404])
  })

  test('without a trusted proxy is warned of once', async () => {
    const there = one('0')
    for (let at = 0; at < 3; at++) await there.ask('GET /systems/abcdef', asking([GUEST, 'a']))
    const warnings = there.logged().match(/"level":"warn".*TRUST_PROXY/g)
    expect(warnings).toHaveLength(1)
  })

  function one(proxies: string): TestApp {
    return createTestApp({ RATE_LIMIT: 'generic_get=1', TRUST_PROXY: proxies })
  }

  function asking([peer, forwarded]: From): RequestOptions {
    return { peer, ...(forwarded && { headers: { 'x-forwarded-for': forwarded } }) }
  }
})

describe('a system', () => {
  const { ask, makeSystem } = createTestApp({ RATE_LIMIT: 'generic_get=2,generic_update=2' })
  const statuses = async (lines: string[], as: TestSystem | null, peers: string[]) => {
    const all = []
    for (const [at, line] of lines.entries())
      all.push((await ask(line, { as, peer: peers[at % peers.length] ?? '' })).status)
    return all
  }

  test('shares its limit among all addresses it reads itself from', async () => {
    const me = await makeSystem()
    const dashed = `${me.hid.slice(0, 3)}-${me.hid.slice(3)}`.toUpperCase()
    const names = ['@me', me.hid, me.uuid, dashed, me.uuid.toUpperCase()]
    const lines = names.map((name) => `GET /v2/systems/${name}`)
    expect(await statuses(lines, me, ['a', 'b', 'c'])).toEqual([200, 200, 429, 429, 429])
  })

  test('shares its limit among all addresses it writes from', async () => {
    const me = await makeSystem()
    const lines = Array(3).fill('PATCH /v2/systems/@me')
    expect(await statuses(lines, me, ['a', 'b', 'c'])).toEqual([400, 400, 429])
  })

  test('reads others under the limit of its address', async () => {
    const [me, other] = [await makeSystem(), await makeSystem()]
    const lines = [...Array(2).fill(`GET /systems/${other.hid}`), 'GET /systems/@me']
    expect(await statuses(lines, me, ['d'])).toEqual([200, 200, 200])
    expect(await statuses([`GET /systems/${other.hid}`], null, ['d'])).toEqual([429])
    expect(await statuses([`GET /systems/${other.hid}`], me, ['e'])).toEqual([200])
  })
})

describe('off', () => {
  const { ask } = createTestApp({ RATE_LIMIT: 'off' })

  test('lets everything pass, and says nothing of limits', async () => {
    for (let at = 0; at < 30; at++) {
      const { status, headers } = await ask('GET /systems/abcdef', { peer: GUEST })
      expect([status, limitsOf(headers)]).toEqual([404, null])
    }
  })
})

describe('a request that hides its path', () => {
  const { app } = createTestApp({ RATE_LIMIT: 'generic_get=1', PORT: '0' })
  const { hostname, port } = new URL(app.listen())

  test('behind a host that is none is limited like any other', async () => {
    const words = 'GET /systems/abcdef?x=///docs HTTP/1.1\r\nHost: not a host\r\n'
    const heard = await new Promise<string>((resolve, reject) => {
      const socket = createConnection(Number(port), hostname, () =>
        socket.write(`${words}X-Forwarded-For: ${GUEST}\r\nConnection: close\r\n\r\n`),
      )
      socket.on('data', (bytes) => resolve(bytes.toString()))
      socket.on('error', reject)
    })
    expect(heard.toLowerCase()).toContain('x-ratelimit-scope: generic_get')
    expect(heard).toStartWith('HTTP/1.1 404 ')
  })
})

function limitsOf(headers: Headers) {
  const [limit, remaining, reset, scope] = ['limit', 'remaining', 'reset', 'scope'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  )
  return [limit, remaining, reset, scope].every((value) => value === null)
    ? null
    : { limit, remaining, reset, scope }
}
