import { describe, expect, test } from 'bun:test'
import { countRows, tableNames, versionOf, whileStopped } from '../../rawSql'
import { createTestApp } from '../../testApp'
import { type BotFixture, createBotFixtures, type Json } from './botFixture'
import {
  autoproxy,
  fronting,
  inGuild,
  sendMessage,
  settings,
  spoke,
  systemInGuild,
} from './proxyScenarios'

const here = createTestApp()
const makeStage = createBotFixtures(here)

const stands = ({ status, json }: { status: number; json: Json | null }) => [status, json?.code]

/** Whether a token is somebody's. */
const opens = async (token: unknown) =>
  (await here.ask('GET /v2/systems/@me', { headers: { authorization: String(token) } })).status ===
  200

describe('a new system', () => {
  test('comes with a token of its own, linked to its account', async () => {
    const stage = await makeStage()
    stage.names.second = `6${stage.fill('<said>')}`
    const { status, json } = await stage.ask<{ system: Json; token: string }>('POST /bot/systems', {
      account_id: '<second>',
      name: 'Harbour',
    })
    expect(status).toBe(201)
    expect(Object.keys(json)).toEqual(['system', 'token'])
    expect(json.system).toMatchObject({ name: 'Harbour', privacy: { name_privacy: 'public' } })
    expect(json.token).toMatch(/^[A-Za-z0-9+/]{64}$/)
    expect(await opens(json.token)).toBe(true)
    expect(await stage.do('GET /bot/accounts/<second>')).toEqual({
      account_id: stage.fill('<second>'),
      system: json.system.id,
      autoproxy_enabled: true,
    })
    expect(await stage.told()).toEqual(['LINK_ACCOUNT'])
  })

  test.each([undefined, {}, { name: '', account_id: null }])(
    'needs neither name nor account (%j)',
    async (body) => {
      const stage = await makeStage()
      const { status, json } = await stage.ask('POST /bot/systems', body)
      expect(status).toBe(201)
      expect(json.system).toHaveProperty('name', null)
      expect(await stage.told()).toEqual([])
    },
  )

  test('cannot have an account that has a system, and is then not made at all', async () => {
    const stage = await makeStage()
    const before = await versionOf(here.deps.db)
    const taken = await stage.ask('POST /bot/systems', { account_id: '<account>', name: 'Twice' })
    expect(stands(taken)).toEqual([409, 0])
    expect(await versionOf(here.deps.db)).toEqual(before)
  })

  test('is made once for an account that asks many times at once', async () => {
    const stage = await makeStage()
    const asked = Array.from({ length: 8 }, () =>
      stage.ask('POST /bot/systems', { account_id: '7' }),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
  })

  test.each([7, ''])('is refused with every problem (account_id: %j)', async (account_id) => {
    const stage = await makeStage()
    const wrong = { account_id, name: 'a'.repeat(101) }
    const { status, json } = await stage.ask('POST /bot/systems', wrong)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors ?? {})).toEqual(['account_id', 'name'])
    expect(stands(await stage.ask('POST /bot/systems', []))).toEqual([400, 0])
  })
})

describe('a token', () => {
  test.each([undefined, {}, { name: null }, { name: 'bot' }])(
    'takes the place of the one that came with the system (%j)',
    async (body) => {
      const stage = await makeStage()
      const { token } = await stage.do('POST /bot/systems/<system>/token', body)
      expect([await opens(token), await opens(stage.names.token)]).toEqual([true, false])
    },
  )

  test('of another name stands beside it, and is replaced by its own name alone', async () => {
    const stage = await makeStage()
    const renew = () => stage.do('POST /bot/systems/<account>/token', { name: 'web' })
    const [first, second] = [await renew(), await renew()]
    const tokens = [first.token, second.token, stage.names.token]
    expect(await Promise.all(tokens.map(opens))).toEqual([false, true, true])
    expect(await stage.told()).toEqual([])
  })

  test('has a name of at most 100', async () => {
    const stage = await makeStage()
    const answer = await stage.ask('POST /bot/systems/<system>/token', { name: 'a'.repeat(101) })
    expect(stands(answer)).toEqual([400, 40001])
    expect(await opens(stage.names.token)).toBe(true)
  })
})

