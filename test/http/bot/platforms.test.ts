import { describe, expect, test } from 'bun:test'
import { rows } from '../../rawSql'
import { createTestApp } from '../../testApp'
import { type Adapter, type Made, makeAdapter, part } from './adapter'
import type { Json } from './botFixture'

const here = createTestApp()
const discord = await makeAdapter(here, 'discord')
const matrix = await makeAdapter(here, 'matrix')
const irc = await makeAdapter(here, 'irc')

const WREN = '@wren:example.org'
const ROOM = '!room:example.org'

let numbers = 0
/** Digits, so that every platform takes them. */
const draw = () => `7000000000000${String(++numbers).padStart(5, '0')}`

describe('two platforms with equal IDs', () => {
  const sameIds = () => ({
    account: draw(),
    guild: draw(),
    channel: draw(),
    id: draw(),
    original: draw(),
  })

  /** A world on each of them, all IDs alike. */
  const makeWorlds = async () => {
    const ids = sameIds()
    const world = async (bot: Adapter) => ({ bot, made: await bot.makeSystem(ids.account) })
    return {
      ids,
      mine: await world(discord),
      theirs: await world(matrix),
      others: await world(irc),
    }
  }
  type Ids = ReturnType<typeof sameIds>

  const hear = (bot: Adapter, { account, guild, channel }: Ids, content = 'w:hello') =>
    bot.do('POST /bot/proxy', {
      account_id: account,
      guild_id: guild,
      channel_id: channel,
      content,
    })
  const record = (bot: Adapter, { id, original, account, channel, guild }: Ids, { wren }: Made) =>
    bot.do('POST /bot/messages', { id, original, sender: account, channel, guild, member: wren })

  test('have each their own accounts', async () => {
    const { ids, ...worlds } = await makeWorlds()
    for (const { bot, made } of Object.values(worlds))
      expect(await bot.do(`GET /bot/accounts/${ids.account}`)).toEqual({
        account_id: ids.account,
        system: made.system,
        autoproxy_enabled: true,
      })
    await matrix.do(`PATCH /bot/accounts/${ids.account}`, { autoproxy_enabled: false })
    const isEnabled = async (bot: Adapter) =>
      (await bot.do(`GET /bot/accounts/${ids.account}`)).autoproxy_enabled
    expect([await isEnabled(discord), await isEnabled(matrix), await isEnabled(irc)]).toEqual([
      true,
      false,
      true,
    ])
    await matrix.do(`DELETE /bot/accounts/${ids.account}`)
    expect(await matrix.refusal(`GET /bot/accounts/${ids.account}`)).toEqual([404, 20001])
    expect(await isEnabled(discord)).toBe(true)
    expect(await isEnabled(irc)).toBe(true)
  })

  test('decide each by their own systems, guilds and channels', async () => {
    const { ids, mine, theirs } = await makeWorlds()
    const spoken = async (bot: Adapter) => (await hear(bot, ids)).system
    expect([await spoken(discord), await spoken(matrix)]).toEqual([
      mine.made.system,
      theirs.made.system,
    ])
    const guild = `/bot/guilds/${ids.guild}`
    const disabled = { disabled_channels: [ids.channel] }
    expect(await matrix.do(`PATCH ${guild}`, disabled)).toMatchObject(disabled)
    expect(await discord.do(`GET ${guild}`)).toMatchObject({ disabled_channels: [] })
    expect(await matrix.do(`GET ${guild}`)).toMatchObject(disabled)
    expect(await hear(matrix, ids)).toEqual({ action: 'ignore', reason: 'channel_disabled' })
    expect(await hear(discord, ids)).toHaveProperty('action', 'proxy')
    await discord.do(`PATCH ${guild}`, { require_system_tag: true })
    expect(await hear(irc, ids)).toHaveProperty('action', 'proxy')
    expect(await hear(discord, ids)).toHaveProperty('reason', 'tag_required')
  })

  test('keep each their own messages', async () => {
    const { ids, mine, theirs } = await makeWorlds()
    const shown = {
      id: ids.id,
      original: ids.original,
      sender: ids.account,
      channel: ids.channel,
      guild: ids.guild,
    }
    expect(await record(discord, ids, mine.made)).toMatchObject(shown)
    expect(await record(matrix, ids, theirs.made)).toMatchObject(shown)
    const systemOf = async (id: string) => {
      const { json } = await here.ask<{ system: Json; id: string }>(`GET /v2/messages/${id}`)
      return json.system?.id
    }
    for (const id of [ids.id, ids.original]) {
      expect(await systemOf(id)).toBe(mine.made.system)
      expect(await systemOf(`discord:${id}`)).toBe(mine.made.system)
      expect(await systemOf(`matrix:${id}`)).toBe(theirs.made.system)
      expect(await systemOf(`irc:${id}`)).toBeUndefined()
    }
    await irc.do(`DELETE /bot/messages/${ids.id}`)
    await matrix.do('POST /bot/messages/delete', [ids.id])
    expect(await systemOf(`matrix:${ids.id}`)).toBeUndefined()
    expect(await systemOf(ids.id)).toBe(mine.made.system)
  })

  test('have each their own autoproxy and settings in guilds, also for one system', async () => {
    const ids = sameIds()
    const made = await discord.makeSystem(ids.account)
    const { code } = await discord.do<{ code: string }>(
      'POST /v2/systems/@me/link-code',
      undefined,
      made.behalf,
    )
    await matrix.do('POST /bot/link', { account_id: ids.account, code })
    const onMatrix = `matrix:${ids.guild}`

    const latch = { autoproxy_mode: 'latch' }
    const autoproxy = (guild: string) => `/v2/systems/@me/autoproxy?guild_id=${guild}`
    await matrix.do(`PATCH ${autoproxy(onMatrix)}`, latch, made.behalf)
    expect(await discord.do(`GET ${autoproxy(ids.guild)}`, undefined, made.behalf)).toMatchObject({
      autoproxy_mode: 'off',
    })
    await record(discord, ids, made)
    expect(await matrix.do(`GET ${autoproxy(onMatrix)}`, undefined, made.behalf)).toMatchObject({
      autoproxy_member: null,
    })
    await record(matrix, ids, made)
    expect(await matrix.do(`GET ${autoproxy(onMatrix)}`, undefined, made.behalf)).toMatchObject({
      autoproxy_member: made.wren,
    })
    expect(await hear(matrix, ids, 'hello')).toHaveProperty('matched.mode', 'latch')
    expect(await hear(discord, ids, 'hello')).toHaveProperty('reason', 'no_match')

    for (const [of, own] of [
      [`systems/${made.system}`, 'systems/@me'],
      [`members/${made.wren}`, `members/${made.wren}`],
    ]) {
      await matrix.do(`PATCH /bot/${of}/guilds/${ids.guild}`, { display_name: 'There' })
      const code = of?.startsWith('systems') ? 20009 : 20010
      expect(await discord.refusal(`GET /bot/${of}/guilds/${ids.guild}`)).toEqual([404, code])
      const as = { headers: { authorization: made.token } }
      expect((await here.ask(`GET /v2/${own}/guilds/${ids.guild}`, as)).json.code).toBe(code)
      expect((await here.ask(`GET /v2/${own}/guilds/${onMatrix}`, as)).json).toMatchObject({
        display_name: 'There',
      })
    }
    // Both platforms' accounts name the one system.
    for (const account of [ids.account, `matrix:${ids.account}`])
      expect((await here.ask(`GET /v2/systems/${account}`)).json.id).toBe(made.system)
  })

  test('are told apart in every table', async () => {
    const { ids, mine, theirs } = await makeWorlds()
    for (const { bot, made } of [mine, theirs]) {
      await record(bot, ids, made)
      await bot.do(`PATCH /bot/guilds/${ids.guild}`, { disabled_channels: [ids.channel] })
      await bot.do(`PATCH /bot/systems/${made.system}/guilds/${ids.guild}`, {})
      await bot.do(`PATCH /bot/members/${made.wren}/guilds/${ids.guild}`, {})
      const guild = bot === discord ? ids.guild : `${bot.platform}:${ids.guild}`
      const mode = { autoproxy_mode: 'front' }
      await bot.do(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, mode, made.behalf)
    }
    const kept = async (column: string, table: string, bare: string) => {
      const found = await rows<{ id: string }>(
        here.deps.db,
        `select ${column} as id from ${table} where ${column} in (:bare, :onMatrix) order by ${column}`,
        { bare, onMatrix: `matrix:${bare}` },
      )
      return found.map(({ id }) => id)
    }
    for (const [column, table, bare] of [
      ['guild_id', 'guilds', ids.guild],
      ['guild_id', 'system_guilds', ids.guild],
      ['guild_id', 'member_guilds', ids.guild],
      ['guild_id', 'autoproxy', ids.guild],
      ['id', 'messages', ids.id],
      ['original', 'messages', ids.original],
      ['sender', 'messages', ids.account],
      ['channel', 'messages', ids.channel],
      ['guild', 'messages', ids.guild],
    ] as const)
      expect([table, ...(await kept(column, table, bare))]).toEqual([table, bare, `matrix:${bare}`])
    expect(await kept('id', 'accounts', ids.account)).toEqual([
      ids.account,
      `matrix:${ids.account}`,
    ])
    expect(await kept('disabled_channels', 'guilds', `["${ids.channel}"]`)).toHaveLength(1)
  })
})

