import { countRows, tableNames, versionOf, withFailingTrigger } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { type BotFixture, createBotFixtures, type Json } from './botFixture'
import {
  autoproxy,
  fronting,
  inGuild,
  recordMessageStep,
  sendMessage,
  settings,
  systemInGuild,
} from './proxyScenarios'

const testApp = createTestApp()
const createBotFixture = createBotFixtures(testApp)

const statusAndCode = ({ status, json }: { status: number; json: Json | null }) => [
  status,
  json?.code,
]

/** Returns whether a token is valid. */
const isValid = async (token: unknown) =>
  (await testApp.ask('GET /v2/systems/@me', { headers: { authorization: String(token) } }))
    .status === 200

describe('new systems', () => {
  test('a bot creates a system with a token and a linked account', async () => {
    const fixture = await createBotFixture()
    fixture.names.second = `6${fixture.fill('<said>')}`
    const { status, json } = await fixture.ask<{ system: Json; token: string }>(
      'POST /bot/systems',
      {
        account_id: '<second>',
        name: 'Harbour',
      },
    )
    expect(status).toBe(201)
    expect(Object.keys(json)).toEqual(['system', 'token'])
    expect(json.system).toMatchObject({ name: 'Harbour', privacy: { name_privacy: 'public' } })
    expect(json.token).toMatch(/^[A-Za-z0-9+/]{64}$/)
    expect(await isValid(json.token)).toBe(true)
    expect(await fixture.do('GET /bot/accounts/<second>')).toEqual({
      account_id: fixture.fill('<second>'),
      system: json.system.id,
      autoproxy_enabled: true,
    })
    expect(await fixture.takeEvents()).toEqual(['LINK_ACCOUNT'])
  })

  test.each([undefined, {}, { name: '', account_id: null }])(
    'a new system needs neither name nor account (%j)',
    async (body) => {
      const fixture = await createBotFixture()
      const { status, json } = await fixture.ask('POST /bot/systems', body)
      expect(status).toBe(201)
      expect(json.system).toHaveProperty('name', null)
      expect(await fixture.takeEvents()).toEqual([])
    },
  )

  test('creating a system for an account that has one is a conflict and creates nothing', async () => {
    const fixture = await createBotFixture()
    const before = await versionOf(testApp.deps.db)
    const conflict = await fixture.ask('POST /bot/systems', {
      account_id: '<account>',
      name: 'Twice',
    })
    expect(statusAndCode(conflict)).toEqual([409, 0])
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })

  test('concurrent requests for one account create one system', async () => {
    const fixture = await createBotFixture()
    const requests = Array.from({ length: 8 }, () =>
      fixture.ask('POST /bot/systems', { account_id: '7' }),
    )
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
  })

  test.each([7, ''])(
    'refuses an invalid new system and lists every problem (account_id: %j)',
    async (account_id) => {
      const fixture = await createBotFixture()
      const wrong = { account_id, name: 'a'.repeat(101) }
      const { status, json } = await fixture.ask('POST /bot/systems', wrong)
      expect([status, json.code]).toEqual([400, 40001])
      expect(Object.keys(json.errors ?? {})).toEqual(['account_id', 'name'])
      expect(statusAndCode(await fixture.ask('POST /bot/systems', []))).toEqual([400, 0])
    },
  )
})

describe('tokens of a system', () => {
  test.each([undefined, {}, { name: null }, { name: 'bot' }])(
    'a new token replaces the one that was created with the system (%j)',
    async (body) => {
      const fixture = await createBotFixture()
      const { token } = await fixture.do('POST /bot/systems/<system>/token', body)
      expect([await isValid(token), await isValid(fixture.names.token)]).toEqual([true, false])
    },
  )

  test('a token of another name is added, and replaced by one of the same name only', async () => {
    const fixture = await createBotFixture()
    const renew = () => fixture.do('POST /bot/systems/<account>/token', { name: 'web' })
    const [first, second] = [await renew(), await renew()]
    const tokens = [first.token, second.token, fixture.names.token]
    expect(await Promise.all(tokens.map(isValid))).toEqual([false, true, true])
    expect(await fixture.takeEvents()).toEqual([])
  })

  test('refuses a token name of more than 100 characters', async () => {
    const fixture = await createBotFixture()
    const response = await fixture.ask('POST /bot/systems/<system>/token', {
      name: 'a'.repeat(101),
    })
    expect(statusAndCode(response)).toEqual([400, 40001])
    expect(await isValid(fixture.names.token)).toBe(true)
  })
})

