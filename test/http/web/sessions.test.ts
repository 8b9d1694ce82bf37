import type { JsonObject } from '../../../src/model/core/entity'
import { DAY, formatInstant, HOUR } from '../../../src/model/core/time'
import { createLoginCode } from '../../../src/service/access/loginLinks'
import { createBot, deleteSystem } from '../../tools/operatorActions'
import { rows } from '../../tools/rawSql'
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'

let clock = Date.parse('2026-11-01T12:00:00Z') * 1000
const HEARTBEAT_MS = 1000
/** Clock of the timers. */
const timerClock = createTestClock()
const testApp = createTestApp({
  now: () => ++clock,
  clock: timerClock,
  RATE_LIMIT: 'off',
  events: { heartbeatMs: HEARTBEAT_MS },
})
const { ask, makeSystem, deps } = testApp

const sameOrigin = {
  host: 'localhost',
  'sec-fetch-site': 'same-origin',
  origin: 'http://localhost',
}

interface Opened extends JsonObject {
  system: { id: string; uuid: string; name: string | null }
  session: { id: string; name: string; created: string; expires: string }
}

let peers = 0
/** Returns a new address each time, because failed logins are counted by address. */
const nextPeer = () => `198.51.100.${(peers++ % 250) + 1}`

async function logIn(
  proof: JsonObject,
  headers: Record<string, string> = sameOrigin,
  peer = nextPeer(),
) {
  const response = await ask<Opened>('POST /web/session', { body: proof, headers, peer })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { ...response, cookie }
}

/** Logs in and returns a function that sends requests as our page does. */
async function browserOf(me: TestSystem, more: JsonObject = {}) {
  const { cookie, json, status } = await logIn({ token: me.token, ...more })
  expect(status).toBe(200)
  const send = <T = JsonObject>(line: string, body?: unknown, headers: object = {}) =>
    ask<T>(line, { body, headers: { ...sameOrigin, cookie, ...headers } })
  return { cookie, session: json.session, send }
}

describe('login', () => {
  test('login with a token sets a cookie that is HttpOnly and SameSite=Strict', async () => {
    const me = await makeSystem('Lantern Hill')
    const { status, json, headers } = await logIn({ token: me.token, remember: true })
    expect(status).toBe(200)
    expect(json.system).toEqual({ id: me.hid, uuid: me.uuid, name: 'Lantern Hill' })
    const cookie = headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^multitude-80=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    const [, secret = ''] = /=([\w-]{43})/.exec(cookie) ?? []
    expect(JSON.stringify(await rows(deps.db, 'select * from sessions'))).not.toContain(secret)
    expect(testApp.logged()).not.toContain(secret)
  })

  test('login accepts a token with the prefix Bearer', async () => {
    const me = await makeSystem()
    expect((await logIn({ token: ` ${me.token}\n` })).status).toBe(200)
    expect((await logIn({ token: `Bearer ${me.token}` })).status).toBe(200)
  })

  test('a session is named after the browser', async () => {
    const me = await makeSystem()
    const agent = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
    const { json } = await logIn({ token: me.token }, { ...sameOrigin, 'user-agent': agent })
    expect(json.session.name).toBe('Firefox on Android')
  })

  test.each<[string, () => Promise<JsonObject> | JsonObject, number]>([
    ['with a wrong token', () => ({ token: 'nonsense' }), 401],
    ['with a wrong code', () => ({ code: 'nonsense' }), 401],
    ['without token and code', () => ({}), 400],
    ['with both token and code', () => ({ token: 'a', code: 'b' }), 400],
    ['with a number as token', () => ({ token: 7 }), 400],
  ])('login %s is refused', async (_, proof, expected) => {
    const { status, cookie } = await logIn(await proof())
    expect([status, cookie]).toEqual([expected, ''])
  })

  test.each(['front', 'read', 'calendar', 'watch'])(
    'login with a %s token is forbidden',
    async (scope) => {
      const me = await makeSystem()
      const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
        as: me,
        body: { name: 'lesser', scope },
      })
      expect((await logIn({ token: json.token })).status).toBe(403)
    },
  )

  test.each<[string, Record<string, string>, number]>([
    ['a program', { host: 'localhost' }, 200],
    ['our page', sameOrigin, 200],
    ['a page on another port', { ...sameOrigin, 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
    ['another origin', { host: 'localhost', origin: 'http://evil.example' }, 403],
  ])('login from %s returns the expected status', async (_, headers, expected) => {
    const me = await makeSystem()
    expect((await logIn({ token: me.token }, headers)).status).toBe(expected)
  })

  test('the sixth failed login gets 429, and a correct one still succeeds', async () => {
    const me = await makeSystem()
    const peer = '203.0.113.7'
    for (let tries = 0; tries < 5; tries++)
      expect((await logIn({ token: 'wrong' }, sameOrigin, peer)).status).toBe(401)
    const sixth = await logIn({ token: 'wrong' }, sameOrigin, peer)
    expect(sixth.status).toBe(429)
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await logIn({ token: me.token }, sameOrigin, peer)).status).toBe(200)
    expect((await logIn({ token: 'wrong' }, sameOrigin, '203.0.113.8')).status).toBe(401)
  })
})