describe('a bot of Matrix', () => {
  test('registers, proxies, records, looks up by either ID, and deletes', async () => {
    const made = await matrix.makeSystem(WREN)
    expect(await matrix.do(`GET /bot/accounts/${part(WREN)}`)).toEqual({
      account_id: WREN,
      system: made.system,
      autoproxy_enabled: true,
    })
    const place = { account_id: WREN, guild_id: ROOM, channel_id: ROOM, content: 'w:hello' }
    const decision = await matrix.do<{ message: Json; member: Json }>('POST /bot/proxy', place)
    expect(decision).toMatchObject({ action: 'proxy', message: { content: 'hello' } })

    const sent = { id: '$sent', original: '$said', sender: WREN, channel: ROOM, guild: ROOM }
    const recorded = { ...sent, member: decision.member.id }
    const first = await matrix.ask('POST /bot/messages', recorded)
    expect(first.status).toBe(201)
    expect(first.json).toMatchObject({ ...sent, member: { id: made.wren, message_count: 1 } })
    expect(await matrix.ask('POST /bot/messages', recorded)).toMatchObject({
      status: 200,
      json: sent,
    })

    const spoken = {
      id: 'matrix:$sent',
      original: 'matrix:$said',
      sender: `matrix:${WREN}`,
      channel: `matrix:${ROOM}`,
      guild: `matrix:${ROOM}`,
    }
    for (const id of ['$sent', '$said'])
      for (const named of [`matrix:${id}`, part(`matrix:${id}`)]) {
        const { json } = await here.ask(`GET /v2/messages/${named}`)
        expect(json).toMatchObject({ ...spoken, member: { id: made.wren } })
        const old = await here.ask(`GET /v1/msg/${named}`)
        const { guild: _, ...withoutGuild } = spoken
        expect(old.json).toMatchObject({ ...withoutGuild, member: { id: made.wren } })
      }

    await matrix.do(`DELETE /bot/messages/${part('$sent')}`)
    expect((await here.ask('GET /v2/messages/matrix:$sent')).status).toBe(404)
    await matrix.do(`DELETE /bot/accounts/${part(WREN)}`)
    expect(await matrix.refusal(`GET /bot/accounts/${part(WREN)}`)).toEqual([404, 20001])
    expect(await matrix.do('POST /bot/proxy', place)).toEqual({
      action: 'ignore',
      reason: 'no_system',
    })
  })

  test('tells of everything with the platform in front', async () => {
    const account = '@teller:example.org'
    const made = await matrix.makeSystem(account)
    const member = made.wren
    const sent = { id: '$t1', original: '$t0', sender: account, channel: ROOM, guild: ROOM, member }
    const as = `autoproxy?guild_id=${part(`matrix:${ROOM}`)}`
    await matrix.do(`PATCH /v2/systems/@me/${as}`, { autoproxy_mode: 'front' }, made.behalf)
    await matrix.do(`PATCH /bot/systems/${made.system}/guilds/${part(ROOM)}`, { tag: '|' })
    await matrix.do('POST /bot/messages', sent)
    await matrix.do(`DELETE /bot/systems/${made.system}/accounts/${part(account)}`)
    const headers = { authorization: made.token, 'last-event-id': '0' }
    const request = new Request('http://localhost/v2/systems/@me/events', { headers })
    const stream = await here.app.handle(request, () => '127.0.0.1')
    const told = new Map<string, { id: string; data: Json }>()
    let text = ''
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (const [, type = '', data = ''] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g))
        told.set(type, JSON.parse(data))
      if (told.has('UNLINK_ACCOUNT')) break
    }
    expect(told.get('LINK_ACCOUNT')).toHaveProperty('id', `matrix:${account}`)
    expect(told.get('UNLINK_ACCOUNT')).toHaveProperty('id', `matrix:${account}`)
    expect(told.get('UPDATE_AUTOPROXY')?.data).toHaveProperty('guild_id', `matrix:${ROOM}`)
    expect(told.get('UPDATE_SYSTEM_GUILD')?.data).toHaveProperty('guild_id', `matrix:${ROOM}`)
    expect(told.get('CREATE_MESSAGE')?.data).toMatchObject({
      id: 'matrix:$t1',
      original: 'matrix:$t0',
      sender: `matrix:${account}`,
      channel: `matrix:${ROOM}`,
      guild: `matrix:${ROOM}`,
    })
  })
})

