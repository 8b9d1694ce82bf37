import { createBrowser } from '../../events/pushService'
import { createBot, deleteSystem } from '../../tools/operatorActions'
import { rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({
  RATE_LIMIT: 'off',
  PUBLIC_URL: 'https://multitude.example',
  DISPATCH_ALLOW: '127.0.0.1',
})
const { ask, deps, makeSystem } = testApp

/** No push service listens there. */
const ORIGIN = 'https://127.0.0.1:9'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

interface Target {
  id: string
  label: string
  wants: string[]
  shows_names: boolean
  is_this: boolean
}

type Headers = Record<string, string>

function registration(more: object = {}) {
  const { endpoint, keys } = createBrowser(ORIGIN)
  return { endpoint, keys, label: 'Firefox on Android', wants: ['posts'], ...more }
}

const by = ({ token }: TestSystem): Headers => ({ authorization: token })

async function put(headers: Headers, body: unknown = registration()) {
  return ask<Target>('PUT /ext/v1/push', { headers, body })
}

async function list(headers: Headers) {
  return (await ask<{ key: string | null; targets: Target[] }>('GET /ext/v1/push', { headers }))
    .json
}

async function createToken(as: TestSystem, scope: string, name = scope): Promise<Headers> {
  const body = { name, scope }
  const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', { as, body })
  return { authorization: json.token }
}

const sameOrigin = {
  host: 'multitude.example',
  'sec-fetch-site': 'same-origin',
  origin: 'https://multitude.example',
}

async function logIn(as: TestSystem): Promise<Headers> {
  const body = { token: as.token }
  const { headers, status } = await ask('POST /web/session', { body, headers: sameOrigin })
  expect(status).toBe(200)
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return { ...sameOrigin, cookie }
}

describe('PUT /ext/v1/push', () => {
  test('registers a browser and never shows its address or keys', async () => {
    const me = await makeSystem()
    const body = registration()
    const { status, json, text } = await put(by(me), body)
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      label: 'Firefox on Android',
      wants: ['posts'],
      shows_names: false,
      created: expect.stringMatching(/Z$/),
      last_ok: null,
      is_this: true,
    } as never)
    const listed = await ask('GET /ext/v1/push', { as: me })
    for (const secret of [body.endpoint, body.keys.p256dh, body.keys.auth])
      expect(text + listed.text).not.toContain(secret)
    expect((await list(by(me))).key).toMatch(/^B[\w-]{86}$/)
  })

  test('shows names only if the request says so, and keeps the choice of a known address', async () => {
    const me = await makeSystem()
    const body = registration()
    const registered: [more: object, shows: boolean][] = [
      [{}, false],
      [{ shows_names: true }, true],
      [{}, true],
      [{ shows_names: false }, false],
    ]
    for (const [more, shows_names] of registered)
      expect((await put(by(me), { ...body, ...more })).json).toMatchObject({ shows_names })
    await put(by(me), { ...body, shows_names: true })
    const moved = await put(by(await makeSystem()), body)
    expect(moved.json).toMatchObject({ shows_names: false })
  })

  test('updates the target of a known address', async () => {
    const me = await makeSystem()
    const body = registration()
    const first = await put(by(me), body)
    const again = await put(by(me), { ...body, label: 'Phone', wants: ['reminders', 'reminders'] })
    expect(again.status).toBe(200)
    expect(again.json).toMatchObject({ id: first.json.id, label: 'Phone', wants: ['reminders'] })
    expect((await list(by(me))).targets).toHaveLength(1)
  })

  test('replaces the former address of a session, which is one browser', async () => {
    const me = await makeSystem()
    const session = await logIn(me)
    await put(session)
    const { json } = await put(session)
    await put(by(me))
    expect((await list(session)).targets).toMatchObject([
      { id: json.id, is_this: true },
      { is_this: false },
    ])
  })

  test('moves the address of another session or system to the caller', async () => {
    const me = await makeSystem()
    const other = await makeSystem()
    const body = registration()
    const session = await logIn(me)
    await put(by(other), body)
    const moved = await put(session, body)
    expect(moved.status).toBe(200)
    expect(moved.json.is_this).toBe(true)
    expect((await list(by(other))).targets).toEqual([])
    const [seen] = (await list(by(me))).targets
    expect(seen).toMatchObject({ id: moved.json.id, is_this: false })
    await put(by(me), body)
    expect((await list(session)).targets).toMatchObject([{ is_this: false }])
  })

  test.each([
    ['an address', { endpoint: undefined }, 'endpoint'],
    ['an address that is text', { endpoint: 1 }, 'endpoint'],
    ['keys', { keys: undefined }, 'keys.p256dh'],
    ['a public key on the curve', { keys: { p256dh: 'BAAA', auth: 'x' } }, 'keys.p256dh'],
    ['a secret of 16 bytes', { keys: { ...registration().keys, auth: 'AAAA' } }, 'keys.auth'],
    ['a label', { label: undefined }, 'label'],
    ['a label of at most 100 characters', { label: 'x'.repeat(101) }, 'label'],
    ['kinds', { wants: undefined }, 'wants'],
    ['a list of kinds', { wants: 'posts' }, 'wants'],
    ['known kinds', { wants: ['weather'] }, 'wants'],
    ['kinds of the owner', { wants: ['posts', 'front'] }, 'wants'],
    ['a flag', { shows_names: 'yes' }, 'shows_names'],
  ])('requires %s', async (_, more, key) => {
    const me = await makeSystem()
    const { status, json } = await put(by(me), registration(more))
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 40001, errors: { [key]: [expect.anything()] } } as never)
    expect((await list(by(me))).targets).toEqual([])
  })

  test('allows 20 targets of a system, and further ones of watch tokens', async () => {
    const me = await makeSystem()
    for (let n = 0; n < 20; n++) expect((await put(by(me))).status).toBe(201)
    const refused = await put(by(me))
    expect(refused.json).toMatchObject({
      code: 49001,
      message: 'Limit reached: push targets (20).',
    } as never)
    const watch = await createToken(me, 'watch')
    const front = () => registration({ wants: ['front'] })
    for (let n = 0; n < 3; n++) expect((await put(watch, front())).status).toBe(201)
    const last = front()
    expect((await put(watch, last)).json).toMatchObject({
      message: 'Limit reached: push targets (3).',
    } as never)
    const second = await createToken(me, 'watch', 'second')
    expect((await put(second, last)).status).toBe(201)
  })

  test('allows 60 targets of a system with its watch tokens', async () => {
    const me = await makeSystem()
    const front = () => registration({ wants: ['front'] })
    for (let n = 0; n < 20; n++) {
      const watch = await createToken(me, 'watch', `watch-${n}`)
      for (let target = 0; target < 3; target++)
        expect((await put(watch, front())).status).toBe(201)
    }
    const known = registration({ wants: ['front'] })
    const later = await createToken(me, 'watch', 'later')
    for (const refused of [await put(by(me)), await put(later, known)])
      expect(refused.json).toMatchObject({
        code: 49001,
        message: 'Limit reached: push targets of this system (60).',
      } as never)
    expect((await put(by(await makeSystem()))).status).toBe(201)
    await ask('DELETE /v2/systems/@me/tokens/watch-7', { as: me })
    expect((await put(later, known)).status).toBe(201)
    expect((await put(later, known)).status).toBe(200)
  })

  test('is refused for a bot, which has no session or token', async () => {
    const me = await makeSystem()
    const key = await createBot(deps, 'Lantern', 'discord')
    const headers = { authorization: `Bot ${key}`, 'x-system': me.hid }
    expect((await put(headers)).status).toBe(403)
    expect((await list(headers)).targets).toEqual([])
  })
})

