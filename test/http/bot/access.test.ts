import { bots, tokens } from '../../../src/db/tables'
import { group } from '../../../src/model/groups/group'
import { member } from '../../../src/model/members/member'
import { type BotRequest, bot } from '../../contract/endpoints/bot'
import { drizzleOn } from '../../tools/drizzle'
import { createBot, revokeBot } from '../../tools/operatorActions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createBotFixtures, type Json } from './botFixture'
import { settings } from './proxyScenarios'

const testApp = createTestApp({ RATE_LIMIT: 'generic_get=2,message=2,generic_update=2' })
const createBotFixture = createBotFixtures(testApp)

const routes = Object.keys(bot)
const fillParams = (route: string) =>
  route.replace('{systemRef}', '<system>').replace(/\{\w+\}/g, '1')

describe('bot routes', () => {
  test.each(routes)('%s requires a bot key', async (route) => {
    const fixture = await createBotFixture()
    const callers: [string, number][] = [
      ['', 401],
      ['Bot', 401],
      ['Bot wrong', 401],
      ['<key>', 401],
      ['Bearer <key>', 401],
      ['Bot <token>', 401],
      ['<token>', 403],
      ['Bearer <token>', 403],
    ]
    for (const [authorization, expected] of callers) {
      const body = route.startsWith('GET') ? undefined : 'not JSON'
      const { status, json } = await fixture.ask(fillParams(route), body, { authorization })
      expect({ authorization, status, code: json.code }).toEqual({
        authorization,
        status: expected,
        code: 0,
      })
    }
  })
})

test('refuses a revoked bot key at once and accepts other keys', async () => {
  const fixture = await createBotFixture()
  const authorization = `Bot ${await createBot(testApp.deps, 'matrix')}`
  const ask = (line: string) => fixture.ask(line, undefined, { authorization })
  expect((await ask('GET /bot/accounts/<account>')).status).toBe(200)
  expect((await ask('GET /v2/systems/@me')).status).toBe(200)
  await revokeBot(testApp.deps, 'matrix')
  expect((await ask('GET /bot/accounts/<account>')).status).toBe(401)
  expect((await ask('GET /v2/systems/@me')).status).toBe(401)
  expect((await fixture.ask('GET /bot/accounts/<account>')).status).toBe(200)
})