describe('login routes', () => {
  const limited = createTestApp({ RATE_LIMIT: 'generic_update=2' })
  const NOON = Date.UTC(2026, 10, 1, 12)
  beforeEach(() => setSystemTime(NOON))
  afterEach(() => setSystemTime())

  const bodyOf = (key: string, bytes: number) => {
    const empty = JSON.stringify({ [key]: '' })
    return JSON.stringify({ [key]: 'x'.repeat(bytes - empty.length) })
  }

  test.each([
    ['POST /web/session', 'token'],
    ['POST /web/login', 'code'],
  ])('%s accepts a body of 4 KiB and rejects a larger one', async (line, key) => {
    const statuses = []
    for (const bytes of [4096, 4097]) {
      const body = bodyOf(key, bytes)
      statuses.push((await ask(line, { body, headers: sameOrigin, peer: nextPeer() })).status)
    }
    expect(statuses).toEqual([401, 413])
  })

  test.each([
    ['POST /web/session', { token: 'wrong' }],
    ['POST /web/login', { code: 'wrong' }],
  ])('%s counts for the rate limit of its address', async (line, body) => {
    const peer = nextPeer()
    const responses = []
    for (let at = 0; at < 3; at++)
      responses.push(await limited.ask(line, { body, headers: sameOrigin, peer }))
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 429])
    expect(responses.map(({ headers }) => headers.get('x-ratelimit-scope'))).toEqual(
      Array(3).fill('generic_update'),
    )
    const other = await limited.ask(line, { body, headers: sameOrigin, peer: nextPeer() })
    expect(other.status).toBe(401)
  })

  test('login accepts a correct token when the rate limit allows a request again', async () => {
    const me = await limited.makeSystem()
    const peer = nextPeer()
    const send = (token: string) =>
      limited.ask('POST /web/session', { body: { token }, headers: sameOrigin, peer })
    for (const status of [401, 401, 429]) expect((await send('wrong')).status).toBe(status)
    expect((await send(me.token)).status).toBe(429)
    setSystemTime(NOON + 500)
    expect((await send(me.token)).status).toBe(200)
  })

  test('logins of local programs are not rate limited', async () => {
    for (let at = 0; at < 4; at++) {
      const { status, headers } = await limited.ask('POST /web/login', { body: { code: 'x' } })
      expect([status, headers.get('x-ratelimit-scope')]).toEqual([401, null])
    }
  })
})

