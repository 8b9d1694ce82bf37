import type { JsonObject } from '../../../src/model/core/entity'
import { formatInstant, HOUR } from '../../../src/model/core/time'
import { createBot } from '../../tools/operatorActions'
import { rows } from '../../tools/rawSql'
import { createFixture } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

let clock = Date.parse('2026-11-01T12:00:00Z') * 1000
const testApp = createTestApp({ RATE_LIMIT: 'off', now: () => ++clock })
const { ask, makeSystem, deps } = testApp

async function createToken(as: TestSystem, body: JsonObject) {
  return ask<JsonObject & { token: string }>('POST /v2/systems/@me/tokens', { as, body })
}

function withToken(system: TestSystem, token: string): TestSystem {
  return { ...system, token }
}

describe('tokens', () => {
  test('shows a new token once and stores only its hash', async () => {
    const me = await makeSystem('Lantern Hill')
    const created = await createToken(me, { name: 'deck', scope: 'front' })
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({
      name: 'deck',
      scope: 'front',
      expires: null,
      last_used: null,
    })
    const { json, text } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
    expect(json.map(({ name, scope }) => [name, scope])).toEqual([
      ['test', 'full'],
      ['deck', 'front'],
    ])
    expect(text).not.toContain(created.json.token)
    expect(testApp.logged()).not.toContain(created.json.token)
    const stored = await rows(deps.db, 'select * from tokens')
    expect(JSON.stringify(stored)).not.toContain(created.json.token)
  })

  test('creates a full token when no scope is given', async () => {
    const me = await makeSystem()
    expect((await createToken(me, { name: 'all' })).json.scope).toBe('full')
  })

  test('refuses a token name that is in use', async () => {
    const me = await makeSystem()
    await createToken(me, { name: 'deck' })
    expect((await createToken(me, { name: 'deck' })).status).toBe(409)
  })

  test.each<[string, JsonObject, string[]]>([
    ['without a name', {}, ['name']],
    ['with an empty name', { name: '' }, ['name']],
    ['with a name that is too long', { name: 'x'.repeat(101) }, ['name']],
    ['named ..', { name: '..' }, ['name']],
    ['with an unknown scope', { name: 'a', scope: 'god' }, ['scope']],
    ['that has expired already', { name: 'a', expires: '2020-01-01T00:00:00Z' }, ['expires']],
    [
      'with an invalid expiry and scope',
      { name: 'a', expires: 'soon', scope: 1 },
      ['expires', 'scope'],
    ],
    [
      'with private_members but without the watch scope',
      { name: 'a', private_members: true },
      ['private_members'],
    ],
  ])('refuses a token %s and lists every problem', async (_, body, keys) => {
    const { status, json } = await createToken(await makeSystem(), body)
    expect(status).toBe(400)
    expect(Object.keys((json.errors ?? {}) as object).toSorted()).toEqual(keys.toSorted())
  })

  test('refuses the fifty-first token of a system', async () => {
    const me = await makeSystem()
    for (let at = 1; at < 50; at++)
      expect((await createToken(me, { name: `n${at}` })).status).toBe(201)
    const { status, json } = await createToken(me, { name: 'one more' })
    expect([status, json.code]).toEqual([400, 0])
  })

  test('refuses an expired token and frees its name', async () => {
    const me = await makeSystem()
    const created = await createToken(me, {
      name: 'brief',
      expires: '2026-11-02T00:00:00Z',
      scope: 'read',
    })
    const holder = withToken(me, created.json.token)
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(200)
    clock += 24 * HOUR
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(401)
    const { json } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
    expect(json.map(({ name }) => name)).not.toContain('brief')
    expect((await createToken(me, { name: 'brief' })).status).toBe(201)
  })

  test('refuses a revoked token at once', async () => {
    const me = await makeSystem()
    const { json } = await createToken(me, { name: 'a b/c', scope: 'read' })
    const holder = withToken(me, json.token)
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(200)
    expect((await ask('DELETE /v2/systems/@me/tokens/a%20b%2Fc', { as: me })).status).toBe(204)
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(401)
    expect((await ask('DELETE /v2/systems/@me/tokens/a%20b%2Fc', { as: me })).status).toBe(404)
  })

  test('records the last use of a token at most once an hour', async () => {
    const me = await makeSystem()
    const { json: created } = await createToken(me, { name: 'deck', scope: 'read' })
    await ask('GET /v2/systems/@me', { as: withToken(me, created.token) })
    const used = async () => {
      const { json } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
      return json[1]?.last_used
    }
    // The use is recorded after the response.
    let first: unknown = null
    while (first === null) first = await used()
    expect(first).toStartWith('2026-11')
    expect(await used()).toBe(first)
  })
})

