import { rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { type Adapter, type CreatedSystem, createAdapter, part } from './adapter'
import type { Json } from './botFixture'

const testApp = createTestApp()
const discord = await createAdapter(testApp, 'discord')
const matrix = await createAdapter(testApp, 'matrix')
const irc = await createAdapter(testApp, 'irc')

const WREN = '@wren:example.org'
const ROOM = '!room:example.org'

let idCount = 0
/** Returns a new ID of digits, which every platform accepts. */
const nextId = () => `7000000000000${String(++idCount).padStart(5, '0')}`

describe('equal IDs on several platforms', () => {
  const sameIds = () => ({
    account: nextId(),
    guild: nextId(),
    channel: nextId(),
    id: nextId(),
    original: nextId(),
  })

  /** Creates a system on each platform, all with the same IDs. */
  const createSystems = async () => {
    const ids = sameIds()
    const createOn = async (bot: Adapter) => ({ bot, created: await bot.makeSystem(ids.account) })
    return {
      ids,
      onDiscord: await createOn(discord),
      onMatrix: await createOn(matrix),
      onIrc: await createOn(irc),
    }
  }
  type Ids = ReturnType<typeof sameIds>

  const decide = (bot: Adapter, { account, guild, channel }: Ids, content = 'w:hello') =>
    bot.do('POST /bot/proxy', {
      account_id: account,
      guild_id: guild,
      channel_id: channel,
      content,
    })
  const record = (
    bot: Adapter,
    { id, original, account, channel, guild }: Ids,
    { wren }: CreatedSystem,
  ) => bot.do('POST /bot/messages', { id, original, sender: account, channel, guild, member: wren })

  test('accounts with equal IDs are separate on each platform', async () => {
    const { ids, ...systems } = await createSystems()
    for (const { bot, created } of Object.values(systems))
      expect(await bot.do(`GET /bot/accounts/${ids.account}`)).toEqual({
        account_id: ids.account,
        system: created.system,
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

  test('proxying uses the systems, guilds and channels of the bot’s platform', async () => {
    const { ids, onDiscord, onMatrix } = await createSystems()
    const proxiedSystem = async (bot: Adapter) => (await decide(bot, ids)).system
    expect([await proxiedSystem(discord), await proxiedSystem(matrix)]).toEqual([
      onDiscord.created.system,
      onMatrix.created.system,
    ])
    const guild = `/bot/guilds/${ids.guild}`
    const disabled = {
      disabled_channels: [ids.channel],
      log_channel: ids.channel,
      log_disabled_channels: [ids.channel],
    }
    expect(await matrix.do(`PATCH ${guild}`, disabled)).toMatchObject(disabled)
    expect(await discord.do(`GET ${guild}`)).toMatchObject({
      disabled_channels: [],
      log_channel: null,
    })
    expect(await matrix.do(`GET ${guild}`)).toMatchObject(disabled)
    expect(await decide(matrix, ids)).toEqual({ action: 'ignore', reason: 'channel_disabled' })
    expect(await decide(discord, ids)).toHaveProperty('action', 'proxy')
    await discord.do(`PATCH ${guild}`, { require_system_tag: true })
    expect(await decide(irc, ids)).toHaveProperty('action', 'proxy')
    expect(await decide(discord, ids)).toHaveProperty('reason', 'tag_required')
  })

  test('messages with equal IDs are separate on each platform', async () => {
    const { ids, onDiscord, onMatrix } = await createSystems()
    const shown = {
      id: ids.id,
      original: ids.original,
      sender: ids.account,
      channel: ids.channel,
      guild: ids.guild,
    }
    expect(await record(discord, ids, onDiscord.created)).toMatchObject(shown)
    expect(await record(matrix, ids, onMatrix.created)).toMatchObject(shown)
    const systemOf = async (id: string) => {
      const { json } = await testApp.ask<{ system: Json; id: string }>(`GET /v2/messages/${id}`)
      return json.system?.id
    }
    for (const id of [ids.id, ids.original]) {
      expect(await systemOf(id)).toBe(onDiscord.created.system)
      expect(await systemOf(`discord:${id}`)).toBe(onDiscord.created.system)
      expect(await systemOf(`matrix:${id}`)).toBe(onMatrix.created.system)
      expect(await systemOf(`irc:${id}`)).toBeUndefined()
    }
    await irc.do(`DELETE /bot/messages/${ids.id}`)
    await matrix.do('POST /bot/messages/delete', [ids.id])
    expect(await systemOf(`matrix:${ids.id}`)).toBeUndefined()
    expect(await systemOf(ids.id)).toBe(onDiscord.created.system)
  })

  test('one system has separate autoproxy and guild settings on each platform', async () => {
    const ids = sameIds()
    const created = await discord.makeSystem(ids.account)
    const { code } = await discord.do<{ code: string }>(
      'POST /v2/systems/@me/link-code',
      undefined,
      created.behalf,
    )
    await matrix.do('POST /bot/link', { account_id: ids.account, code })
    const onMatrix = `matrix:${ids.guild}`

    const latch = { autoproxy_mode: 'latch' }
    const autoproxy = (guild: string) => `/v2/systems/@me/autoproxy?guild_id=${guild}`
    await matrix.do(`PATCH ${autoproxy(onMatrix)}`, latch, created.behalf)
    expect(
      await discord.do(`GET ${autoproxy(ids.guild)}`, undefined, created.behalf),
    ).toMatchObject({
      autoproxy_mode: 'off',
    })
    await record(discord, ids, created)
    expect(await matrix.do(`GET ${autoproxy(onMatrix)}`, undefined, created.behalf)).toMatchObject({
      autoproxy_member: null,
    })
    await record(matrix, ids, created)
    expect(await matrix.do(`GET ${autoproxy(onMatrix)}`, undefined, created.behalf)).toMatchObject({
      autoproxy_member: created.wren,
    })
    expect(await decide(matrix, ids, 'hello')).toHaveProperty('matched.mode', 'latch')
    expect(await decide(discord, ids, 'hello')).toHaveProperty('reason', 'no_match')

    for (const [botPath, ownerPath] of [
      [`systems/${created.system}`, 'systems/@me'],
      [`members/${created.wren}`, `members/${created.wren}`],
    ]) {
      await matrix.do(`PATCH /bot/${botPath}/guilds/${ids.guild}`, { display_name: 'There' })
      const code = botPath?.startsWith('systems') ? 20009 : 20010
      expect(await discord.refusal(`GET /bot/${botPath}/guilds/${ids.guild}`)).toEqual([404, code])
      const as = { headers: { authorization: created.token } }
      expect((await testApp.ask(`GET /v2/${ownerPath}/guilds/${ids.guild}`, as)).json.code).toBe(
        code,
      )
      expect((await testApp.ask(`GET /v2/${ownerPath}/guilds/${onMatrix}`, as)).json).toMatchObject(
        {
          display_name: 'There',
        },
      )
    }
    // The accounts of both platforms find the same system.
    for (const account of [ids.account, `matrix:${ids.account}`])
      expect((await testApp.ask(`GET /v2/systems/${account}`)).json.id).toBe(created.system)
  })

  test('every table stores equal IDs of two platforms separately', async () => {
    const { ids, onDiscord, onMatrix } = await createSystems()
    for (const { bot, created } of [onDiscord, onMatrix]) {
      await record(bot, ids, created)
      await bot.do(`PATCH /bot/guilds/${ids.guild}`, { disabled_channels: [ids.channel] })
      await bot.do(`PATCH /bot/systems/${created.system}/guilds/${ids.guild}`, {})
      await bot.do(`PATCH /bot/members/${created.wren}/guilds/${ids.guild}`, {})
      const guild = bot === discord ? ids.guild : `${bot.platform}:${ids.guild}`
      const mode = { autoproxy_mode: 'front' }
      await bot.do(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild}`, mode, created.behalf)
    }
    const storedIds = async (column: string, table: string, plain: string) => {
      const found = await rows<{ id: string }>(
        testApp.deps.db,
        `select ${column} as id from ${table} where ${column} in (:plain, :onMatrix) order by ${column}`,
        { plain, onMatrix: `matrix:${plain}` },
      )
      return found.map(({ id }) => id)
    }
    for (const [column, table, plain] of [
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
      expect([table, ...(await storedIds(column, table, plain))]).toEqual([
        table,
        plain,
        `matrix:${plain}`,
      ])
    expect(await storedIds('id', 'accounts', ids.account)).toEqual([
      ids.account,
      `matrix:${ids.account}`,
    ])
    expect(await storedIds('disabled_channels', 'guilds', `["${ids.channel}"]`)).toHaveLength(1)
  })
})

describe('Matrix bot', () => {
  test('a Matrix bot registers, proxies, records, looks up by either ID and deletes', async () => {
    const created = await matrix.makeSystem(WREN)
    expect(await matrix.do(`GET /bot/accounts/${part(WREN)}`)).toEqual({
      account_id: WREN,
      system: created.system,
      autoproxy_enabled: true,
    })
    const message = { account_id: WREN, guild_id: ROOM, channel_id: ROOM, content: 'w:hello' }
    const decision = await matrix.do<{ message: Json; member: Json }>('POST /bot/proxy', message)
    expect(decision).toMatchObject({ action: 'proxy', message: { content: 'hello' } })

    const sent = { id: '$sent', original: '$said', sender: WREN, channel: ROOM, guild: ROOM }
    const recorded = { ...sent, member: decision.member.id }
    const first = await matrix.ask('POST /bot/messages', recorded)
    expect(first.status).toBe(201)
    expect(first.json).toMatchObject({ ...sent, member: { id: created.wren, message_count: 1 } })
    expect(await matrix.ask('POST /bot/messages', recorded)).toMatchObject({
      status: 200,
      json: sent,
    })

    const shown = {
      id: 'matrix:$sent',
      original: 'matrix:$said',
      sender: `matrix:${WREN}`,
      channel: `matrix:${ROOM}`,
      guild: `matrix:${ROOM}`,
    }
    for (const id of ['$sent', '$said'])
      for (const encoded of [`matrix:${id}`, part(`matrix:${id}`)]) {
        const { json } = await testApp.ask(`GET /v2/messages/${encoded}`)
        expect(json).toMatchObject({ ...shown, member: { id: created.wren } })
        const old = await testApp.ask(`GET /v1/msg/${encoded}`)
        const { guild: _, ...withoutGuild } = shown
        expect(old.json).toMatchObject({ ...withoutGuild, member: { id: created.wren } })
      }

    await matrix.do(`DELETE /bot/messages/${part('$sent')}`)
    expect((await testApp.ask('GET /v2/messages/matrix:$sent')).status).toBe(404)
    await matrix.do(`DELETE /bot/accounts/${part(WREN)}`)
    expect(await matrix.refusal(`GET /bot/accounts/${part(WREN)}`)).toEqual([404, 20001])
    expect(await matrix.do('POST /bot/proxy', message)).toEqual({
      action: 'ignore',
      reason: 'no_system',
    })
  })

  test('events of a Matrix bot have IDs with the platform prefix', async () => {
    const account = '@teller:example.org'
    const created = await matrix.makeSystem(account)
    const member = created.wren
    const sent = { id: '$t1', original: '$t0', sender: account, channel: ROOM, guild: ROOM, member }
    const as = `autoproxy?guild_id=${part(`matrix:${ROOM}`)}`
    await matrix.do(`PATCH /v2/systems/@me/${as}`, { autoproxy_mode: 'front' }, created.behalf)
    await matrix.do(`PATCH /bot/systems/${created.system}/guilds/${part(ROOM)}`, { tag: '|' })
    await matrix.do('POST /bot/messages', sent)
    await matrix.do(`DELETE /bot/systems/${created.system}/accounts/${part(account)}`)
    const headers = { authorization: created.token, 'last-event-id': '0' }
    const request = new Request('http://localhost/v2/systems/@me/events', { headers })
    const stream = await testApp.app.handle(request, () => '127.0.0.1')
    const events = new Map<string, { id: string; data: Json }>()
    let text = ''
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (const [, type = '', data = ''] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g))
        events.set(type, JSON.parse(data))
      if (events.has('UNLINK_ACCOUNT')) break
    }
    expect(events.get('LINK_ACCOUNT')).toHaveProperty('id', `matrix:${account}`)
    expect(events.get('UNLINK_ACCOUNT')).toHaveProperty('id', `matrix:${account}`)
    expect(events.get('UPDATE_AUTOPROXY')?.data).toHaveProperty('guild_id', `matrix:${ROOM}`)
    expect(events.get('UPDATE_SYSTEM_GUILD')?.data).toHaveProperty('guild_id', `matrix:${ROOM}`)
    expect(events.get('CREATE_MESSAGE')?.data).toMatchObject({
      id: 'matrix:$t1',
      original: 'matrix:$t0',
      sender: `matrix:${account}`,
      channel: `matrix:${ROOM}`,
      guild: `matrix:${ROOM}`,
    })
  })
})

describe('IDs of platforms other than Discord', () => {
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
  ])('accepts the ID %s in every endpoint', async (id) => {
    const account = id
    const created = await irc.makeSystem(account)
    expect(await irc.do(`GET /bot/accounts/${part(id)}`)).toHaveProperty('account_id', id)
    const sent = { id: id, original: id, sender: id, channel: id, guild: id }
    expect(await irc.do('POST /bot/messages', { ...sent, member: created.wren })).toMatchObject(
      sent,
    )
    const guild = { disabled_channels: [id], log_channel: id, log_disabled_channels: [id] }
    expect(await irc.do(`PATCH /bot/guilds/${part(id)}`, guild)).toMatchObject(guild)
    await irc.do(`PATCH /bot/systems/${created.system}/guilds/${part(id)}`, {})

    const prefixed = `irc:${id}`
    const encoded = part(prefixed)
    const shown = { id: prefixed, original: prefixed, sender: prefixed, channel: prefixed }
    expect((await testApp.ask(`GET /v2/messages/${encoded}`)).json).toMatchObject(shown)
    expect((await testApp.ask(`GET /v1/msg/${encoded}`)).json).toMatchObject(shown)
    expect((await testApp.ask(`GET /v2/systems/${encoded}`)).json.id).toBe(created.system)
    expect((await testApp.ask(`GET /v2/systems/${encoded}/members`)).status).toBe(200)
    expect((await testApp.ask(`GET /v1/a/${encoded}`)).json.id).toBe(created.system)
    const own = { headers: { authorization: created.token } }
    expect((await testApp.ask(`GET /v2/systems/@me/guilds/${encoded}`, own)).status).toBe(200)
    const autoproxy = `/v2/systems/@me/autoproxy?guild_id=${encoded}`
    expect((await testApp.ask(`GET ${autoproxy}`, own)).status).toBe(200)

    const file = (await testApp.ask<Json>('GET /v2/systems/@me/export', own)).json
    expect(file.accounts).toEqual([])
    expect(file.multitude).toMatchObject({ accounts: [{ id: prefixed }] })
    await irc.do(`DELETE /bot/messages/${encoded.slice('irc%3A'.length)}`)
    await irc.do(`DELETE /bot/accounts/${part(id)}`)
    expect((await testApp.ask(`GET /v2/systems/${encoded}`)).status).toBe(404)
    expect(
      testApp
        .logged()
        .split('\n')
        .filter((line) => line !== '' && !isJson(line)),
    ).toEqual([])
  })

  const bad = ['a b', 'a\n', '\u001b', '\ud83d', 'x'.repeat(256)]

  test.each(['', '.', '..', ...bad])('refuses the ID %j in a body', async (id) => {
    const message = { account_id: id, guild_id: id, channel_id: id, thread_id: id, content: '' }
    const { status, json } = await irc.ask('POST /bot/proxy', message)
    expect([status, json.code]).toEqual([400, 40001])
    const keys = ['account_id', 'channel_id', 'guild_id', 'thread_id']
    expect(Object.keys(json.errors as Json).sort()).toEqual(keys)
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

  test.each(bad.filter((id) => id.isWellFormed()))(
    'refuses the ID %j in a path or a query',
    async (id) => {
      const encoded = part(id)
      const created = await irc.makeSystem()
      for (const line of [
        `GET /bot/accounts/${encoded}`,
        `DELETE /bot/accounts/${encoded}`,
        `GET /bot/guilds/${encoded}`,
        `PUT /bot/systems/${created.system}/accounts/${encoded}`,
        `GET /bot/members/${created.wren}/guilds/${encoded}`,
        `DELETE /bot/messages/${encoded}`,
        `GET /v2/messages/irc:${encoded}`,
        `GET /v2/systems/@me/guilds/irc:${encoded}`,
        `GET /v2/systems/@me/autoproxy?guild_id=irc:${encoded}`,
      ]) {
        const headers = line.includes('/v2/') ? created.behalf : {}
        expect([line, ...(await irc.refusal(line, undefined, headers))]).toEqual([line, 400, 0])
      }
      expect((await testApp.ask(`GET /v1/msg/irc:${encoded}`)).status).toBe(404)
      expect((await testApp.ask(`GET /v1/a/irc:${encoded}`)).status).toBe(404)
      expect((await testApp.ask(`GET /v2/systems/irc:${encoded}`)).status).toBe(404)
    },
  )

  test.each(['x', 'irc', 'irc:', ':x', 'IRC:x', 'i:x', 'discord:x', '18446744073709551616'])(
    'refuses the ID %p without a valid platform prefix on v2',
    async (id) => {
      expect((await testApp.ask(`GET /v2/messages/${id}`)).status).toBe(400)
      expect((await testApp.ask(`GET /v1/msg/${id}`)).status).toBe(404)
      expect((await testApp.ask(`GET /v1/a/${id}`)).status).toBe(404)
    },
  )
})

describe('systems that a bot may act for', () => {
  const refused = async (bot: Adapter, created: CreatedSystem) => {
    const statuses = []
    for (const [line, body] of [
      [`POST /bot/systems/${created.system}/token`, {}],
      [`PUT /bot/systems/${created.system}/accounts/${nextId()}`],
      [`DELETE /bot/systems/${created.system}/accounts/1`],
      [`GET /bot/systems/${created.system}/guilds/1`],
      [`PATCH /bot/systems/${created.system}/guilds/1`, {}],
      [`GET /bot/members/${created.wren}/guilds/1`],
      [`PATCH /bot/members/${created.wren}/guilds/1`, {}],
      [`DELETE /bot/systems/${created.system}/switches`],
      [`DELETE /bot/systems/${created.system}`],
    ] as [string, unknown?][])
      statuses.push((await bot.refusal(line, body))[0])
    for (const [line, body] of [
      ['GET /v2/systems/@me'],
      [`GET /v2/members/${created.wren}`],
      ['POST /v2/members', { name: 'Finch' }],
      ['POST /v2/systems/@me/link-code'],
      ['GET /v2/systems/@me/events'],
      ['GET /v1/s'],
    ] as [string, unknown?][])
      statuses.push((await bot.refusal(line, body, created.behalf))[0])
    return new Set(statuses)
  }

  test('a bot cannot act for a system of another platform', async () => {
    const created = await discord.makeSystem(nextId())
    expect(await refused(matrix, created)).toEqual(new Set([403]))
    const own = { headers: { authorization: created.token } }
    expect((await testApp.ask<Json[]>('GET /v2/systems/@me/members', own)).json).toHaveLength(1)
  })

  test('a bot can act for a system of the operator only if it has an account on its platform', async () => {
    const { deps } = testApp
    const { createSystem } = await import('../../tools/operatorActions')
    const { insertAccount } = await import('../../../src/store/access/accountRows')
    const created = await createSystem(deps, {}, { account: null, tokenName: 'test' })
    const behalf = { 'x-system': created.system.hid }
    for (const bot of [discord, matrix])
      expect(await bot.refusal('GET /v2/systems/@me', undefined, behalf)).toEqual([403, 0])
    await deps.transact('new', (tx) =>
      insertAccount(deps, tx, created.system.id, 'matrix:@op:example.org'),
    )
    expect(await matrix.do('GET /v2/systems/@me', undefined, behalf)).toBeDefined()
    expect(await discord.refusal('GET /v2/systems/@me', undefined, behalf)).toEqual([403, 0])
    const byAccount = { 'x-system': 'matrix:@op:example.org' }
    expect(await matrix.do('GET /v2/systems/@me', undefined, byAccount)).toBeDefined()
  })

  test('a bot can act for a system without accounts that another bot of its platform created', async () => {
    const created = await matrix.makeSystem()
    const another = await createAdapter(testApp, 'matrix')
    expect(await another.do('GET /v2/systems/@me', undefined, created.behalf)).toHaveProperty(
      'id',
      created.system,
    )
    expect(await another.do(`POST /bot/systems/${created.system}/token`)).toHaveProperty('token')
    expect(await refused(discord, created)).toEqual(new Set([403]))
  })

  test('a bot cannot act for a system after its last account on the platform was unlinked', async () => {
    const account = nextId()
    const created = await discord.makeSystem(account)
    const { code } = await discord.do('POST /v2/systems/@me/link-code', undefined, created.behalf)
    await matrix.do('POST /bot/link', { account_id: account, code })
    expect(await matrix.do('GET /v2/systems/@me', undefined, created.behalf)).toBeDefined()
    await matrix.do(`DELETE /bot/accounts/${account}`)
    expect(await matrix.refusal('GET /v2/systems/@me', undefined, created.behalf)).toEqual([403, 0])
  })

  test('a bot cannot record a message with the member of another system', async () => {
    const [account, other] = [nextId(), nextId()]
    await matrix.makeSystem(account)
    const foreign = await discord.makeSystem(other)
    const sent = {
      id: nextId(),
      original: nextId(),
      sender: account,
      channel: '1',
      member: foreign.wren,
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
  ])('bot routes refuse @me: %s', async (line) => {
    const body = /^P[OA]/.test(line) ? {} : undefined
    expect(await irc.refusal(line, body)).toEqual([400, 0])
  })
})

describe('limits of the platform', () => {
  const long = 'x'.repeat(2001)
  const name = 'n'.repeat(81)

  const decide = async (bot: Adapter, content: string, limits: unknown, as = 'Wren') => {
    const account_id = nextId()
    const created = await bot.makeSystem(account_id)
    await bot.do(`PATCH /v2/members/${created.wren}`, { name: as }, created.behalf)
    const message = { account_id, guild_id: '1', channel_id: '2', content: `w:${content}`, limits }
    return bot.do<Json>('POST /bot/proxy', message)
  }

  test('uses Discord’s limits when a bot sends none', async () => {
    for (const limits of [undefined, null, {}, { content: null, name: null }]) {
      expect(await decide(matrix, long, limits)).toHaveProperty('reason', 'too_long')
      expect(await decide(matrix, 'x', limits, name)).toHaveProperty('reason', 'name_too_long')
    }
  })

  test('uses the limits that a bot sends, longer or shorter', async () => {
    expect(await decide(matrix, long, { content: 2001 })).toHaveProperty('action', 'proxy')
    const short = await decide(irc, 'too long', { content: 7 })
    expect(short).toMatchObject({ reason: 'too_long', text: expect.stringContaining(' 7 ') })
    expect(await decide(irc, 'in time', { content: 7 })).toHaveProperty('action', 'proxy')
    expect(await decide(matrix, 'x', { name: 81 }, name)).toHaveProperty('message.name', name)
    const nick = await decide(irc, 'x', { name: 3 })
    expect(nick).toMatchObject({ reason: 'name_too_long', text: expect.stringContaining(' 3 ') })
  })

  test('a Discord bot cannot raise the name limit', async () => {
    expect(await decide(discord, 'x', { name: 200 }, name)).toHaveProperty(
      'reason',
      'name_too_long',
    )
    expect(await decide(discord, long, { content: 4000 })).toHaveProperty('action', 'proxy')
  })

  test.each<[limits: unknown, problems: string[]]>([
    [{ content: 0 }, ['limits.content']],
    [{ content: -1, name: 1.5 }, ['limits.content', 'limits.name']],
    [{ content: '10', name: true }, ['limits.content', 'limits.name']],
    [{ name: 2 ** 60 }, ['limits.name']],
    [[], ['limits']],
    [500, ['limits']],
  ])('refuses the limits %j', async (limits, problems) => {
    const message = { account_id: '1', guild_id: '1', channel_id: '2', content: '', limits }
    const { status, json } = await matrix.ask('POST /bot/proxy', message)
    expect([status, json.code]).toEqual([400, 40001])
    expect(Object.keys(json.errors as Json)).toEqual(problems)
  })
})

test('adjusts names for Discord only', async () => {
  const decide = async (bot: Adapter, as: string) => {
    const account_id = nextId()
    const created = await bot.makeSystem(account_id)
    await bot.do(`PATCH /v2/members/${created.wren}`, { name: as }, created.behalf)
    const previous = { name: as, member: null }
    const message = { account_id, guild_id: '1', channel_id: '2', content: 'w:hi', previous }
    return (await bot.do<{ message: Json }>('POST /bot/proxy', message)).message
  }
  for (const as of ['Wren', 'clyde', 'everyone', 'W']) {
    expect(await decide(matrix, as)).toMatchObject({ name: as, plain_name: as })
    const { name, plain_name } = await decide(discord, as)
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