describe('login links', () => {
  const viewerOf = ({ id }: TestSystem) => ({ system: id, platform: null })
  const peek = (code: string) =>
    ask<{ system: { name: string } }>('POST /web/login', {
      body: { code },
      headers: sameOrigin,
      peer: nextPeer(),
    })

  test('a login link names its system, works once and is unknown afterwards', async () => {
    const me = await makeSystem('Lantern Hill')
    const { code } = await createLoginCode(deps, viewerOf(me))
    expect(code).toMatch(/^[\w-]{43}$/)
    expect((await peek(code)).json.system.name).toBe('Lantern Hill')
    expect((await peek(code)).status).toBe(200)
    expect((await logIn({ code })).status).toBe(200)
    const wrong = await peek('nonsense')
    for (const response of [await logIn({ code }), await peek(code)]) {
      expect(response.status).toBe(401)
      expect(response.text).toBe(wrong.text)
    }
    expect(testApp.logged()).not.toContain(code)
  })

  test('a login link expires after ten minutes, and a fourth one deletes the oldest', async () => {
    const me = await makeSystem()
    const codes: string[] = []
    for (let at = 0; at < 4; at++) codes.push((await createLoginCode(deps, viewerOf(me))).code)
    const [first = '', second = '', , fourth = ''] = codes
    expect((await peek(first)).status).toBe(401)
    expect((await logIn({ code: second })).status).toBe(200)
    clock += HOUR / 6
    expect((await logIn({ code: fourth })).status).toBe(401)
  })

  test('a bot creates a login link for its user', async () => {
    const me = await makeSystem()
    const headers = { authorization: `Bot ${await createBot(deps, 'bot')}` }
    const { status, json } = await ask<{ url: string }>(`POST /bot/systems/${me.hid}/login`, {
      headers,
    })
    expect(status).toBe(201)
    const [, code = ''] = /^http:\/\/localhost\/#\/login\/([\w-]{43})$/.exec(json.url) ?? []
    expect((await logIn({ code })).status).toBe(200)
  })
})

