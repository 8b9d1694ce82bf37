import { versionOf } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createBotFixtures, type Json } from './botFixture'

const testApp = createTestApp()
const createBotFixture = createBotFixtures(testApp)

const statusAndCode = ({ status, json }: { status: number; json: Json }) => [status, json.code]

describe('guild settings', () => {
  const GUILD = '/bot/guilds/<guild>'
  const defaults = {
    disabled_channels: [],
    require_system_tag: false,
    log_channel: null,
    log_disabled_channels: [],
    silent: false,
    command_errors: true,
    say_enabled: false,
  }

  test('a guild has default settings, and reading them writes nothing', async () => {
    const fixture = await createBotFixture()
    const before = await versionOf(testApp.deps.db)
    expect(await fixture.do(`GET ${GUILD}`)).toEqual(defaults)
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })

  test('a patch of a guild keeps other settings and records no event', async () => {
    const fixture = await createBotFixture()
    const channels = { disabled_channels: ['1', '18446744073709551615'] }
    expect(await fixture.do(`PATCH ${GUILD}`, channels)).toEqual({ ...defaults, ...channels })
    const both = { ...defaults, ...channels, require_system_tag: true }
    expect(await fixture.do(`PATCH ${GUILD}`, { require_system_tag: true })).toEqual(both)
    expect(await fixture.do(`GET ${GUILD}`)).toEqual(both)
    expect(await fixture.do(`PATCH ${GUILD}`, { disabled_channels: [] })).toEqual({
      ...both,
      disabled_channels: [],
    })
    expect(await fixture.do('GET /bot/guilds/1')).toEqual(defaults)
    expect(await fixture.takeEvents()).toEqual([])
  })

  test('a patch of a guild changes and clears every setting of its bot', async () => {
    const fixture = await createBotFixture()
    const changed = {
      log_channel: '<channel>',
      log_disabled_channels: ['1', '2'],
      silent: true,
      command_errors: false,
      say_enabled: true,
    }
    const expected = { ...defaults, ...fixture.fill(changed) }
    expect(await fixture.do(`PATCH ${GUILD}`, changed)).toEqual(expected)
    expect(await fixture.do(`GET ${GUILD}`)).toEqual(expected)
    expect(await fixture.do(`PATCH ${GUILD}`, { log_channel: null })).toEqual({
      ...expected,
      log_channel: null,
    })
  })

  test.each<[string, unknown, number, string[]]>([
    [
      'everything wrong',
      {
        disabled_channels: ['general'],
        require_system_tag: null,
        log_channel: 'general',
        log_disabled_channels: [null],
        silent: null,
        command_errors: 'no',
        say_enabled: 1,
      },
      40001,
      Object.keys(defaults),
    ],
    ['numbers for IDs', { disabled_channels: [1] }, 40001, ['disabled_channels']],
    ['null for a list', { disabled_channels: null }, 40001, ['disabled_channels']],
    ['nothing', {}, 0, []],
    ['nothing known', { name: 'Hill' }, 0, []],
    ['a list', [], 0, []],
  ])('refuses a patch of a guild with %s', async (_, body, code, problems) => {
    const fixture = await createBotFixture()
    const response = await fixture.ask(`PATCH ${GUILD}`, body)
    expect(statusAndCode(response)).toEqual([400, code])
    expect(Object.keys(response.json.errors ?? {})).toEqual(problems)
    expect(await fixture.do(`GET ${GUILD}`)).toEqual(defaults)
  })

  test('refuses a guild ID that is not a number', async () => {
    const fixture = await createBotFixture()
    for (const line of ['GET /bot/guilds/here', 'GET /bot/systems/<system>/guilds/-1'])
      expect(statusAndCode(await fixture.ask(line))).toEqual([400, 0])
    for (const line of ['PATCH /bot/guilds/1x', 'PATCH /bot/members/<wren>/guilds/x'])
      expect(statusAndCode(await fixture.ask(line, {}))).toEqual([400, 0])
  })
})

interface Kind {
  bot: string
  /** Path of the same settings on v2, for the owner. */
  ownerPath: string
  missing: number
  event: string
  defaults: Json
  /** A valid patch, and one with an invalid value for every key. */
  change: Json
  wrong: Json
  unknown: [path: string, code: number]
}

