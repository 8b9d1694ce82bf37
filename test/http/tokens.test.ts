import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/model/entity'
import { formatInstant, HOUR } from '../../src/model/time'
import { createBot } from '../operatorActions'
import { rows } from '../rawSql'
import { createFixture } from '../scenarios'
import { createTestApp, type TestSystem } from '../testApp'

let clock = Date.parse('2026-11-01T12:00:00Z') * 1000
const house = createTestApp({ RATE_LIMIT: 'off', now: () => ++clock })
const { ask, makeSystem, deps } = house

async function make(as: TestSystem, body: JsonObject) {
  return ask<JsonObject & { token: string }>('POST /v2/systems/@me/tokens', { as, body })
}

function holding(someone: TestSystem, token: string): TestSystem {
  return { ...someone, token }
}

describe('a token', () => {
  test('is shown once, and kept as nothing that could be used', async () => {
    const me = await makeSystem('Lantern Hill')
    const made = await make(me, { name: 'deck', scope: 'front' })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
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
    expect(text).not.toContain(made.json.token)
    expect(house.logged()).not.toContain(made.json.token)
    const kept = await rows(deps.db, 'select * from tokens')
    expect(JSON.stringify(kept)).not.toContain(made.json.token)
  })

  test('is full when nothing is said', async () => {
    const me = await makeSystem()
    expect((await make(me, { name: 'all' })).json.scope).toBe('full')
  })

  test('of a name that is taken is refused', async () => {
    const me = await makeSystem()
    await make(me, { name: 'deck' })
    expect((await make(me, { name: 'deck' })).status).toBe(409)
  })

  test.each<[string, JsonObject, string[]]>([
    ['without a name', {}, ['name']],
    ['with an empty one', { name: '' }, ['name']],
    ['with one too long', { name: 'x'.repeat(101) }, ['name']],
    ['named ..', { name: '..' }, ['name']],
    ['of no scope', { name: 'a', scope: 'god' }, ['scope']],
    ['that is over already', { name: 'a', expires: '2020-01-01T00:00:00Z' }, ['expires']],
    ['that ends at no time', { name: 'a', expires: 'soon', scope: 1 }, ['expires', 'scope']],
    [
      'that reads and shows private members',
      { name: 'a', private_members: true },
      ['private_members'],
    ],
  ])('%s is refused with every problem', async (_, body, keys) => {
    const { status, json } = await make(await makeSystem(), body)
    expect(status).toBe(400)
    expect(Object.keys((json.errors ?? {}) as object).toSorted()).toEqual(keys.toSorted())
  })

  test('number fifty-one is refused', async () => {
    const me = await makeSystem()
    for (let at = 1; at < 50; at++) expect((await make(me, { name: `n${at}` })).status).toBe(201)
    const { status, json } = await make(me, { name: 'one more' })
    expect([status, json.code]).toEqual([400, 0])
  })

  test('that expired is none, and its name is free', async () => {
    const me = await makeSystem()
    const made = await make(me, { name: 'brief', expires: '2026-11-02T00:00:00Z', scope: 'read' })
    const holder = holding(me, made.json.token)
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(200)
    clock += 24 * HOUR
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(401)
    const { json } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
    expect(json.map(({ name }) => name)).not.toContain('brief')
    expect((await make(me, { name: 'brief' })).status).toBe(201)
  })

  test('that is revoked is useless at once', async () => {
    const me = await makeSystem()
    const { json } = await make(me, { name: 'a b/c', scope: 'read' })
    const holder = holding(me, json.token)
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(200)
    expect((await ask('DELETE /v2/systems/@me/tokens/a%20b%2Fc', { as: me })).status).toBe(204)
    expect((await ask('GET /v2/systems/@me', { as: holder })).status).toBe(401)
    expect((await ask('DELETE /v2/systems/@me/tokens/a%20b%2Fc', { as: me })).status).toBe(404)
  })

  test('remembers when it was last used, to the hour', async () => {
    const me = await makeSystem()
    const { json: made } = await make(me, { name: 'deck', scope: 'read' })
    await ask('GET /v2/systems/@me', { as: holding(me, made.token) })
    const used = async () => {
      const { json } = await ask<JsonObject[]>('GET /v2/systems/@me/tokens', { as: me })
      return json[1]?.last_used
    }
    // Nobody waits for it to be kept.
    let first: unknown = null
    while (first === null) first = await used()
    expect(first).toStartWith('2026-11')
    expect(await used()).toBe(first)
  })
})

