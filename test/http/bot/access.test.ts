import { describe, expect, test } from 'bun:test'
import { bots, tokens } from '../../../src/db/tables'
import { group } from '../../../src/model/group'
import { member } from '../../../src/model/member'
import { document } from '../../openapiDocument'
import { createBot, revokeBot } from '../../operatorActions'
import { createTestApp } from '../../testApp'
import { createBotFixtures, type Json, type Step } from './botFixture'
import { settings, spoke } from './proxyScenarios'

const here = createTestApp({ RATE_LIMIT: 'generic_get=2,message=2,generic_update=2' })
const makeStage = createBotFixtures(here)

const routes = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/bot/'))
  .flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
const named = (route: string) => route.replace('{systemRef}', '<system>').replace(/\{\w+\}/g, '1')

describe('every route for bots', () => {
  test('is documented', () => expect(routes.length).toBeGreaterThanOrEqual(18))

  test.each(routes)('%s is for the holders of a bot key alone', async (route) => {
    const stage = await makeStage()
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
      const { status, json } = await stage.ask(named(route), body, { authorization })
      expect({ authorization, status, code: json.code }).toEqual({
        authorization,
        status: expected,
        code: 0,
      })
    }
  })
})

test('a revoked key stops at once, and no other does', async () => {
  const stage = await makeStage()
  const authorization = `Bot ${await createBot(here.deps, 'matrix')}`
  const ask = (line: string) => stage.ask(line, undefined, { authorization })
  expect((await ask('GET /bot/accounts/<account>')).status).toBe(200)
  expect((await ask('GET /v2/systems/@me')).status).toBe(200)
  await revokeBot(here.deps, 'matrix')
  expect((await ask('GET /bot/accounts/<account>')).status).toBe(401)
  expect((await ask('GET /v2/systems/@me')).status).toBe(401)
  expect((await stage.ask('GET /bot/accounts/<account>')).status).toBe(200)
})

describe('X-System', () => {
  test.each([
    ['a short ID', '<system>', (id: string) => id],
    ['a short ID in upper case', '<system>', (id: string) => id.toUpperCase()],
    ['a short ID in two halves', '<system>', (id: string) => `${id.slice(0, 3)}-${id.slice(3)}`],
    ['a UUID', '<system.uuid>', (uuid: string) => uuid],
    ['a UUID in upper case', '<system.uuid>', (uuid: string) => uuid.toUpperCase()],
    ['an account', '<account>', (account: string) => account],
  ])('takes %s', async (_, name, form) => {
    const stage = await makeStage()
    const headers = { 'x-system': form(stage.fill(name)) }
    const { status, json } = await stage.ask('GET /v2/systems/@me', undefined, headers)
    expect(status).toBe(200)
    expect(json.id).toBe(stage.fill('<system>'))
  })

  test.each(['zzzzzz', '', '00000000-0000-4000-8000-000000000000', '99999999999999999', '?'])(
    'that names nobody (%j) is 404 on v2, and says nothing to the routes for bots',
    async (unknown) => {
      const stage = await makeStage()
      const headers = { 'x-system': unknown }
      for (const line of [
        'GET /v2/systems/@me',
        'GET /v2/members/<wren>',
        'GET /systems/<system>',
      ]) {
        const { status, json } = await stage.ask(line, undefined, headers)
        expect({ status, code: json.code }).toEqual({ status: 404, code: 20001 })
      }
      const { status } = await stage.ask('GET /bot/accounts/<account>', undefined, headers)
      expect(status).toBe(200)
    },
  )

  test('is not @me: a bot has no system of its own', async () => {
    const stage = await makeStage()
    const headers = { 'x-system': '@me' }
    for (const line of ['GET /v2/systems/@me', 'GET /v2/members/<wren>', 'GET /v1/s']) {
      const { status, json } = await stage.ask(line, undefined, headers)
      expect({ status, code: json.code }).toEqual({ status: 400, code: 0 })
    }
  })

  test('makes a bot that system, with all its rights and no others', async () => {
    const [stage, other] = [await makeStage(), await makeStage()]
    await stage.do('PATCH /v2/systems/@me', { name: 'Hill', privacy: { name_privacy: 'private' } })
    expect(await stage.do('GET /v2/systems/<system>')).toHaveProperty('name', 'Hill')
    stage.names.stray = other.fill('<wren>')
    const { status, json } = await stage.ask('PATCH /v2/members/<stray>', { name: 'Mine' })
    expect({ status, code: json.code }).toEqual({ status: 403, code: 30006 })
  })

  test('says nothing to the token of a system', async () => {
    const [stage, other] = [await makeStage(), await makeStage()]
    const headers = { authorization: '<token>', 'x-system': other.fill('<system>') }
    const { json } = await stage.ask('GET /v2/systems/@me', undefined, headers)
    expect(json.id).toBe(stage.fill('<system>'))
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
  ])('must be said where a system is needed: %s', async (line, body) => {
    const stage = await makeStage()
    const headers = { authorization: stage.fill('Bot <key>') }
    const { status, json } = await here.ask(stage.fill(line), { headers, body })
    expect({ status, json }).toEqual({
      status: 400,
      json: { message: '400: Bad Request (name a system in X-System)', code: 0 },
    })
  })

  test('left out, a bot is nobody on v2', async () => {
    const stage = await makeStage()
    const bot = { authorization: stage.fill('Bot <key>') }
    await stage.do('PATCH /v2/members/<wren>', {
      pronouns: 'it',
      privacy: { pronoun_privacy: 'private' },
    })
    const asBot = (line: string, body?: unknown) =>
      here.ask(stage.fill(line), { headers: bot, body })
    expect((await asBot('GET /v2/members/<wren>')).json).toMatchObject({
      name: 'Wren',
      pronouns: null,
      privacy: null,
    })
  })
})