describe('X-System', () => {
  test.each([
    ['a short ID', '<system>', (id: string) => id],
    ['a short ID in upper case', '<system>', (id: string) => id.toUpperCase()],
    ['a short ID in two halves', '<system>', (id: string) => `${id.slice(0, 3)}-${id.slice(3)}`],
    ['a UUID', '<system.uuid>', (uuid: string) => uuid],
    ['a UUID in upper case', '<system.uuid>', (uuid: string) => uuid.toUpperCase()],
    ['an account', '<account>', (account: string) => account],
  ])('X-System accepts %s', async (_, name, form) => {
    const fixture = await createBotFixture()
    const headers = { 'x-system': form(fixture.fill(name)) }
    const { status, json } = await fixture.ask('GET /v2/systems/@me', undefined, headers)
    expect(status).toBe(200)
    expect(json.id).toBe(fixture.fill('<system>'))
  })

  test.each(['zzzzzz', '', '00000000-0000-4000-8000-000000000000', '99999999999999999', '?'])(
    'an unknown X-System (%j) returns 404 on v2 and is ignored by bot routes',
    async (unknown) => {
      const fixture = await createBotFixture()
      const headers = { 'x-system': unknown }
      for (const line of [
        'GET /v2/systems/@me',
        'GET /v2/members/<wren>',
        'GET /systems/<system>',
      ]) {
        const { status, json } = await fixture.ask(line, undefined, headers)
        expect({ status, code: json.code }).toEqual({ status: 404, code: 20001 })
      }
      const { status } = await fixture.ask('GET /bot/accounts/<account>', undefined, headers)
      expect(status).toBe(200)
    },
  )

  test('X-System refuses @me because a bot has no system', async () => {
    const fixture = await createBotFixture()
    const headers = { 'x-system': '@me' }
    for (const line of ['GET /v2/systems/@me', 'GET /v2/members/<wren>', 'GET /v1/s']) {
      const { status, json } = await fixture.ask(line, undefined, headers)
      expect({ status, code: json.code }).toEqual({ status: 400, code: 0 })
    }
  })

  test('a bot with X-System has the permissions of that system only', async () => {
    const [fixture, other] = [await createBotFixture(), await createBotFixture()]
    await fixture.do('PATCH /v2/systems/@me', {
      name: 'Hill',
      privacy: { name_privacy: 'private' },
    })
    expect(await fixture.do('GET /v2/systems/<system>')).toHaveProperty('name', 'Hill')
    fixture.names.stray = other.fill('<wren>')
    const { status, json } = await fixture.ask('PATCH /v2/members/<stray>', { name: 'Mine' })
    expect({ status, code: json.code }).toEqual({ status: 403, code: 30006 })
  })

  test('X-System is ignored next to the token of a system', async () => {
    const [fixture, other] = [await createBotFixture(), await createBotFixture()]
    const headers = { authorization: '<token>', 'x-system': other.fill('<system>') }
    const { json } = await fixture.ask('GET /v2/systems/@me', undefined, headers)
    expect(json.id).toBe(fixture.fill('<system>'))
  })

  test.each<[line: string, body: unknown]>([
    ['GET /v2/systems/@me', undefined],
    ['GET /systems/@me/members', undefined],
    ['GET /v2/systems/@me/settings', undefined],
    ['GET /v2/systems/@me/webhook', undefined],
    ['GET /v2/systems/@me/events', undefined],
    ['GET /v1/s', undefined],
    ['GET /v2/systems/@me/export', undefined],
    ['GET /v2/systems/@me/guilds/<guild>', undefined],
    ['GET /v2/systems/@me/autoproxy?guild_id=<guild>', undefined],
    ['GET /v2/members/<wren>/guilds/<guild>', undefined],
    ['PATCH /v2/systems/<system>', { name: 'x' }],
    ['POST /v2/members', { name: 'x' }],
    ['POST /members', 'not JSON'],
    ['DELETE /v2/groups/<wren>', undefined],
    ['PATCH /v1/s', { name: 'x' }],
    ['POST /private/bulk_privacy/member', { visibility: 'private' }],
  ])('a bot must send X-System where a system is needed: %s', async (line, body) => {
    const fixture = await createBotFixture()
    const headers = { authorization: fixture.fill('Bot <key>') }
    const { status, json } = await testApp.ask(fixture.fill(line), { headers, body })
    expect({ status, json }).toEqual({
      status: 400,
      json: { message: '400: Bad Request (name a system in X-System)', code: 0 },
    })
  })

  test('a bot without X-System is anonymous on v2', async () => {
    const fixture = await createBotFixture()
    const bot = { authorization: fixture.fill('Bot <key>') }
    await fixture.do('PATCH /v2/members/<wren>', {
      pronouns: 'it',
      privacy: { pronoun_privacy: 'private' },
    })
    const asBot = (line: string, body?: unknown) =>
      testApp.ask(fixture.fill(line), { headers: bot, body })
    expect((await asBot('GET /v2/members/<wren>')).json).toMatchObject({
      name: 'Wren',
      pronouns: null,
      privacy: null,
    })
  })
})