test('an expired token holds its name against nobody, and is not there to be revoked', async () => {
  const me = await makeSystem()
  await make(me, { name: 'brief', scope: 'watch', expires: formatInstant(clock + HOUR) })
  clock += 2 * HOUR
  expect((await ask('DELETE /v2/systems/@me/tokens/brief', { as: me })).status).toBe(404)
  const headers = { authorization: `Bot ${await createBot(deps, 'another')}` }
  const body = { name: 'brief' }
  expect((await ask(`POST /bot/systems/${me.hid}/token`, { headers, body })).status).toBe(200)
})

describe('a bot’s token', () => {
  test('takes the place of one that may do everything, and of no other', async () => {
    const me = await makeSystem()
    const headers = { authorization: `Bot ${await createBot(deps, 'bot')}` }
    const line = `POST /bot/systems/${me.hid}/token`
    expect((await ask(line, { headers, body: { name: 'test' } })).status).toBe(200)
    expect((await ask('GET /v2/systems/@me', { as: me })).status).toBe(401)
    const { json } = await ask<{ token: string }>(line, { headers, body: { name: 'fresh' } })
    await make(holding(me, json.token), { name: 'friend', scope: 'watch' })
    expect((await ask(line, { headers, body: { name: 'friend' } })).status).toBe(409)
  })
})

describe('who watches', async () => {
  const world = await createFixture(house)
  const { owner, wren, finch } = world
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
  const some = holding(owner, (await make(owner, { name: 'some', scope: 'watch' })).json.token)
  const all = holding(
    owner,
    (await make(owner, { name: 'all', scope: 'watch', private_members: true })).json.token,
  )

  interface Front extends JsonObject {
    members: { id: string; description: string | null }[]
    hidden?: number
  }

  test('sees who fronts as a stranger does; private members are counted', async () => {
    for (const ref of ['@me', owner.hid, owner.uuid]) {
      const { status, json } = await ask<Front>(`GET /v2/systems/${ref}/fronters`, { as: some })
      expect(status).toBe(200)
      expect(json.members.map(({ id }) => id)).toEqual([wren.hid])
      expect(json.members[0]?.description).toBeNull()
      expect(json.hidden).toBe(1)
    }
  })

  test('sees private members where the link says so, and no count', async () => {
    const { json } = await ask<Front>('GET /v2/systems/@me/fronters', { as: all })
    expect(json.members.map(({ id }) => id)).toEqual([wren.hid, finch.hid])
    expect('hidden' in json).toBe(false)
  })

  test('hears the same in the stream', async () => {
    const response = await house.app.handle(
      new Request('http://localhost/v2/systems/@me/fronters/stream', {
        headers: { authorization: some.token },
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

  test('sees whose front it is, and nothing else that is private', async () => {
    const { json, text } = await ask('GET /v2/systems/@me', { as: some })
    expect(json).toMatchObject({ name: 'Lantern Hill', description: null, privacy: null })
    expect(text).not.toContain('secret')
  })

  test.each([
    ['/v2/systems/@me/members', 403, 30001],
    ['/v2/systems/@me/switches', 403, 30005],
    ['/v2/systems/@me/fronting/totals', 403, 30005],
  ])('is a stranger to %s', async (path, status, code) => {
    const answer = await ask(`GET ${path}`, { as: some })
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  test('sees no more through version 1', async () => {
    const calendar = (await make(owner, { name: 'calendar', scope: 'calendar' })).json.token
    for (const path of ['/v1/s', `/v1/s/${owner.hid}`]) {
      const seen = await ask(`GET ${path}`, { as: some })
      expect(seen.json).toMatchObject({ name: 'Lantern Hill', description: null })
      const closed = await ask(`GET ${path}`, { as: holding(owner, calendar) })
      expect(closed.json).toMatchObject({ name: null, description: null })
      expect(seen.text + closed.text).not.toContain('secret')
    }
  })

  test('is nobody to other systems', async () => {
    const { json } = await ask(`GET /v2/systems/${world.other.hid}/fronters`, { as: some })
    expect('hidden' in json).toBe(false)
  })
})

describe('a calendar', async () => {
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
  const subscriber = (await make(me, { name: 'calendar', scope: 'calendar' })).json.token
  const other = await makeSystem()
  const foreign = (await make(other, { name: 'calendar', scope: 'calendar' })).json.token
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
    ['with an empty one', '?token=', 400, 0],
  ])('%s', async (_, query, status, code) => {
    const answer = await ask(path + query)
    expect(answer.status).toBe(status)
    if (code !== null) return expect(answer.json.code).toBe(code)
    expect(answer.text).toContain('SUMMARY:Wren')
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
  })

  test('never stands in the log', () => {
    expect(house.logged()).not.toContain(subscriber)
    expect(house.logged()).not.toContain(encodeURIComponent(subscriber))
  })
})
