import { describe, expect, test } from 'bun:test'
import { versionOf } from '../../rawSql'
import { createTestApp } from '../../testApp'
import { createBotFixtures, type Json } from './botFixture'

const here = createTestApp()
const makeStage = createBotFixtures(here)

const stands = ({ status, json }: { status: number; json: Json }) => [status, json.code]

describe('a guild', () => {
  const GUILD = '/bot/guilds/<guild>'
  const defaults = { disabled_channels: [], require_system_tag: false }

  test('has the defaults until it sets anything, and asking sets nothing', async () => {
    const stage = await makeStage()
    const before = await versionOf(here.deps.db)
    expect(await stage.do(`GET ${GUILD}`)).toEqual(defaults)
    expect(await versionOf(here.deps.db)).toEqual(before)
  })

  test('keeps what a patch does not name, and tells nobody', async () => {
    const stage = await makeStage()
    const channels = { disabled_channels: ['1', '18446744073709551615'] }
    expect(await stage.do(`PATCH ${GUILD}`, channels)).toEqual({ ...defaults, ...channels })
    const both = { ...channels, require_system_tag: true }
    expect(await stage.do(`PATCH ${GUILD}`, { require_system_tag: true })).toEqual(both)
    expect(await stage.do(`GET ${GUILD}`)).toEqual(both)
    expect(await stage.do(`PATCH ${GUILD}`, { disabled_channels: [] })).toEqual({
      ...both,
      disabled_channels: [],
    })
    expect(await stage.do('GET /bot/guilds/1')).toEqual(defaults)
    expect(await stage.told()).toEqual([])
  })

  test.each<[string, unknown, number, string[]]>([
    [
      'everything wrong',
      { disabled_channels: ['general'], require_system_tag: null },
      40001,
      ['disabled_channels', 'require_system_tag'],
    ],
    ['numbers for IDs', { disabled_channels: [1] }, 40001, ['disabled_channels']],
    ['null for a list', { disabled_channels: null }, 40001, ['disabled_channels']],
    ['nothing', {}, 0, []],
    ['nothing known', { name: 'Hill' }, 0, []],
    ['a list', [], 0, []],
  ])('refuses a patch of %s', async (_, body, code, problems) => {
    const stage = await makeStage()
    const answer = await stage.ask(`PATCH ${GUILD}`, body)
    expect(stands(answer)).toEqual([400, code])
    expect(Object.keys(answer.json.errors ?? {})).toEqual(problems)
    expect(await stage.do(`GET ${GUILD}`)).toEqual(defaults)
  })

  test('is a number', async () => {
    const stage = await makeStage()
    for (const line of ['GET /bot/guilds/here', 'GET /bot/systems/<system>/guilds/-1'])
      expect(stands(await stage.ask(line))).toEqual([400, 0])
    for (const line of ['PATCH /bot/guilds/1x', 'PATCH /bot/members/<wren>/guilds/x'])
      expect(stands(await stage.ask(line, {}))).toEqual([400, 0])
  })
})

interface Kind {
  bot: string
  /** The same settings on v2, for their owner. */
  own: string
  missing: number
  event: string
  defaults: Json
  /** One change, and one that is wrong in every key. */
  change: Json
  wrong: Json
  unknown: [path: string, code: number]
}

const kinds: Record<string, Kind> = {
  'a system': {
    bot: '/bot/systems/<system>/guilds/<guild>',
    own: '/v2/systems/@me/guilds/<guild>',
    missing: 20009,
    event: 'UPDATE_SYSTEM_GUILD',
    defaults: {
      proxying_enabled: true,
      tag: null,
      tag_enabled: true,
      avatar_url: null,
      display_name: null,
      name_format: null,
    },
    change: { tag: '| here', proxying_enabled: false },
    wrong: {
      proxying_enabled: null,
      tag: 'a'.repeat(80),
      tag_enabled: 'no',
      avatar_url: 'wren.png',
      display_name: 5,
      name_format: 'a'.repeat(201),
    },
    unknown: ['/bot/systems/zzzzzz/guilds/<guild>', 20001],
  },
  'a member': {
    bot: '/bot/members/<wren>/guilds/<guild>',
    own: '/v2/members/<wren>/guilds/<guild>',
    missing: 20010,
    event: 'UPDATE_MEMBER_GUILD',
    defaults: { display_name: null, avatar_url: null, keep_proxy: null },
    change: { display_name: 'Jenny', keep_proxy: true },
    wrong: { display_name: 'a'.repeat(101), avatar_url: 'wren', keep_proxy: 'yes' },
    unknown: ['/bot/members/zzzzzz/guilds/<guild>', 20002],
  },
}

describe.each(Object.entries(kinds))('%s in a guild', (_, kind) => {
  const { bot, own, missing, event, defaults, change, wrong, unknown } = kind

  test('has no settings before a bot has made them, and its owner cannot', async () => {
    const stage = await makeStage()
    const before = await versionOf(here.deps.db)
    for (const path of [bot, own])
      expect(stands(await stage.ask(`GET ${path}`))).toEqual([404, missing])
    expect(stands(await stage.ask(`PATCH ${own}`, change))).toEqual([404, missing])
    expect(await versionOf(here.deps.db)).toEqual(before)
  })

  test('gets them with an empty object, without a word, in this guild only', async () => {
    const stage = await makeStage()
    for (const body of [{}, { unknown: true }])
      expect(await stage.do(`PATCH ${bot}`, body)).toMatchObject(defaults)
    for (const path of [bot, own]) expect(await stage.do(`GET ${path}`)).toMatchObject(defaults)
    expect(await stage.told()).toEqual([])
    const elsewhere = bot.replace('<guild>', '1')
    expect(stands(await stage.ask(`GET ${elsewhere}`))).toEqual([404, missing])
  })

  test('gets them with its first change, which is told once', async () => {
    const stage = await makeStage()
    for (const _ of ['once', 'again'])
      expect(await stage.do(`PATCH ${bot}`, change)).toMatchObject({ ...defaults, ...change })
    expect(await stage.told()).toEqual([event])
    await stage.do(`PATCH ${own}`, { display_name: 'Mine' })
    const expected = { ...defaults, ...change, display_name: 'Mine' }
    for (const path of [bot, own]) expect(await stage.do(`GET ${path}`)).toMatchObject(expected)
    expect(await stage.told()).toEqual([event])
  })

  test('is refused with every problem, and makes nothing', async () => {
    const stage = await makeStage()
    const { status, json } = await stage.ask(`PATCH ${bot}`, wrong)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors ?? {})).toEqual(Object.keys(wrong))
    expect(stands(await stage.ask(`PATCH ${bot}`, []))).toEqual([400, 0])
    expect(stands(await stage.ask(`GET ${bot}`))).toEqual([404, missing])
  })

  test('is not found when it does not exist', async () => {
    const stage = await makeStage()
    const [path, code] = unknown
    expect(stands(await stage.ask(`GET ${path}`))).toEqual([404, code])
    expect(stands(await stage.ask(`PATCH ${path}`, {}))).toEqual([404, code])
  })

  test('keeps every change of many first ones at once', async () => {
    const stage = await makeStage()
    const changes = Object.entries({ ...change, avatar_url: 'https://pictures.example/1.png' })
    await Promise.all(changes.map((entry) => stage.do(`PATCH ${bot}`, Object.fromEntries([entry]))))
    expect(await stage.do(`GET ${bot}`)).toMatchObject(Object.fromEntries(changes))
    expect(await stage.told()).toEqual(changes.map(() => event))
  })
})