describe('an ID of another platform than Discord', () => {
  test.each([
    'wren',
    '123',
    'a:b:c',
    '#channel',
    'wren@example.org/phone',
    '"quoted"',
    "it's",
    'back\\slash',
    '100%',
    '%2F..%2f',
    '?&=+;',
    'зяблик🐦',
    '<b>&amp;</b>',
    '{"a":1}',
    '@me',
    '...',
    'x'.repeat(255),
  ])('may be %s, everywhere', async (odd) => {
    const account = odd
    const made = await irc.makeSystem(account)
    expect(await irc.do(`GET /bot/accounts/${part(odd)}`)).toHaveProperty('account_id', odd)
    const sent = { id: odd, original: odd, sender: odd, channel: odd, guild: odd }
    expect(await irc.do('POST /bot/messages', { ...sent, member: made.wren })).toMatchObject(sent)
    const guild = { disabled_channels: [odd], require_system_tag: false }
    expect(await irc.do(`PATCH /bot/guilds/${part(odd)}`, guild)).toEqual(guild)
    await irc.do(`PATCH /bot/systems/${made.system}/guilds/${part(odd)}`, {})

    const kept = `irc:${odd}`
    const named = part(kept)
    const spoken = { id: kept, original: kept, sender: kept, channel: kept }
    expect((await here.ask(`GET /v2/messages/${named}`)).json).toMatchObject(spoken)
    expect((await here.ask(`GET /v1/msg/${named}`)).json).toMatchObject(spoken)
    expect((await here.ask(`GET /v2/systems/${named}`)).json.id).toBe(made.system)
    expect((await here.ask(`GET /v2/systems/${named}/members`)).status).toBe(200)
    expect((await here.ask(`GET /v1/a/${named}`)).json.id).toBe(made.system)
    const own = { headers: { authorization: made.token } }
    expect((await here.ask(`GET /v2/systems/@me/guilds/${named}`, own)).status).toBe(200)
    const autoproxy = `/v2/systems/@me/autoproxy?guild_id=${named}`
    expect((await here.ask(`GET ${autoproxy}`, own)).status).toBe(200)

    const file = (await here.ask<Json>('GET /v2/systems/@me/export', own)).json
    expect(file.accounts).toEqual([])
    expect(file.multitude).toMatchObject({ accounts: [{ id: kept }] })
    await irc.do(`DELETE /bot/messages/${named.slice('irc%3A'.length)}`)
    await irc.do(`DELETE /bot/accounts/${part(odd)}`)
    expect((await here.ask(`GET /v2/systems/${named}`)).status).toBe(404)
    expect(
      here
        .logged()
        .split('\n')
        .filter((line) => line !== '' && !isJson(line)),
    ).toEqual([])
  })

  const bad = ['a b', 'a\n', '\u001b', '\ud83d', 'x'.repeat(256)]

  test.each(['', '.', '..', ...bad])('is not %j in a body', async (id) => {
    const place = { account_id: id, guild_id: id, channel_id: id, thread_id: id, content: '' }
    const { status, json } = await irc.ask('POST /bot/proxy', place)
    expect([status, json.code]).toEqual([400, 40001])
    const named = ['account_id', 'channel_id', 'guild_id', 'thread_id']
    expect(Object.keys(json.errors as Json).sort()).toEqual(named)
    const ids = { id, original: id, sender: id, channel: id, guild: id }
    const record = await irc.ask('POST /bot/messages', { ...ids, member: 'abcde' })
    expect([record.status, record.json.code]).toEqual([400, 40001])
    expect(Object.keys(record.json.errors as Json).sort()).toEqual(Object.keys(ids).sort())
    expect(await irc.refusal('POST /bot/link', { account_id: id, code: 'x' })).toEqual([400, 40001])
    expect(await irc.refusal('PATCH /bot/guilds/x', { disabled_channels: [id] })).toEqual([
      400, 40001,
    ])
    expect(await irc.refusal('POST /bot/messages/delete', [id])).toEqual([400, 0])
    expect(await irc.refusal('POST /bot/systems', { account_id: id })).toEqual([400, 40001])
  })

  test.each(bad.filter((id) => id.isWellFormed()))('is not %j in a path or a query', async (id) => {
    const named = part(id)
    const made = await irc.makeSystem()
    for (const line of [
      `GET /bot/accounts/${named}`,
      `DELETE /bot/accounts/${named}`,
      `GET /bot/guilds/${named}`,
      `PUT /bot/systems/${made.system}/accounts/${named}`,
      `GET /bot/members/${made.wren}/guilds/${named}`,
      `DELETE /bot/messages/${named}`,
      `GET /v2/messages/irc:${named}`,
      `GET /v2/systems/@me/guilds/irc:${named}`,
      `GET /v2/systems/@me/autoproxy?guild_id=irc:${named}`,
    ]) {
      const headers = line.includes('/v2/') ? made.behalf : {}
      expect([line, ...(await irc.refusal(line, undefined, headers))]).toEqual([line, 400, 0])
    }
    expect((await here.ask(`GET /v1/msg/irc:${named}`)).status).toBe(404)
    expect((await here.ask(`GET /v1/a/irc:${named}`)).status).toBe(404)
    expect((await here.ask(`GET /v2/systems/irc:${named}`)).status).toBe(404)
  })

  test.each(['x', 'irc', 'irc:', ':x', 'IRC:x', 'i:x', 'discord:x', '18446744073709551616'])(
    'is not what %p means on v2',
    async (id) => {
      expect((await here.ask(`GET /v2/messages/${id}`)).status).toBe(400)
      expect((await here.ask(`GET /v1/msg/${id}`)).status).toBe(404)
      expect((await here.ask(`GET /v1/a/${id}`)).status).toBe(404)
    },
  )
})