test('a bot is not limited, unlike the system it speaks for', async () => {
  const stage = await makeStage()
  const asking = (authorization: string, line: string) =>
    here.ask(stage.fill(line), {
      peer: '203.0.113.9',
      headers: stage.fill({ authorization, 'x-system': '<system>' }),
    })
  for (const line of ['GET /v2/systems/@me', 'GET /bot/accounts/<account>', 'GET /v2/messages/1'])
    for (let times = 0; times < 10; times++) {
      const { status, headers } = await asking('Bot <key>', line)
      expect(status).not.toBe(429)
      expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    }
  const limited = await Promise.all(
    Array.from({ length: 10 }, () => asking('<token>', 'GET /v2/systems/@me')),
  )
  expect(limited.map(({ status }) => status)).toContain(429)
})

test('no answer but of those that make one shows a token, a key or its hash', async () => {
  const stage = await makeStage()
  const tour: Step[] = [
    ['GET /bot/accounts/<account>'],
    ['PATCH /bot/accounts/<account>', { autoproxy_enabled: true }],
    ['PUT /bot/systems/<system>/accounts/42'],
    ['DELETE /bot/systems/<system>/accounts/42'],
    ['GET /bot/guilds/<guild>'],
    ['PATCH /bot/guilds/<guild>', { require_system_tag: false }],
    ['PATCH /bot/systems/<system>/guilds/<guild>', {}],
    ['GET /bot/systems/<system>/guilds/<guild>'],
    ['PATCH /bot/members/<wren>/guilds/<guild>', {}],
    ['GET /bot/members/<wren>/guilds/<guild>'],
    [
      'POST /bot/proxy',
      { account_id: '<account>', guild_id: '<guild>', channel_id: '1', content: 'w:hello' },
    ],
    spoke('wren'),
    ['DELETE /bot/messages/<sent>'],
    ['POST /bot/messages/delete', ['<sent>']],
    ['DELETE /bot/systems/<system>/switches'],
    ['POST /bot/link', { account_id: '<account>', code: '<code>' }],
    ['DELETE /bot/accounts/<account>'],
    ['GET /v2/systems/@me'],
    ['GET /v2/systems/@me/settings'],
    ['GET /v2/systems/@me/members'],
    ['DELETE /bot/systems/<system>'],
  ]
  const toured = tour.map(([line]) => shapeOf(line))
  const making = ['POST /bot/systems', 'POST /bot/systems/*/login', 'POST /bot/systems/*/token']
  expect(routes.map(shapeOf).filter((shape) => !toured.includes(shape))).toEqual(making)

  const { code } = await stage.do<{ code: string }>('POST /v2/systems/@me/link-code')
  stage.names.code = code

  const kept = await here.deps.db.select().from(tokens).all()
  const keys = await here.deps.db.select().from(bots).all()
  const secrets = [stage.names.token, stage.names.key, ...[...kept, ...keys].map((row) => row.hash)]
  for (const [line, body] of tour) {
    const { status, text, headers } = await stage.ask(line, body)
    expect(status, line).toBeLessThan(300)
    const answer = text + JSON.stringify([...headers])
    expect(secrets.filter((secret) => answer.includes(secret ?? ''))).toEqual([])
  }
  expect(here.logged()).not.toContain(stage.names.key ?? '')
})

describe('privacy by default', () => {
  const levelsOf = (levels: readonly string[], level: string) =>
    Object.fromEntries(levels.map((name) => [name, level]))
  const kinds = [
    ['members', 'member_default_private', member.levels],
    ['groups', 'group_default_private', group.levels],
  ] as const

  describe.each(kinds)('of %s', (path, setting, levels) => {
    const make = async (wish: boolean, body: Json, headers?: Record<string, string>) => {
      const stage = await makeStage()
      await stage.doAll([settings({ [setting]: wish })])
      const { json } = await stage.ask(`POST /v2/${path}`, { name: 'New', ...body }, headers)
      return json.privacy
    }
    const all = (level: string) => levelsOf(levels, level)

    test.each<[string, boolean, Json, object]>([
      ['is public where nothing is said', false, {}, all('public')],
      ['is private where the system wishes it', true, {}, all('private')],
      ['is private also for an empty wish', true, { privacy: {} }, all('private')],
      ['is private also for a wish of null', true, { privacy: null }, all('private')],
      [
        'is as the payload says where it says anything',
        true,
        { privacy: { visibility: 'private' } },
        { ...all('public'), visibility: 'private' },
      ],
      ['is public for a level of null', true, { privacy: { visibility: null } }, all('public')],
    ])('%s', async (_, wish, body, expected) => {
      expect(await make(wish, body)).toEqual(expected)
    })

    test('is no matter of the system’s own calls', async () => {
      expect(await make(true, {}, { authorization: '<token>' })).toEqual(all('public'))
    })

    test('of the other kind does not count', async () => {
      const stage = await makeStage()
      const other = kinds.find(([name]) => name !== path)?.[1] ?? ''
      await stage.doAll([settings({ [other]: true })])
      expect((await stage.do(`POST /v2/${path}`, { name: 'New' })).privacy).toEqual(all('public'))
    })
  })
})

function shapeOf(line: string): string {
  return line.replaceAll(/<[\w.]+>|\{\w+\}|\b42\b/g, '*')
}
