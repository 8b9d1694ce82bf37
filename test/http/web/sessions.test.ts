import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { JsonObject } from '../../../src/model/entity'
import { DAY, formatInstant, HOUR } from '../../../src/model/time'
import { createLoginCode } from '../../../src/service/access/loginLinks'
import { until } from '../../events/receiver'
import { createBot, deleteSystem } from '../../operatorActions'
import { rows } from '../../rawSql'
import { createTestApp, type TestSystem } from '../../testApp'

let clock = Date.parse('2026-11-01T12:00:00Z') * 1000
const house = createTestApp({ now: () => ++clock, RATE_LIMIT: 'off' })
const { ask, makeSystem, deps } = house

const ours = { host: 'localhost', 'sec-fetch-site': 'same-origin', origin: 'http://localhost' }

interface Opened extends JsonObject {
  system: { id: string; uuid: string; name: string | null }
  session: { id: string; name: string; created: string; expires: string }
}

let visitor = 0
/** Somebody else each time: wrong tries are counted by address. */
const peerOf = () => `198.51.100.${(visitor++ % 250) + 1}`

async function logIn(proof: JsonObject, headers: Record<string, string> = ours, peer = peerOf()) {
  const answer = await ask<Opened>('POST /web/session', { body: proof, headers, peer })
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return { ...answer, cookie }
}

/** A browser that was let in, asking as our page does. */
async function browserOf(me: TestSystem, more: JsonObject = {}) {
  const { cookie, json, status } = await logIn({ token: me.token, ...more })
  expect(status).toBe(200)
  const asks = <T = JsonObject>(line: string, body?: unknown, headers: object = {}) =>
    ask<T>(line, { body, headers: { ...ours, cookie, ...headers } })
  return { cookie, session: json.session, asks }
}

describe('logging in', () => {
  test('with a token gives a cookie that no script and no other site gets', async () => {
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
    expect(house.logged()).not.toContain(secret)
  })

  test('with a token as it was pasted works', async () => {
    const me = await makeSystem()
    expect((await logIn({ token: ` ${me.token}\n` })).status).toBe(200)
    expect((await logIn({ token: `Bearer ${me.token}` })).status).toBe(200)
  })

  test('is named after the browser', async () => {
    const me = await makeSystem()
    const agent = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
    const { json } = await logIn({ token: me.token }, { ...ours, 'user-agent': agent })
    expect(json.session.name).toBe('Firefox on Android')
  })

  test.each<[string, () => Promise<JsonObject> | JsonObject, number]>([
    ['with a wrong token', () => ({ token: 'nonsense' }), 401],
    ['with a wrong code', () => ({ code: 'nonsense' }), 401],
    ['with nothing', () => ({}), 400],
    ['with both', () => ({ token: 'a', code: 'b' }), 400],
    ['with a number', () => ({ token: 7 }), 400],
  ])('%s is refused', async (_, proof, expected) => {
    const { status, cookie } = await logIn(await proof())
    expect([status, cookie]).toEqual([expected, ''])
  })

  test.each(['front', 'read', 'calendar', 'watch'])(
    'with a %s token is forbidden',
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
    ['our page', ours, 200],
    ['a page on another port', { ...ours, 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
    ['another origin', { host: 'localhost', origin: 'http://evil.example' }, 403],
  ])('of %s', async (_, headers, expected) => {
    const me = await makeSystem()
    expect((await logIn({ token: me.token }, headers)).status).toBe(expected)
  })

  test('after five wrong tries the sixth is told to wait, and a right one still comes in', async () => {
    const me = await makeSystem()
    const peer = '203.0.113.7'
    for (let tries = 0; tries < 5; tries++)
      expect((await logIn({ token: 'wrong' }, ours, peer)).status).toBe(401)
    const sixth = await logIn({ token: 'wrong' }, ours, peer)
    expect(sixth.status).toBe(429)
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await logIn({ token: me.token }, ours, peer)).status).toBe(200)
    expect((await logIn({ token: 'wrong' }, ours, '203.0.113.8')).status).toBe(401)
  })
})