describe('sessions', () => {
  test('a session acts as its system, and its responses are not cacheable', async () => {
    const me = await makeSystem('Lantern Hill')
    const { send } = await browserOf(me)
    const read = await send('GET /v2/systems/@me')
    expect([read.status, read.json.id]).toEqual([200, me.hid])
    expect(read.headers.get('cache-control')).toBe('no-store')
    expect((await send('POST /v2/members', { name: 'Wren' })).status).toBe(200)
    expect((await send('GET /web/session')).json.system).toMatchObject({ id: me.hid })
  })

  const outside: [string, Record<string, string>, read: number, write: number][] = [
    ['the page itself', { 'sec-fetch-site': 'same-origin' }, 200, 200],
    ['the address bar', { 'sec-fetch-site': 'none' }, 200, 401],
    ['another port', { 'sec-fetch-site': 'same-site' }, 401, 401],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 401, 401],
    ['an older browser on our page', { origin: 'http://localhost' }, 200, 200],
    ['an older browser on another port', { origin: 'http://localhost:81' }, 200, 401],
    ['an older browser elsewhere', { origin: 'http://evil.example' }, 200, 401],
    ['an older browser that says nothing', {}, 200, 401],
  ]
  test.each(outside)(
    'a session used by %s may read and write as expected',
    async (_, headers, read, write) => {
      const me = await makeSystem()
      const { cookie } = await browserOf(me)
      const as = { headers: { host: 'localhost', cookie, ...headers } }
      expect((await ask('GET /v2/systems/@me', as)).status).toBe(read)
      const writes: [string, unknown][] = [
        ['PATCH /v2/systems/@me', { name: 'Changed' }],
        ['POST /v2/members', { name: 'Wren' }],
        ['PUT /v2/systems/@me/webhook', { url: 'x' }],
        ['DELETE /web/sessions/nobody', undefined],
      ]
      for (const [line, body] of writes) {
        const { status } = await ask(line, { ...as, body })
        if (write === 401) expect([line, status]).toEqual([line, 401])
        else expect([line, status]).not.toEqual([line, 401])
      }
    },
  )

  test('ignores the session when a page on another port has set a second cookie with the same name', async () => {
    const me = await makeSystem()
    const own = await browserOf(me)
    const planted = await browserOf(await makeSystem())
    // A browser sends the cookie with the longer path first.
    for (const cookie of [`${planted.cookie}; ${own.cookie}`, `${own.cookie}; ${planted.cookie}`]) {
      const read = await own.send('GET /v2/systems/@me', undefined, { cookie })
      const write = await own.send('POST /v2/members', { name: 'Wren' }, { cookie })
      const logout = await own.send('DELETE /web/session', undefined, { cookie })
      expect([read.status, write.status, logout.status]).toEqual([401, 401, 401])
    }
    expect((await own.send('GET /v2/systems/@me')).json.id).toBe(me.hid)
    expect((await planted.send<object[]>('GET /v2/systems/@me/members')).json).toEqual([])
  })

  test('a session is ignored next to a token and under /bot', async () => {
    const me = await makeSystem()
    const { send } = await browserOf(me)
    const wrong = { authorization: 'nonsense' }
    expect((await send('GET /v2/systems/@me', undefined, wrong)).status).toBe(401)
    expect((await send(`GET /bot/accounts/1`)).status).toBe(401)
  })

  test('a session creates watch and calendar tokens, but no other token and no link code', async () => {
    const { send } = await browserOf(await makeSystem())
    const createToken = async (scope: string) =>
      (await send('POST /v2/systems/@me/tokens', { name: scope, scope })).status
    expect([await createToken('watch'), await createToken('calendar')]).toEqual([201, 201])
    expect([
      await createToken('read'),
      await createToken('front'),
      await createToken('full'),
    ]).toEqual([403, 403, 403])
    expect((await send('POST /v2/systems/@me/link-code')).status).toBe(403)
    expect((await send('DELETE /v2/systems/@me/tokens/test')).status).toBe(204)
  })

  test('a session lasts twelve hours, and a remembered one 90 days after its last use', async () => {
    const me = await makeSystem()
    const shortLived = await browserOf(me)
    const remembered = await browserOf(me, { remember: true })
    const forgotten = await browserOf(me, { remember: true })
    const isLoggedIn = async ({ send }: typeof shortLived) =>
      (await send('GET /web/session')).status === 200
    clock += 12 * HOUR
    const used = clock
    expect(await isLoggedIn(shortLived)).toBe(false)
    for (const browser of [remembered, forgotten]) {
      expect(await isLoggedIn(browser)).toBe(true)
      // The use is recorded after the answer, with the time at which it is written.
      const sql = 'select id from sessions where uuid = :uuid and last_used > :used'
      await until(async () => (await rows(deps.db, sql, { uuid: browser.session.id, used })).length)
    }
    clock = used + 90 * DAY - HOUR
    expect(await isLoggedIn(remembered)).toBe(true)
    clock += 2 * HOUR
    expect(await isLoggedIn(forgotten)).toBe(false)
  })

  test('a session expires with the token that it was opened with', async () => {
    const me = await makeSystem()
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as: me,
      body: { name: 'lent', expires: formatInstant(clock + HOUR) },
    })
    const expiring = await browserOf({ ...me, token: json.token }, { remember: true })
    expect((await expiring.send('GET /web/session')).status).toBe(200)
    clock += HOUR
    expect((await expiring.send('GET /web/session')).status).toBe(401)
  })

  test('a login counts as a use of its token', async () => {
    const me = await makeSystem()
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as: me,
      body: { name: 'login' },
    })
    await browserOf({ ...me, token: json.token })
    const { json: all } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
    expect(all.find(({ name }) => name === 'login')?.last_used).not.toBeNull()
  })

  test('the fifty-first session of a system deletes the oldest', async () => {
    const me = await makeSystem()
    const first = await browserOf(me)
    // The server remembers a session that was used.
    expect((await first.send('GET /v2/systems/@me')).status).toBe(200)
    for (let at = 0; at < 50; at++) await browserOf(me)
    expect((await first.send('GET /v2/systems/@me')).status).toBe(401)
    const { json } = await ask<JsonObject[]>('GET /web/sessions', { as: me })
    expect(json.length).toBe(50)
  })

  test('lists and renames sessions and marks the current one', async () => {
    const me = await makeSystem()
    const kitchen = await browserOf(me)
    const desk = await browserOf(me)
    const line = `PATCH /web/sessions/${kitchen.session.id}`
    expect((await desk.send(line, { name: 'Kitchen' })).json.name).toBe('Kitchen')
    expect((await desk.send(line, { name: '' })).status).toBe(400)
    const { json } = await desk.send<JsonObject[]>('GET /web/sessions')
    expect(json.map(({ name, this: own }) => [name, own])).toEqual([
      ['A browser', true],
      ['Kitchen', false],
    ])
    const stranger = await browserOf(await makeSystem())
    expect((await stranger.send(line, { name: 'Mine' })).status).toBe(404)
  })
})