describe('a bot acts', () => {
  const refused = async (bot: Adapter, made: Made) => {
    const statuses = []
    for (const [line, body] of [
      [`POST /bot/systems/${made.system}/token`, {}],
      [`PUT /bot/systems/${made.system}/accounts/${draw()}`],
      [`DELETE /bot/systems/${made.system}/accounts/1`],
      [`GET /bot/systems/${made.system}/guilds/1`],
      [`PATCH /bot/systems/${made.system}/guilds/1`, {}],
      [`GET /bot/members/${made.wren}/guilds/1`],
      [`PATCH /bot/members/${made.wren}/guilds/1`, {}],
      [`DELETE /bot/systems/${made.system}/switches`],
      [`DELETE /bot/systems/${made.system}`],
    ] as [string, unknown?][])
      statuses.push((await bot.refusal(line, body))[0])
    for (const [line, body] of [
      ['GET /v2/systems/@me'],
      [`GET /v2/members/${made.wren}`],
      ['POST /v2/members', { name: 'Finch' }],
      ['POST /v2/systems/@me/link-code'],
      ['GET /v2/systems/@me/events'],
      ['GET /v1/s'],
    ] as [string, unknown?][])
      statuses.push((await bot.refusal(line, body, made.behalf))[0])
    return new Set(statuses)
  }

  test('not for a system of another platform', async () => {
    const made = await discord.makeSystem(draw())
    expect(await refused(matrix, made)).toEqual(new Set([403]))
    const own = { headers: { authorization: made.token } }
    expect((await here.ask<Json[]>('GET /v2/systems/@me/members', own)).json).toHaveLength(1)
  })

  test('not for one that the operator made, until it has an account there', async () => {
    const { deps } = here
    const { createSystem } = await import('../../operatorActions')
    const { insertAccount } = await import('../../../src/service/accounts')
    const made = await createSystem(deps, {}, { account: null, tokenName: 'test' })
    const behalf = { 'x-system': made.system.hid }
    for (const bot of [discord, matrix])
      expect(await bot.refusal('GET /v2/systems/@me', undefined, behalf)).toEqual([403, 0])
    await deps.transact('new', (tx) =>
      insertAccount(deps, tx, made.system.id, 'matrix:@op:example.org'),
    )
    expect(await matrix.do('GET /v2/systems/@me', undefined, behalf)).toBeDefined()
    expect(await discord.refusal('GET /v2/systems/@me', undefined, behalf)).toEqual([403, 0])
    const byAccount = { 'x-system': 'matrix:@op:example.org' }
    expect(await matrix.do('GET /v2/systems/@me', undefined, byAccount)).toBeDefined()
  })

  test('for one that a bot of its platform made, which need not have an account', async () => {
    const made = await matrix.makeSystem()
    const another = await makeAdapter(here, 'matrix')
    expect(await another.do('GET /v2/systems/@me', undefined, made.behalf)).toHaveProperty(
      'id',
      made.system,
    )
    expect(await another.do(`POST /bot/systems/${made.system}/token`)).toHaveProperty('token')
    expect(await refused(discord, made)).toEqual(new Set([403]))
  })

  test('no longer, once the last account there is gone', async () => {
    const account = draw()
    const made = await discord.makeSystem(account)
    const { code } = await discord.do('POST /v2/systems/@me/link-code', undefined, made.behalf)
    await matrix.do('POST /bot/link', { account_id: account, code })
    expect(await matrix.do('GET /v2/systems/@me', undefined, made.behalf)).toBeDefined()
    await matrix.do(`DELETE /bot/accounts/${account}`)
    expect(await matrix.refusal('GET /v2/systems/@me', undefined, made.behalf)).toEqual([403, 0])
  })

  test('not where it names somebody of its own members as another’s', async () => {
    const [account, other] = [draw(), draw()]
    await matrix.makeSystem(account)
    const theirs = await discord.makeSystem(other)
    const sent = {
      id: draw(),
      original: draw(),
      sender: account,
      channel: '1',
      member: theirs.wren,
    }
    expect(await matrix.refusal('POST /bot/messages', sent)).toEqual([403, 30006])
    expect(await matrix.refusal('POST /bot/messages', { ...sent, sender: other })).toEqual([
      403, 30006,
    ])
  })

  test.each([
    'DELETE /bot/systems/@me',
    'DELETE /bot/systems/@me/switches',
    'POST /bot/systems/@me/token',
    'PUT /bot/systems/@me/accounts/1',
    'DELETE /bot/systems/@me/accounts/1',
    'GET /bot/systems/@me/guilds/1',
    'PATCH /bot/systems/@me/guilds/1',
  ])('for nobody by @me: %s', async (line) => {
    const body = /^P[OA]/.test(line) ? {} : undefined
    expect(await irc.refusal(line, body)).toEqual([400, 0])
  })
})