describe('a login route', () => {
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
      statuses.push((await ask(line, { body, headers: ours, peer: peerOf() })).status)
    }
    expect(statuses).toEqual([401, 413])
  })

  test.each([
    ['POST /web/session', { token: 'wrong' }],
    ['POST /web/login', { code: 'wrong' }],
  ])('%s is counted by the rate limit of its address', async (line, body) => {
    const peer = peerOf()
    const answers = []
    for (let at = 0; at < 3; at++)
      answers.push(await limited.ask(line, { body, headers: ours, peer }))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429])
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-scope'))).toEqual(
      Array(3).fill('generic_update'),
    )
    const other = await limited.ask(line, { body, headers: ours, peer: peerOf() })
    expect(other.status).toBe(401)
  })

  test('accepts a right token once the rate limit allows a request again', async () => {
    const me = await limited.makeSystem()
    const peer = peerOf()
    const send = (token: string) =>
      limited.ask('POST /web/session', { body: { token }, headers: ours, peer })
    for (const status of [401, 401, 429]) expect((await send('wrong')).status).toBe(status)
    expect((await send(me.token)).status).toBe(429)
    setSystemTime(NOON + 500)
    expect((await send(me.token)).status).toBe(200)
  })

  test('is not counted for a program on this machine', async () => {
    for (let at = 0; at < 4; at++) {
      const { status, headers } = await limited.ask('POST /web/login', { body: { code: 'x' } })
      expect([status, headers.get('x-ratelimit-scope')]).toEqual([401, null])
    }
  })
})