type Browser = Awaited<ReturnType<typeof browserOf>>

describe('end of a session', () => {
  const endings: Record<string, (me: TestSystem, own: Browser) => Promise<unknown>> = {
    'when its browser logs out': (_, own) => own.send('DELETE /web/session'),
    'when another session ends it': async (me, own) =>
      (await browserOf(me)).send(`DELETE /web/sessions/${own.session.id}`),
    'when a token ends it': (me, own) => ask(`DELETE /web/sessions/${own.session.id}`, { as: me }),
    'when all sessions are ended': (me) => ask('DELETE /web/sessions', { as: me }),
    'when its token is revoked': (me) => ask('DELETE /v2/systems/@me/tokens/test', { as: me }),
    'when its system is deleted': ({ id }) => deleteSystem(deps, id),
    'when it expires': async () => {
      clock += 13 * HOUR
    },
  }
  test.each(Object.entries(endings))(
    'a session loses access and its stream ends %s',
    async (_, end) => {
      const me = await makeSystem()
      const own = await browserOf(me)
      const response = await testApp.app.handle(
        new Request('http://localhost/v2/systems/@me/events', {
          headers: { ...sameOrigin, cookie: own.cookie },
        }),
        '127.0.0.1',
      )
      expect(response.status).toBe(200)
      const reader = response.body?.getReader()
      await reader?.read()
      const other = await makeSystem()
      await end(me, own)
      expect((await own.send('GET /v2/systems/@me')).status).toBe(401)
      // These events must not reach the stream, which ends at its next heartbeat.
      await ask('PATCH /v2/systems/@me', { as: me, body: { name: 'After' } })
      await ask('PATCH /v2/systems/@me', { as: other, body: { name: 'Other' } })
      let received = ''
      const ended = (async () => {
        for (;;) {
          const { value, done } = (await reader?.read()) ?? { done: true }
          if (done) return
          received += new TextDecoder().decode(value)
        }
      })()
      await timerClock.advance(HEARTBEAT_MS)
      await ended
      expect(received).not.toContain('After')
    },
  )

  test('a session is not ended by another system', async () => {
    const own = await browserOf(await makeSystem())
    const stranger = await browserOf(await makeSystem())
    expect((await stranger.send(`DELETE /web/sessions/${own.session.id}`)).status).toBe(404)
    expect((await own.send('GET /web/session')).status).toBe(200)
  })

  test('ending all sessions deletes the login links', async () => {
    const me = await makeSystem()
    const { code } = await createLoginCode(deps, { system: me.id, platform: null })
    await ask('DELETE /web/sessions', { as: me })
    expect((await logIn({ code })).status).toBe(401)
  })
})