describe('an account', () => {
  const linked = (stage: BotFixture, id: string) => stage.ask(`GET /bot/accounts/${id}`)

  test('is linked once, also when asked again, and unlinked', async () => {
    const stage = await makeStage()
    const line = '/bot/systems/<system>/accounts/18446744073709551615'
    for (const _ of ['once', 'again']) await stage.do(`PUT ${line}`)
    expect(await stage.told()).toEqual(['LINK_ACCOUNT'])
    expect((await linked(stage, '18446744073709551615')).json).toHaveProperty(
      'system',
      stage.fill('<system>'),
    )
    for (const _ of ['once', 'again']) await stage.do(`DELETE ${line}`)
    expect(await stage.told()).toEqual(['UNLINK_ACCOUNT'])
    expect(stands(await linked(stage, '18446744073709551615'))).toEqual([404, 20001])
    expect((await linked(stage, '<account>')).status).toBe(200)
  })

  test('of another system is neither taken nor unlinked', async () => {
    const [stage, other] = [await makeStage(), await makeStage()]
    stage.names.theirs = other.fill('<account>')
    const before = await versionOf(here.deps.db)
    const line = '/bot/systems/<system>/accounts/<theirs>'
    expect(stands(await stage.ask(`PUT ${line}`))).toEqual([409, 0])
    expect((await stage.ask(`DELETE ${line}`)).status).toBe(204)
    expect((await linked(stage, '<theirs>')).json.system).toBe(other.fill('<system>'))
    expect(await versionOf(here.deps.db)).toEqual(before)
  })

  test('is unlinked at its owner’s wish, whatever system it is linked to', async () => {
    const stage = await makeStage()
    await stage.do('DELETE /bot/accounts/<account>')
    expect(await stage.told()).toEqual(['UNLINK_ACCOUNT'])
    expect(stands(await linked(stage, '<account>'))).toEqual([404, 20001])
    expect(stands(await stage.ask('DELETE /bot/accounts/<account>'))).toEqual([404, 20001])
    expect(stands(await stage.ask('DELETE /bot/accounts/x'))).toEqual([400, 0])
    expect(await stage.told()).toEqual([])
  })

  test('may keep autoproxy away, which nobody else is told', async () => {
    const stage = await makeStage()
    const patched = await stage.do('PATCH /bot/accounts/<account>', { autoproxy_enabled: false })
    expect(patched).toEqual(
      stage.fill({ account_id: '<account>', system: '<system>', autoproxy_enabled: false }),
    )
    expect((await linked(stage, '<account>')).json).toEqual(patched)
    expect(await stage.told()).toEqual([])
  })

  test.each<[string, string, unknown, number, number]>([
    ['a patch of nothing', '<account>', {}, 400, 40001],
    ['a word for a flag', '<account>', { autoproxy_enabled: 'no' }, 400, 40001],
    ['null for a flag', '<account>', { autoproxy_enabled: null }, 400, 40001],
    ['a list', '<account>', [], 400, 0],
    ['an account without a system', '1', { autoproxy_enabled: true }, 404, 20001],
    ['what is no account', 'me', { autoproxy_enabled: true }, 400, 0],
  ])('is not patched by %s', async (_, id, body, status, code) => {
    const stage = await makeStage()
    const answer = await stage.ask(`PATCH /bot/accounts/${id}`, body)
    expect(stands(answer)).toEqual([status, code])
    expect((await linked(stage, '<account>')).json).toHaveProperty('autoproxy_enabled', true)
  })

  test('is a number', async () => {
    const stage = await makeStage()
    for (const line of ['GET /bot/accounts/x', 'PUT /bot/systems/<system>/accounts/-1'])
      expect(stands(await stage.ask(line))).toEqual([400, 0])
  })
})