test('bots are not rate limited, unlike the token of a system', async () => {
  const fixture = await createBotFixture()
  const sendAs = (authorization: string, line: string) =>
    testApp.ask(fixture.fill(line), {
      peer: '203.0.113.9',
      headers: fixture.fill({ authorization, 'x-system': '<system>' }),
    })
  for (const line of ['GET /v2/systems/@me', 'GET /bot/accounts/<account>', 'GET /v2/messages/1'])
    for (let times = 0; times < 10; times++) {
      const { status, headers } = await sendAs('Bot <key>', line)
      expect(status).not.toBe(429)
      expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    }
  const limited = await Promise.all(
    Array.from({ length: 10 }, () => sendAs('<token>', 'GET /v2/systems/@me')),
  )
  expect(limited.map(({ status }) => status)).toContain(429)
})

test('only responses that create a token show a token, a key or its hash', async () => {
  const fixture = await createBotFixture()
  const requests = Object.values(bot).flatMap((row) => ('line' in row ? [row] : []))
  const reads = ['', '/settings', '/members'].map((path) => ({
    line: `GET /v2/systems/@me${path}`,
  }))
  // The last request deletes the system.
  const steps: BotRequest[] = [...requests.slice(0, -1), ...reads, ...requests.slice(-1)]

  const { code } = await fixture.do<{ code: string }>('POST /v2/systems/@me/link-code')
  fixture.names.code = code

  const storedTokens = await drizzleOn(testApp.deps.db).select().from(tokens).all()
  const keys = await drizzleOn(testApp.deps.db).select().from(bots).all()
  const secrets = [
    fixture.names.token,
    fixture.names.key,
    ...[...storedTokens, ...keys].map((row) => row.hash),
  ]
  for (const { line, body } of steps) {
    const { status, text, headers } = await fixture.ask(line, body)
    expect(status, line).toBeLessThan(300)
    const response = text + JSON.stringify([...headers])
    expect(secrets.filter((secret) => response.includes(secret ?? ''))).toEqual([])
  }
  expect(testApp.logged()).not.toContain(fixture.names.key ?? '')
})

describe('default privacy', () => {
  const levelsOf = (levels: readonly string[], level: string) =>
    Object.fromEntries(levels.map((name) => [name, level]))
  const kinds = [
    ['members', 'member_default_private', member.levels],
    ['groups', 'group_default_private', group.levels],
  ] as const

  describe.each(kinds)('default privacy of %s', (path, setting, levels) => {
    const create = async (
      isDefaultPrivate: boolean,
      body: Json,
      headers?: Record<string, string>,
    ) => {
      const fixture = await createBotFixture()
      await fixture.doAll([settings({ [setting]: isDefaultPrivate })])
      const { json } = await fixture.ask(`POST /v2/${path}`, { name: 'New', ...body }, headers)
      return json.privacy
    }
    const all = (level: string) => levelsOf(levels, level)

    test.each<[string, boolean, Json, object]>([
      ['creates them public by default', false, {}, all('public')],
      ['creates them private when the setting is on', true, {}, all('private')],
      [
        'creates them private when the body has an empty privacy object',
        true,
        { privacy: {} },
        all('private'),
      ],
      [
        'creates them private when the body has null for privacy',
        true,
        { privacy: null },
        all('private'),
      ],
      [
        'uses the levels of the body when it has any',
        true,
        { privacy: { visibility: 'private' } },
        { ...all('public'), visibility: 'private' },
      ],
      [
        'creates them public when the body has null for a level',
        true,
        { privacy: { visibility: null } },
        all('public'),
      ],
    ])(`new ${path} by a bot: %s`, async (_, isDefaultPrivate, body, expected) => {
      expect(await create(isDefaultPrivate, body)).toEqual(expected)
    })

    test(`${setting} does not apply to requests with the system’s token`, async () => {
      expect(await create(true, {}, { authorization: '<token>' })).toEqual(all('public'))
    })

    test(`only ${setting} applies to new ${path}`, async () => {
      const fixture = await createBotFixture()
      const other = kinds.find(([name]) => name !== path)?.[1] ?? ''
      await fixture.doAll([settings({ [other]: true })])
      expect((await fixture.do(`POST /v2/${path}`, { name: 'New' })).privacy).toEqual(all('public'))
    })
  })
})