describe('accounts', () => {
  const getAccount = (fixture: BotFixture, id: string) => fixture.ask(`GET /bot/accounts/${id}`)

  test('linking and unlinking an account are idempotent', async () => {
    const fixture = await createBotFixture()
    const line = '/bot/systems/<system>/accounts/18446744073709551615'
    for (const _ of ['once', 'again']) await fixture.do(`PUT ${line}`)
    expect(await fixture.takeEvents()).toEqual(['LINK_ACCOUNT'])
    expect((await getAccount(fixture, '18446744073709551615')).json).toHaveProperty(
      'system',
      fixture.fill('<system>'),
    )
    for (const _ of ['once', 'again']) await fixture.do(`DELETE ${line}`)
    expect(await fixture.takeEvents()).toEqual(['UNLINK_ACCOUNT'])
    expect(statusAndCode(await getAccount(fixture, '18446744073709551615'))).toEqual([404, 20001])
    expect((await getAccount(fixture, '<account>')).status).toBe(200)
  })

  test('keeps the only account of a system when the bot asks for it', async () => {
    const fixture = await createBotFixture()
    const line = 'DELETE /bot/systems/<system>/accounts/<account>?keep_last=true'
    expect(statusAndCode(await fixture.ask(line))).toEqual([409, 0])
    expect((await getAccount(fixture, '<account>')).status).toBe(200)
    await fixture.do('PUT /bot/systems/<system>/accounts/7<account>')
    await fixture.do(line)
    expect(statusAndCode(await getAccount(fixture, '<account>'))).toEqual([404, 20001])
    await fixture.do(line)
  })

  test('an account of another system is neither linked nor unlinked', async () => {
    const [fixture, other] = [await createBotFixture(), await createBotFixture()]
    fixture.names.theirs = other.fill('<account>')
    const before = await versionOf(testApp.deps.db)
    const line = '/bot/systems/<system>/accounts/<theirs>'
    expect(statusAndCode(await fixture.ask(`PUT ${line}`))).toEqual([409, 0])
    expect((await fixture.ask(`DELETE ${line}`)).status).toBe(204)
    expect((await getAccount(fixture, '<theirs>')).json.system).toBe(other.fill('<system>'))
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })

  test('unlinks an account without naming its system', async () => {
    const fixture = await createBotFixture()
    await fixture.do('DELETE /bot/accounts/<account>')
    expect(await fixture.takeEvents()).toEqual(['UNLINK_ACCOUNT'])
    expect(statusAndCode(await getAccount(fixture, '<account>'))).toEqual([404, 20001])
    expect(statusAndCode(await fixture.ask('DELETE /bot/accounts/<account>'))).toEqual([404, 20001])
    expect(statusAndCode(await fixture.ask('DELETE /bot/accounts/x'))).toEqual([400, 0])
    expect(await fixture.takeEvents()).toEqual([])
  })

  test('disabling autoproxy for an account records no event', async () => {
    const fixture = await createBotFixture()
    const patched = await fixture.do('PATCH /bot/accounts/<account>', { autoproxy_enabled: false })
    expect(patched).toEqual(
      fixture.fill({ account_id: '<account>', system: '<system>', autoproxy_enabled: false }),
    )
    expect((await getAccount(fixture, '<account>')).json).toEqual(patched)
    expect(await fixture.takeEvents()).toEqual([])
  })

  test.each<[string, string, unknown, number, number]>([
    ['an empty patch', '<account>', {}, 400, 40001],
    ['a text for a flag', '<account>', { autoproxy_enabled: 'no' }, 400, 40001],
    ['null for a flag', '<account>', { autoproxy_enabled: null }, 400, 40001],
    ['a list', '<account>', [], 400, 0],
    ['an account without a system', '1', { autoproxy_enabled: true }, 404, 20001],
    ['an invalid account ID', 'me', { autoproxy_enabled: true }, 400, 0],
  ])('refuses a patch of an account with %s', async (_, id, body, status, code) => {
    const fixture = await createBotFixture()
    const response = await fixture.ask(`PATCH /bot/accounts/${id}`, body)
    expect(statusAndCode(response)).toEqual([status, code])
    expect((await getAccount(fixture, '<account>')).json).toHaveProperty('autoproxy_enabled', true)
  })

  test('refuses an account ID that is not a number', async () => {
    const fixture = await createBotFixture()
    for (const line of ['GET /bot/accounts/x', 'PUT /bot/systems/<system>/accounts/-1'])
      expect(statusAndCode(await fixture.ask(line))).toEqual([400, 0])
  })
})