describe('a login link', () => {
  const viewerOf = ({ id }: TestSystem) => ({ system: id, platform: null })
  const peek = (code: string) =>
    ask<{ system: { name: string } }>('POST /web/login', {
      body: { code },
      headers: ours,
      peer: peerOf(),
    })

  test('tells whom it lets in as, works once, and is then as wrong as any other', async () => {
    const me = await makeSystem('Lantern Hill')
    const { code } = await createLoginCode(deps, viewerOf(me))
    expect(code).toMatch(/^[\w-]{43}$/)
    expect((await peek(code)).json.system.name).toBe('Lantern Hill')
    expect((await peek(code)).status).toBe(200)
    expect((await logIn({ code })).status).toBe(200)
    const wrong = await peek('nonsense')
    for (const answer of [await logIn({ code }), await peek(code)]) {
      expect(answer.status).toBe(401)
      expect(answer.text).toBe(wrong.text)
    }
    expect(house.logged()).not.toContain(code)
  })

  test('is over after ten minutes; of four the oldest goes', async () => {
    const me = await makeSystem()
    const codes: string[] = []
    for (let at = 0; at < 4; at++) codes.push((await createLoginCode(deps, viewerOf(me))).code)
    const [first = '', second = '', , fourth = ''] = codes
    expect((await peek(first)).status).toBe(401)
    expect((await logIn({ code: second })).status).toBe(200)
    clock += HOUR / 6
    expect((await logIn({ code: fourth })).status).toBe(401)
  })

  test('is made by a bot for its user', async () => {
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

describe('a session', () => {
  test('acts as its system, and nothing of it may be kept', async () => {
    const me = await makeSystem('Lantern Hill')
    const { asks } = await browserOf(me)
    const read = await asks('GET /v2/systems/@me')
    expect([read.status, read.json.id]).toEqual([200, me.hid])
    expect(read.headers.get('cache-control')).toBe('no-store')
    expect((await asks('POST /v2/members', { name: 'Wren' })).status).toBe(200)
    expect((await asks('GET /web/session')).json.system).toMatchObject({ id: me.hid })
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
  test.each(outside)('asked by %s', async (_, headers, read, write) => {
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
  })

  test('is ignored when a page on another port planted a second cookie of its name', async () => {
    const me = await makeSystem()
    const own = await browserOf(me)
    const planted = await browserOf(await makeSystem())
    // A browser sends the cookie with the longer path first.
    for (const cookie of [`${planted.cookie}; ${own.cookie}`, `${own.cookie}; ${planted.cookie}`]) {
      const read = await own.asks('GET /v2/systems/@me', undefined, { cookie })
      const write = await own.asks('POST /v2/members', { name: 'Wren' }, { cookie })
      const logout = await own.asks('DELETE /web/session', undefined, { cookie })
      expect([read.status, write.status, logout.status]).toEqual([401, 401, 401])
    }
    expect((await own.asks('GET /v2/systems/@me')).json.id).toBe(me.hid)
    expect((await planted.asks<object[]>('GET /v2/systems/@me/members')).json).toEqual([])
  })

  test('counts for nothing beside a token, and nothing under /bot', async () => {
    const me = await makeSystem()
    const { asks } = await browserOf(me)
    const wrong = { authorization: 'nonsense' }
    expect((await asks('GET /v2/systems/@me', undefined, wrong)).status).toBe(401)
    expect((await asks(`GET /bot/accounts/1`)).status).toBe(401)
  })

  test('makes links for friends and calendars, but no other token and no link code', async () => {
    const { asks } = await browserOf(await makeSystem())
    const made = async (scope: string) =>
      (await asks('POST /v2/systems/@me/tokens', { name: scope, scope })).status
    expect([await made('watch'), await made('calendar')]).toEqual([201, 201])
    expect([await made('read'), await made('front'), await made('full')]).toEqual([403, 403, 403])
    expect((await asks('POST /v2/systems/@me/link-code')).status).toBe(403)
    expect((await asks('DELETE /v2/systems/@me/tokens/test')).status).toBe(204)
  })

  test('lasts twelve hours, or as long as it is used, for at most a year', async () => {
    const me = await makeSystem()
    const brief = await browserOf(me)
    const lasting = await browserOf(me, { remember: true })
    const isIn = async ({ asks }: typeof brief) => (await asks('GET /web/session')).status === 200
    clock += 12 * HOUR
    const used = clock
    expect([await isIn(brief), await isIn(lasting)]).toEqual([false, true])
    // The use is recorded after the answer, with the time at which it is written.
    const sql = 'select id from sessions where uuid = :uuid and last_used > :used'
    await until(async () => (await rows(deps.db, sql, { uuid: lasting.session.id, used })).length)
    clock += 91 * DAY
    expect(await isIn(lasting)).toBe(false)
  })

  test('does not outlive the token that opened it', async () => {
    const me = await makeSystem()
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as: me,
      body: { name: 'lent', expires: formatInstant(clock + HOUR) },
    })
    const lent = await browserOf({ ...me, token: json.token }, { remember: true })
    expect((await lent.asks('GET /web/session')).status).toBe(200)
    clock += HOUR
    expect((await lent.asks('GET /web/session')).status).toBe(401)
  })

  test('counts as a use of its token', async () => {
    const me = await makeSystem()
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as: me,
      body: { name: 'door' },
    })
    await browserOf({ ...me, token: json.token })
    const { json: all } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
    expect(all.find(({ name }) => name === 'door')?.last_used).not.toBeNull()
  })

  test('is one of fifty: the oldest goes', async () => {
    const me = await makeSystem()
    const first = await browserOf(me)
    for (let at = 0; at < 50; at++) await browserOf(me)
    expect((await first.asks('GET /web/session')).status).toBe(401)
    const { json } = await ask<JsonObject[]>('GET /web/sessions', { as: me })
    expect(json.length).toBe(50)
  })

  test('is renamed and listed, the own one marked', async () => {
    const me = await makeSystem()
    const kitchen = await browserOf(me)
    const desk = await browserOf(me)
    const line = `PATCH /web/sessions/${kitchen.session.id}`
    expect((await desk.asks(line, { name: 'Kitchen' })).json.name).toBe('Kitchen')
    expect((await desk.asks(line, { name: '' })).status).toBe(400)
    const { json } = await desk.asks<JsonObject[]>('GET /web/sessions')
    expect(json.map(({ name, this: own }) => [name, own])).toEqual([
      ['A browser', true],
      ['Kitchen', false],
    ])
    const stranger = await browserOf(await makeSystem())
    expect((await stranger.asks(line, { name: 'Mine' })).status).toBe(404)
  })
})

type Browser = Awaited<ReturnType<typeof browserOf>>

describe('a session ends', () => {
  const ways: Record<string, (me: TestSystem, own: Browser) => Promise<unknown>> = {
    'when its browser logs out': (_, own) => own.asks('DELETE /web/session'),
    'when another ends it': async (me, own) =>
      (await browserOf(me)).asks(`DELETE /web/sessions/${own.session.id}`),
    'when a token ends it': (me, own) => ask(`DELETE /web/sessions/${own.session.id}`, { as: me }),
    'when all are ended': (me) => ask('DELETE /web/sessions', { as: me }),
    'when its token is revoked': (me) => ask('DELETE /v2/systems/@me/tokens/test', { as: me }),
    'when its system is deleted': ({ id }) => deleteSystem(deps, id),
    'when its time is over': async () => {
      clock += 13 * HOUR
    },
  }
  test.each(Object.entries(ways))('%s: its next request and its stream', async (_, end) => {
    const me = await makeSystem()
    const own = await browserOf(me)
    const response = await house.app.handle(
      new Request('http://localhost/v2/systems/@me/events', {
        headers: { ...ours, cookie: own.cookie },
      }),
      '127.0.0.1',
    )
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    await reader?.read()
    const other = await makeSystem()
    await end(me, own)
    expect((await own.asks('GET /v2/systems/@me')).status).toBe(401)
    // Something happens that it must not hear of; without a listener the stream ends at its next beat.
    await ask('PATCH /v2/systems/@me', { as: me, body: { name: 'After' } })
    await ask('PATCH /v2/systems/@me', { as: other, body: { name: 'Other' } })
    let told = ''
    const heard = (async () => {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return
        told += new TextDecoder().decode(value)
      }
    })()
    await Promise.race([heard, Bun.sleep(200)])
    await reader?.cancel()
    expect(told).not.toContain('After')
  })

  test('and open links end with all of them', async () => {
    const me = await makeSystem()
    const { code } = await createLoginCode(deps, { system: me.id, platform: null })
    await ask('DELETE /web/sessions', { as: me })
    expect((await logIn({ code })).status).toBe(401)
  })
})