describe('scopes', () => {
  const lines: [string, unknown?][] = [
    ['GET /ext/v1/push'],
    ['PUT /ext/v1/push', {}],
    [`PATCH /ext/v1/push/${UNKNOWN}`, {}],
    [`DELETE /ext/v1/push/${UNKNOWN}`],
    [`POST /ext/v1/push/${UNKNOWN}/test`],
  ]
  const scopes: [scope: string, isAllowed: boolean][] = [
    ['full', true],
    ['front', false],
    ['read', false],
    ['calendar', false],
    ['watch', true],
  ]
  test.each(scopes)('%s: may manage push targets: %p', async (scope, isAllowed) => {
    const headers = await createToken(await makeSystem(), scope)
    for (const [line, body] of lines) {
      const { status, text } = await ask(line, { headers, body })
      expect(status === 403, `${line}: ${text}`).toBe(!isAllowed)
    }
  })

  test('an anonymous caller gets 401', async () => {
    for (const [line, body] of lines) expect((await ask(line, { body })).status).toBe(401)
  })

  test('a watch token sees and changes its own targets only', async () => {
    const me = await makeSystem()
    const [watch, second] = [await createToken(me, 'watch'), await createToken(me, 'watch', 'two')]
    const own = (await put(by(me))).json
    const watching = (await put(watch, registration({ wants: ['front'] }))).json
    expect((await list(by(me))).targets.map(({ id }) => id)).toEqual([own.id])
    expect((await list(watch)).targets).toMatchObject([{ id: watching.id, is_this: true }])
    expect((await list(second)).targets).toEqual([])
    const cases: [Headers, Target, boolean][] = [
      [watch, watching, true],
      [watch, own, false],
      [second, watching, false],
      [by(me), watching, false],
      [by(me), own, true],
      [by(await makeSystem()), own, false],
    ]
    for (const [headers, { id }, isAllowed] of cases) {
      const body = { label: 'Changed' }
      const { status, json } = await ask(`PATCH /ext/v1/push/${id}`, { headers, body })
      expect(status).toBe(isAllowed ? 200 : 404)
      if (!isAllowed) expect(json).toMatchObject({ code: 29011 })
    }
  })

  test('a watch token may want the front and nothing else', async () => {
    const watch = await createToken(await makeSystem(), 'watch')
    for (const wants of [['posts'], ['front', 'own_front'], ['reminders']])
      expect((await put(watch, registration({ wants }))).status).toBe(400)
    const { json } = await put(watch, registration({ wants: ['front'] }))
    const body = { wants: ['posts'] }
    const patched = await ask(`PATCH /ext/v1/push/${json.id}`, { headers: watch, body })
    expect(patched.json).toMatchObject({ code: 40001 })
    // It still writes nothing else.
    const line = 'POST /v2/systems/@me/switches'
    expect((await ask(line, { headers: watch, body: { members: [] } })).status).toBe(403)
  })
})