test('an expired token cannot be revoked, and a bot can use its name', async () => {
  const me = await makeSystem()
  await createToken(me, { name: 'brief', scope: 'watch', expires: formatInstant(clock + HOUR) })
  clock += 2 * HOUR
  expect((await ask('DELETE /v2/systems/@me/tokens/brief', { as: me })).status).toBe(404)
  const headers = { authorization: `Bot ${await createBot(deps, 'another')}` }
  const body = { name: 'brief' }
  expect((await ask(`POST /bot/systems/${me.hid}/token`, { headers, body })).status).toBe(200)
})

describe('tokens created by bots', () => {
  test('a token created by a bot replaces a full token of that name, and no other', async () => {
    const me = await makeSystem()
    const headers = { authorization: `Bot ${await createBot(deps, 'bot')}` }
    const line = `POST /bot/systems/${me.hid}/token`
    expect((await ask(line, { headers, body: { name: 'test' } })).status).toBe(200)
    expect((await ask('GET /v2/systems/@me', { as: me })).status).toBe(401)
    const { json } = await ask<{ token: string }>(line, { headers, body: { name: 'fresh' } })
    await createToken(withToken(me, json.token), { name: 'friend', scope: 'watch' })
    expect((await ask(line, { headers, body: { name: 'friend' } })).status).toBe(409)
  })
})

describe('watch tokens', async () => {
  const fixture = await createFixture(testApp)
  const { owner, wren, finch } = fixture
  await ask('PATCH /v2/systems/@me', {
    as: owner,
    body: {
      name: 'Lantern Hill',
      description: 'secret words',
      privacy: {
        name_privacy: 'private',
        description_privacy: 'private',
        front_privacy: 'private',
        front_history_privacy: 'private',
        member_list_privacy: 'private',
      },
    },
  })
  await ask(`PATCH /v2/members/${finch.hid}`, {
    as: owner,
    body: { privacy: { visibility: 'private' } },
  })
  await ask(`PATCH /v2/members/${wren.hid}`, {
    as: owner,
    body: { description: 'private words', privacy: { description_privacy: 'private' } },
  })
  await ask('POST /v2/systems/@me/switches', {
    as: owner,
    body: { members: [wren.hid, finch.hid] },
  })
  const watcher = withToken(
    owner,
    (await createToken(owner, { name: 'some', scope: 'watch' })).json.token,
  )
  const privateWatcher = withToken(
    owner,
    (await createToken(owner, { name: 'all', scope: 'watch', private_members: true })).json.token,
  )

  interface Front extends JsonObject {
    members: { id: string; description: string | null }[]
    hidden?: number
  }

  test('a watch token shows public fronters and the number of private ones', async () => {
    for (const ref of ['@me', owner.hid, owner.uuid]) {
      const { status, json } = await ask<Front>(`GET /v2/systems/${ref}/fronters`, { as: watcher })
      expect(status).toBe(200)
      expect(json.members.map(({ id }) => id)).toEqual([wren.hid])
      expect(json.members[0]?.description).toBeNull()
      expect(json.hidden).toBe(1)
    }
  })

  test('a watch token with private_members shows all fronters and no number', async () => {
    const { json } = await ask<Front>('GET /v2/systems/@me/fronters', { as: privateWatcher })
    expect(json.members.map(({ id }) => id)).toEqual([wren.hid, finch.hid])
    expect('hidden' in json).toBe(false)
  })

  test('the fronter stream of a watch token hides private members', async () => {
    const response = await testApp.app.handle(
      new Request('http://localhost/v2/systems/@me/fronters/stream', {
        headers: { authorization: watcher.token },
      }),
      '127.0.0.1',
    )
    const reader = response.body?.getReader()
    let text = ''
    while (!text.includes('data:'))
      text += new TextDecoder().decode((await reader?.read())?.value ?? new Uint8Array())
    await reader?.cancel()
    expect(text).toContain('"hidden":1')
    expect(text).not.toContain(finch.hid)
  })

  test('a watch token shows the name of the system and no other private field', async () => {
    const { json, text } = await ask('GET /v2/systems/@me', { as: watcher })
    expect(json).toMatchObject({ name: 'Lantern Hill', description: null, privacy: null })
    expect(text).not.toContain('secret')
  })

  test.each([
    ['/v2/systems/@me/members', 403, 30001],
    ['/v2/systems/@me/switches', 403, 30005],
    ['/v2/systems/@me/fronting/totals', 403, 30005],
  ])('a watch token cannot read %s', async (path, status, code) => {
    const response = await ask(`GET ${path}`, { as: watcher })
    expect([response.status, response.json.code]).toEqual([status, code])
  })

  test('watch and calendar tokens show no private field in version 1', async () => {
    const calendar = (await createToken(owner, { name: 'calendar', scope: 'calendar' })).json.token
    for (const path of ['/v1/s', `/v1/s/${owner.hid}`]) {
      const watched = await ask(`GET ${path}`, { as: watcher })
      expect(watched.json).toMatchObject({ name: 'Lantern Hill', description: null })
      const unshared = await ask(`GET ${path}`, { as: withToken(owner, calendar) })
      expect(unshared.json).toMatchObject({ name: null, description: null })
      expect(watched.text + unshared.text).not.toContain('secret')
    }
  })

  test('a watch token is anonymous to other systems', async () => {
    const { json } = await ask(`GET /v2/systems/${fixture.other.hid}/fronters`, { as: watcher })
    expect('hidden' in json).toBe(false)
  })
})