describe('limits', () => {
  const long = 'x'.repeat(2001)
  const name = 'n'.repeat(81)

  const hear = async (bot: Adapter, content: string, limits: unknown, as = 'Wren') => {
    const account_id = draw()
    const made = await bot.makeSystem(account_id)
    await bot.do(`PATCH /v2/members/${made.wren}`, { name: as }, made.behalf)
    const place = { account_id, guild_id: '1', channel_id: '2', content: `w:${content}`, limits }
    return bot.do<Json>('POST /bot/proxy', place)
  }

  test('are Discord’s where none are given', async () => {
    for (const limits of [undefined, null, {}, { content: null, name: null }]) {
      expect(await hear(matrix, long, limits)).toHaveProperty('reason', 'too_long')
      expect(await hear(matrix, 'x', limits, name)).toHaveProperty('reason', 'name_too_long')
    }
  })

  test('may be longer or shorter', async () => {
    expect(await hear(matrix, long, { content: 2001 })).toHaveProperty('action', 'proxy')
    const short = await hear(irc, 'too long', { content: 7 })
    expect(short).toMatchObject({ reason: 'too_long', text: expect.stringContaining(' 7 ') })
    expect(await hear(irc, 'in time', { content: 7 })).toHaveProperty('action', 'proxy')
    expect(await hear(matrix, 'x', { name: 81 }, name)).toHaveProperty('message.name', name)
    const nick = await hear(irc, 'x', { name: 3 })
    expect(nick).toMatchObject({ reason: 'name_too_long', text: expect.stringContaining(' 3 ') })
  })

  test('do not make a name longer than Discord takes', async () => {
    expect(await hear(discord, 'x', { name: 200 }, name)).toHaveProperty('reason', 'name_too_long')
    expect(await hear(discord, long, { content: 4000 })).toHaveProperty('action', 'proxy')
  })

  test.each<[limits: unknown, problems: string[]]>([
    [{ content: 0 }, ['limits.content']],
    [{ content: -1, name: 1.5 }, ['limits.content', 'limits.name']],
    [{ content: '10', name: true }, ['limits.content', 'limits.name']],
    [{ name: 2 ** 60 }, ['limits.name']],
    [[], ['limits']],
    [500, ['limits']],
  ])('are not %j', async (limits, problems) => {
    const place = { account_id: '1', guild_id: '1', channel_id: '2', content: '', limits }
    const { status, json } = await matrix.ask('POST /bot/proxy', place)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as Json)).toEqual(problems)
  })
})

test('only on Discord is a name changed for the platform’s sake', async () => {
  const hear = async (bot: Adapter, as: string) => {
    const account_id = draw()
    const made = await bot.makeSystem(account_id)
    await bot.do(`PATCH /v2/members/${made.wren}`, { name: as }, made.behalf)
    const previous = { name: as, member: null }
    const place = { account_id, guild_id: '1', channel_id: '2', content: 'w:hi', previous }
    return (await bot.do<{ message: Json }>('POST /bot/proxy', place)).message
  }
  for (const as of ['Wren', 'clyde', 'everyone', 'W']) {
    expect(await hear(matrix, as)).toMatchObject({ name: as, plain_name: as })
    const { name, plain_name } = await hear(discord, as)
    expect(plain_name).toBe(as)
    expect(name).not.toBe(as)
  }
})

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