const kinds: Record<string, Kind> = {
  'a system': {
    bot: '/bot/systems/<system>/guilds/<guild>',
    ownerPath: '/v2/systems/@me/guilds/<guild>',
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
    ownerPath: '/v2/members/<wren>/guilds/<guild>',
    missing: 20010,
    event: 'UPDATE_MEMBER_GUILD',
    defaults: { display_name: null, avatar_url: null, keep_proxy: null },
    change: { display_name: 'Jenny', keep_proxy: true },
    wrong: { display_name: 'a'.repeat(101), avatar_url: 'wren', keep_proxy: 'yes' },
    unknown: ['/bot/members/zzzzzz/guilds/<guild>', 20002],
  },
}

describe.each(Object.entries(kinds))('settings of %s in a guild', (noun, kind) => {
  const { bot, ownerPath, missing, event, defaults, change, wrong, unknown } = kind

  test(`settings of ${noun} in a guild do not exist until a bot creates them`, async () => {
    const fixture = await createBotFixture()
    const before = await versionOf(testApp.deps.db)
    for (const path of [bot, ownerPath])
      expect(statusAndCode(await fixture.ask(`GET ${path}`))).toEqual([404, missing])
    expect(statusAndCode(await fixture.ask(`PATCH ${ownerPath}`, change))).toEqual([404, missing])
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })

  test(`an empty patch creates settings of ${noun} in this guild without an event`, async () => {
    const fixture = await createBotFixture()
    for (const body of [{}, { unknown: true }])
      expect(await fixture.do(`PATCH ${bot}`, body)).toMatchObject(defaults)
    for (const path of [bot, ownerPath])
      expect(await fixture.do(`GET ${path}`)).toMatchObject(defaults)
    expect(await fixture.takeEvents()).toEqual([])
    const elsewhere = bot.replace('<guild>', '1')
    expect(statusAndCode(await fixture.ask(`GET ${elsewhere}`))).toEqual([404, missing])
  })

  test(`the first change creates settings of ${noun} in a guild and records one event`, async () => {
    const fixture = await createBotFixture()
    for (const _ of ['once', 'again'])
      expect(await fixture.do(`PATCH ${bot}`, change)).toMatchObject({ ...defaults, ...change })
    expect(await fixture.takeEvents()).toEqual([event])
    await fixture.do(`PATCH ${ownerPath}`, { display_name: 'Mine' })
    const expected = { ...defaults, ...change, display_name: 'Mine' }
    for (const path of [bot, ownerPath])
      expect(await fixture.do(`GET ${path}`)).toMatchObject(expected)
    expect(await fixture.takeEvents()).toEqual([event])
  })

  test(`refuses invalid settings of ${noun} in a guild, lists every problem and creates none`, async () => {
    const fixture = await createBotFixture()
    const { status, json } = await fixture.ask(`PATCH ${bot}`, wrong)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors ?? {})).toEqual(Object.keys(wrong))
    expect(statusAndCode(await fixture.ask(`PATCH ${bot}`, []))).toEqual([400, 0])
    expect(statusAndCode(await fixture.ask(`GET ${bot}`))).toEqual([404, missing])
  })

  test(`settings of ${noun} that does not exist return 404`, async () => {
    const fixture = await createBotFixture()
    const [path, code] = unknown
    expect(statusAndCode(await fixture.ask(`GET ${path}`))).toEqual([404, code])
    expect(statusAndCode(await fixture.ask(`PATCH ${path}`, {}))).toEqual([404, code])
  })

  test(`stores all concurrent first changes of settings of ${noun} in a guild`, async () => {
    const fixture = await createBotFixture()
    const changes = Object.entries({ ...change, avatar_url: 'https://pictures.example/1.png' })
    await Promise.all(
      changes.map((entry) => fixture.do(`PATCH ${bot}`, Object.fromEntries([entry]))),
    )
    expect(await fixture.do(`GET ${bot}`)).toMatchObject(Object.fromEntries(changes))
    expect(await fixture.takeEvents()).toEqual(changes.map(() => event))
  })
})