test.each([
  'DELETE /bot/systems/zzzzzz',
  'DELETE /bot/systems/zzzzzz/switches',
  'POST /bot/systems/zzzzzz/token',
  'PUT /bot/systems/zzzzzz/accounts/1',
  'DELETE /bot/systems/zzzzzz/accounts/1',
])('%s returns 404 for an unknown system', async (line) => {
  const fixture = await createBotFixture()
  expect(statusAndCode(await fixture.ask(line, line.startsWith('POST') ? {} : undefined))).toEqual([
    404, 20001,
  ])
})

describe('deletion of all switches', () => {
  test('deleting all switches keeps the members and the switches of other systems', async () => {
    const [fixture, other] = [await createBotFixture(), await createBotFixture()]
    await other.doAll([fronting('wren')])
    await fixture.doAll([fronting('wren'), fronting('wren', 'finch'), fronting()])
    await fixture.takeEvents()
    for (const _ of ['once', 'again'])
      await fixture.do('DELETE /bot/systems/<system.uuid>/switches')
    expect(await fixture.takeEvents()).toEqual(['DELETE_ALL_SWITCHES'])
    expect(await fixture.do<Json[]>('GET /v2/systems/@me/switches')).toEqual([])
    expect(await fixture.do('GET /v2/systems/@me/members')).toHaveLength(3)
    expect(await other.do('GET /v2/systems/@me/switches')).toHaveLength(1)
  })
})

describe('deletion of a system', () => {
  test('deleting a system deletes its rows in every table and no others', async () => {
    // The first deletion creates the server's counter of changed credentials.
    await (await createBotFixture()).do('DELETE /bot/systems/<system>')
    const other = await createBotFixture()
    await fillAllTables(other)
    const before = await countRows(testApp.deps.db, tableNames)
    const fixture = await createBotFixture()
    await fillAllTables(fixture)
    const full = await countRows(testApp.deps.db, tableNames)
    const grown = Object.keys(full).filter((table) => full[table] !== before[table])
    // All tables of a system except those of webhooks, which bots cannot fill.
    expect(grown).toEqual(expect.arrayContaining(tablesOfSystems))
    const { status, text } = await fixture.ask('DELETE /bot/systems/<account>')
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(await countRows(testApp.deps.db, tableNames)).toEqual(before)
  })

  test('a deleted system is not found by any endpoint', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([recordMessageStep('wren'), ['DELETE /bot/systems/<system>']])
    expect(await isValid(fixture.names.token)).toBe(false)
    expect(await sendMessage(fixture, 'w:hello')).toEqual({ action: 'ignore', reason: 'no_system' })
    const askAnonymously = async (line: string) =>
      statusAndCode(await testApp.ask(fixture.fill(line)))
    expect(await askAnonymously('GET /v2/systems/<system>')).toEqual([404, 20001])
    expect(await askAnonymously('GET /v2/members/<wren>')).toEqual([404, 20002])
    expect(await askAnonymously('GET /v2/messages/<sent>')).toEqual([404, 20006])
    expect(statusAndCode(await fixture.ask('DELETE /bot/systems/<system>'))).toEqual([404, 20001])
    await fixture.do('POST /bot/systems', { account_id: '<account>' })
  })

  test('a failed deletion of a system deletes nothing', async () => {
    const fixture = await createBotFixture()
    await fillAllTables(fixture)
    await withFailingTrigger(testApp.deps, 'delete on messages', 'true', async () => {
      const before = await versionOf(testApp.deps.db)
      const { status } = await fixture.ask('DELETE /bot/systems/<system>')
      expect(status).toBe(500)
      expect(await versionOf(testApp.deps.db)).toEqual(before)
    })
  })
})

const tablesOfSystems = [
  ...['accounts', 'autoproxy', 'events', 'group_members', 'groups', 'member_guilds', 'members'],
  ...['messages', 'proxy_tag_index', 'settings', 'switch_members', 'switches', 'system_guilds'],
  ...['systems', 'tokens'],
]

async function fillAllTables(fixture: BotFixture): Promise<void> {
  const keepers = await fixture.do('POST /v2/groups', { name: 'Keepers' })
  await fixture.doAll([
    [`POST /v2/groups/${keepers.id}/members/add`, ['<wren>', '<finch>']],
    fronting('wren', 'finch'),
    settings({ proxy_switch: 'new' }),
    autoproxy('latch', 'finch'),
    systemInGuild({ tag: '|' }),
    inGuild('wren', { display_name: 'W' }),
    recordMessageStep('heron'),
  ])
}