describe('changes of a push target', () => {
  test('PATCH changes the given keys', async () => {
    const me = await makeSystem()
    const { id } = (await put(by(me))).json
    const body = { wants: [], shows_names: true }
    const { json } = await ask(`PATCH /ext/v1/push/${id}`, { as: me, body })
    expect(json).toMatchObject({ label: 'Firefox on Android', wants: [], shows_names: true })
    expect((await list(by(me))).targets).toMatchObject([{ wants: [], shows_names: true }])
    const empty = await ask(`PATCH /ext/v1/push/${id}`, { as: me, body: {} })
    expect(empty.status).toBe(400)
  })

  test('DELETE deletes the target once', async () => {
    const me = await makeSystem()
    const { id } = (await put(by(me))).json
    expect((await ask(`DELETE /ext/v1/push/${id}`, { as: me })).status).toBe(204)
    expect((await ask(`DELETE /ext/v1/push/${id}`, { as: me })).json).toMatchObject({ code: 29011 })
  })

  test('a test reports why nothing was sent, without the address', async () => {
    const me = await makeSystem()
    const { id } = (await put(by(me))).json
    const { status, json } = await ask(`POST /ext/v1/push/${id}/test`, { as: me })
    expect(status).toBe(200)
    expect(json).toEqual({ status: null, error: 'ECONNREFUSED' })
  })

  test('no write records an event', async () => {
    const me = await makeSystem()
    const { id } = (await put(by(me))).json
    await ask(`PATCH /ext/v1/push/${id}`, { as: me, body: { wants: [] } })
    await ask(`POST /ext/v1/push/${id}/test`, { as: me })
    await ask(`DELETE /ext/v1/push/${id}`, { as: me })
    const found = await rows(deps.db, 'select type from events where system_id = :id', {
      id: me.id,
    })
    expect(found).toEqual([])
  })

  test('targets end with their session, token or system', async () => {
    const me = await makeSystem()
    const session = await logIn(me)
    await put(session)
    const token = await createToken(me, 'full', 'temporary')
    await put(token)
    expect((await list(by(me))).targets).toHaveLength(2)
    await ask('DELETE /web/session', { headers: session })
    expect((await list(by(me))).targets).toHaveLength(1)
    await ask('DELETE /v2/systems/@me/tokens/temporary', { as: me })
    expect((await list(by(me))).targets).toEqual([])
    await put(by(me))
    await deleteSystem(deps, me.id)
    const found = await rows(deps.db, 'select id from push_targets where system_id = :id', {
      id: me.id,
    })
    expect(found).toEqual([])
  })
})

describe('push that is off', () => {
  const off: [why: string, settings: Record<string, string>][] = [
    ['because PUSH is off', { PUSH: 'off', PUBLIC_URL: 'https://multitude.example' }],
    ['without a contact', {}],
    ['because PUBLIC_URL is http', { PUBLIC_URL: 'http://multitude.example' }],
  ]
  test.each(off)('has no key and registers nothing %s', async (_, settings) => {
    const app = createTestApp({ DISPATCH_ALLOW: '127.0.0.1', ...settings })
    const me = await app.makeSystem()
    expect((await app.ask('GET /ext/v1/push', { as: me })).json).toEqual({ key: null, targets: [] })
    const { status, json } = await app.ask('PUT /ext/v1/push', { as: me, body: registration() })
    expect(status).toBe(400)
    expect(json.message).toBe('400: Bad Request (push is turned off on this server)')
  })
})