describe('calendars', async () => {
  const me = await makeSystem('Lantern Hill')
  const { json } = await ask<{ id: string }>('POST /v2/members', { as: me, body: { name: 'Wren' } })
  await ask('POST /v2/systems/@me/switches', { as: me, body: { members: [json.id] } })
  await ask('PATCH /v2/systems/@me', {
    as: me,
    body: { privacy: { front_history_privacy: 'private' } },
  })
  await ask(`PATCH /v2/members/${json.id}`, {
    as: me,
    body: { privacy: { visibility: 'private' } },
  })
  const subscriber = (await createToken(me, { name: 'calendar', scope: 'calendar' })).json.token
  const other = await makeSystem()
  const foreign = (await createToken(other, { name: 'calendar', scope: 'calendar' })).json.token
  const path = `GET /v2/systems/${me.hid}/fronting.ics`

  test.each<[string, string, number, number | null]>([
    ['with its token', `?token=${encodeURIComponent(subscriber)}`, 200, null],
    [
      'with a plus sign that was not encoded',
      `?token=${subscriber.replaceAll('/', '%2F').replaceAll('=', '%3D')}`,
      200,
      null,
    ],
    ['without a token', '', 403, 30005],
    ['with another system’s token', `?token=${encodeURIComponent(foreign)}`, 403, 30005],
    ['with a token of another scope', `?token=${encodeURIComponent(me.token)}`, 403, 0],
    ['with a wrong token', '?token=nonsense', 401, 0],
    ['with an empty token', '?token=', 400, 0],
  ])('a private calendar %s', async (_, query, status, code) => {
    const response = await ask(path + query)
    expect(response.status).toBe(status)
    if (code !== null) return expect(response.json.code).toBe(code)
    expect(response.text).toContain('SUMMARY:Wren')
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
  })

  test('does not log the token of a calendar', () => {
    expect(testApp.logged()).not.toContain(subscriber)
    expect(testApp.logged()).not.toContain(encodeURIComponent(subscriber))
  })
})