test.each([
  'DELETE /bot/systems/zzzzzz',
  'DELETE /bot/systems/zzzzzz/switches',
  'POST /bot/systems/zzzzzz/token',
  'PUT /bot/systems/zzzzzz/accounts/1',
  'DELETE /bot/systems/zzzzzz/accounts/1',
])('%s finds no system', async (line) => {
  const stage = await makeStage()
  expect(stands(await stage.ask(line, line.startsWith('POST') ? {} : undefined))).toEqual([
    404, 20001,
  ])
})

describe('deleting all switches', () => {
  test('leaves the members, and those of others', async () => {
    const [stage, other] = [await makeStage(), await makeStage()]
    await other.doAll([fronting('wren')])
    await stage.doAll([fronting('wren'), fronting('wren', 'finch'), fronting()])
    await stage.told()
    for (const _ of ['once', 'again']) await stage.do('DELETE /bot/systems/<system.uuid>/switches')
    expect(await stage.told()).toEqual(['DELETE_ALL_SWITCHES'])
    expect(await stage.do<Json[]>('GET /v2/systems/@me/switches')).toEqual([])
    expect(await stage.do('GET /v2/systems/@me/members')).toHaveLength(3)
    expect(await other.do('GET /v2/systems/@me/switches')).toHaveLength(1)
  })
})

describe('deleting a system', () => {
  test('leaves no row of it in any table, and every row of others', async () => {
    const other = await makeStage()
    await fillEverything(other)
    const before = await countRows(here.deps.db, tableNames)
    const stage = await makeStage()
    await fillEverything(stage)
    const full = await countRows(here.deps.db, tableNames)
    const grown = Object.keys(full).filter((table) => full[table] !== before[table])
    // All that belong to a system; those of webhooks are filled by nobody but their owners.
    expect(grown).toEqual(expect.arrayContaining(tablesOfSystems))
    const { status, text } = await stage.ask('DELETE /bot/systems/<account>')
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(await countRows(here.deps.db, tableNames)).toEqual(before)
  })

  test('leaves nothing that answers', async () => {
    const stage = await makeStage()
    await stage.doAll([spoke('wren'), ['DELETE /bot/systems/<system>']])
    expect(await opens(stage.names.token)).toBe(false)
    expect(await sendMessage(stage, 'w:hello')).toEqual({ action: 'ignore', reason: 'no_system' })
    const asNobody = async (line: string) => stands(await here.ask(stage.fill(line)))
    expect(await asNobody('GET /v2/systems/<system>')).toEqual([404, 20001])
    expect(await asNobody('GET /v2/members/<wren>')).toEqual([404, 20002])
    expect(await asNobody('GET /v2/messages/<sent>')).toEqual([404, 20006])
    expect(stands(await stage.ask('DELETE /bot/systems/<system>'))).toEqual([404, 20001])
    await stage.do('POST /bot/systems', { account_id: '<account>' })
  })

  test('is done whole or not at all', async () => {
    const stage = await makeStage()
    await fillEverything(stage)
    await whileStopped(here.deps, 'delete on messages', 'true', async () => {
      const before = await versionOf(here.deps.db)
      const { status } = await stage.ask('DELETE /bot/systems/<system>')
      expect(status).toBe(500)
      expect(await versionOf(here.deps.db)).toEqual(before)
    })
  })
})

const tablesOfSystems = [
  ...['accounts', 'autoproxy', 'events', 'group_members', 'groups', 'member_guilds', 'members'],
  ...['messages', 'proxy_tag_keys', 'settings', 'switch_members', 'switches', 'system_guilds'],
  ...['systems', 'tokens'],
]

async function fillEverything(stage: BotFixture): Promise<void> {
  const keepers = await stage.do('POST /v2/groups', { name: 'Keepers' })
  await stage.doAll([
    [`POST /v2/groups/${keepers.id}/members/add`, ['<wren>', '<finch>']],
    fronting('wren', 'finch'),
    settings({ proxy_switch: 'new' }),
    autoproxy('latch', 'finch'),
    systemInGuild({ tag: '|' }),
    inGuild('wren', { display_name: 'W' }),
    spoke('heron'),
  ])
}
