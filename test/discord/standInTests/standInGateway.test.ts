import { afterEach, describe, expect, test } from '../../tools/test'
import type { StandInOptions } from '../standIn/options'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { allIntents, connect, identifyData, RawGateway, rest, resume } from '../tools/rawClient'
import { stopAll } from '../tools/restWorld'

const running: DiscordStandIn[] = []
afterEach(() => stopAll(running))

/** A stand-in with a guild, a member and a channel, without waits between IDENTIFYs. */
async function start(options: Partial<StandInOptions> = {}) {
  const discord = await startDiscord({
    heartbeatMs: 60_000,
    identifyWindowMs: 0,
    rateLimits: 'off',
    ...options,
  })
  running.push(discord)
  const { id: userId } = await discord.users.createUser({ username: 'alice' })
  const guild = await discord.users.createGuild({ memberIds: [userId] })
  const say = (content: string) =>
    discord.users.sendMessage({ userId, channelId: guild.channelId, content })
  return { discord, users: discord.users, userId, guild, say }
}

async function hello(discord: DiscordStandIn): Promise<RawGateway> {
  const client = new RawGateway(discord.gateway)
  await client.op(10)
  return client
}

describe('heartbeat', () => {
  test('HELLO is the first payload and has the configured interval', async () => {
    const { discord } = await start({ heartbeatMs: 1234 })
    const client = await hello(discord)
    expect(client.received[0]).toMatchObject({ op: 10, d: { heartbeat_interval: 1234 } })
  })

  test('a client that sends no heartbeat for two intervals is disconnected', async () => {
    const { discord } = await start({ heartbeatMs: 20 })
    const client = await hello(discord)
    expect(await client.closed).toBe(4009)
  })

  test('a heartbeat is acknowledged, unless acknowledgements are withheld', async () => {
    const { discord, users, guild, userId } = await start()
    const { client } = await connect(discord)
    client.send(1, null)
    await client.op(11)
    await users.setGatewayFaults({ withholdsAcks: true })
    client.send(1, null)
    // The answer to a later payload shows that the heartbeat was handled.
    client.send(8, { guild_id: guild.id, user_ids: [userId] })
    await client.event('GUILD_MEMBERS_CHUNK')
    expect(client.received.filter(({ op }) => op === 11)).toHaveLength(1)
  })

  test('the server can request a heartbeat', async () => {
    const { discord, users } = await start()
    const { client } = await connect(discord)
    await users.sendOpcode({ op: 1 })
    expect((await client.op(1)).d).toBeNull()
  })
})

describe('IDENTIFY', () => {
  const refusals: [title: string, changes: object, code: number][] = [
    ['a wrong token', { token: 'wrong' }, 4004],
    ['missing intents', { intents: undefined }, 4013],
    ['an unknown intent', { intents: 1 << 18 }, 4013],
    ['a privileged intent that the application lacks', { intents: 1 << 1 }, 4014],
    ['missing properties', { properties: undefined }, 4002],
    ['an impossible shard', { shard: [2, 2] }, 4010],
  ]
  test.each(refusals)('%s is refused', async (_, changes, code) => {
    const { discord } = await start()
    const client = await hello(discord)
    client.send(2, identifyData(discord, changes))
    expect(await client.closed).toBe(code)
  })

  test('MESSAGE_CONTENT without the application flag is refused', async () => {
    const { discord } = await start({ privilegedIntents: [] })
    const client = await hello(discord)
    client.send(2, identifyData(discord))
    expect(await client.closed).toBe(4014)
  })

  test('the token may carry the prefix Bot', async () => {
    const { discord } = await start()
    const { client } = await connect(discord, { token: `Bot ${discord.token}` })
    expect(client.types[0]).toBe('READY')
  })

  test('a second IDENTIFY is refused', async () => {
    const { discord } = await start()
    const { client } = await connect(discord)
    client.send(2, identifyData(discord))
    expect(await client.closed).toBe(4005)
  })

  const payloads: [title: string, text: string, code: number][] = [
    ['a payload before IDENTIFY', '{"op":3,"d":{}}', 4003],
    ['an unknown opcode', '{"op":99,"d":{}}', 4001],
    ['a payload that is not JSON', 'text', 4002],
    ['a payload over 4,096 bytes', JSON.stringify({ op: 1, d: 'x'.repeat(4096) }), 4002],
  ]
  test.each(payloads)('%s is refused', async (_, text, code) => {
    const { discord } = await start()
    const client = await hello(discord)
    client.sendText(text)
    expect(await client.closed).toBe(code)
  })

  test('more than 120 payloads in a minute are refused', async () => {
    const { discord } = await start()
    const { client } = await connect(discord)
    for (let count = 0; count < 120; count++) client.send(3, {})
    expect(await client.closed).toBe(4008)
  })

  test('another version of the gateway is refused', async () => {
    const { discord } = await start()
    const socket = new WebSocket(`${discord.gateway}/?v=6&encoding=json`)
    const { promise, resolve } = Promise.withResolvers<number>()
    socket.onclose = ({ code }) => resolve(code)
    expect(await promise).toBe(4012)
  })

  test('more than max_concurrency IDENTIFYs in 5 seconds get an invalid session', async () => {
    const { discord, users } = await start({ identifyWindowMs: 5000 })
    await connect(discord)
    const client = await hello(discord)
    client.send(2, identifyData(discord))
    expect<unknown>((await client.op(9)).d).toBe(false)
    await users.advanceClock({ ms: 5000 })
    await connect(discord)
  })

  test('each bucket of max_concurrency has an IDENTIFY of its own', async () => {
    const { discord } = await start({ identifyWindowMs: 5000, maxConcurrency: 2 })
    await connect(discord, { shard: [0, 2] })
    await connect(discord, { shard: [1, 2] })
  })

  test('session_start_limit counts down, and a scenario can limit IDENTIFYs', async () => {
    const { discord, users } = await start({ sessionStarts: 2 })
    const left = async () => {
      const { body } = await rest(discord, 'GET /gateway/bot')
      return body.session_start_limit?.remaining
    }
    expect<unknown>(await left()).toBe(2)
    await connect(discord)
    expect<unknown>(await left()).toBe(1)
    expect(await users.problems({ identifies: 1 })).toEqual([])
    expect(await users.problems({ identifies: 0 })).toEqual(['1 IDENTIFYs, 0 allowed'])
    await connect(discord)
    const client = await hello(discord)
    client.send(2, identifyData(discord))
    expect(await client.closed).toBe(4004)
  })
})

describe('guilds and shards', () => {
  test('READY lists guilds as unavailable, and one GUILD_CREATE follows for each', async () => {
    const { discord, users, guild } = await start()
    const other = await users.createGuild({ channels: ['a', 'b'] })
    const { client } = await connect(discord)
    const ready = await client.event('READY')
    expect<unknown>(ready.d.guilds).toEqual([
      { id: guild.id, unavailable: true },
      { id: other.id, unavailable: true },
    ])
    expect(client.types).toEqual(['READY', 'GUILD_CREATE', 'GUILD_CREATE'])
    expect<unknown>(ready.d.resume_gateway_url).toBe(discord.resumeGateway)
    expect(await users.problems()).toEqual([])
  })

  test('a shard receives its own guilds, and shard 0 the direct messages', async () => {
    const { discord, users, userId } = await start({ maxConcurrency: 2 })
    const guilds = await Promise.all(
      [0, 1].map((id) => users.createGuild({ memberIds: [userId], shard: { id, count: 2 } })),
    )
    const [first, second] = await Promise.all(
      [0, 1].map((id) => connect(discord, { shard: [id, 2] })),
    )
    await users.sendMessage({ userId, channelId: guilds[1]?.channelId ?? '', content: 'guild' })
    await users.sendMessage({ userId, content: 'direct' })
    const [inDm, inGuild] = [first?.client, second?.client]
    expect<unknown>((await inDm?.event('MESSAGE_CREATE'))?.d.content).toBe('direct')
    expect<unknown>((await inGuild?.event('MESSAGE_CREATE'))?.d.content).toBe('guild')
    expect(inDm?.types.filter((type) => type === 'MESSAGE_CREATE')).toHaveLength(1)
  })

  test('an outage sends GUILD_DELETE with unavailable, and its end GUILD_CREATE', async () => {
    const { discord, users, guild } = await start()
    const { client } = await connect(discord)
    await users.setGuildAvailable({ guildId: guild.id, isAvailable: false })
    expect<unknown>((await client.event('GUILD_DELETE')).d).toEqual({
      id: guild.id,
      unavailable: true,
    })
    await users.setGuildAvailable({ guildId: guild.id, isAvailable: true })
    await client.find(() => client.types.filter((type) => type === 'GUILD_CREATE').length === 2)
  })

  test('two sessions of the same shard both receive every event', async () => {
    const { discord, say } = await start()
    const clients = [await connect(discord), await connect(discord)]
    await say('twice')
    for (const { client } of clients)
      expect<unknown>((await client.event('MESSAGE_CREATE')).d.content).toBe('twice')
  })
})

test('an event is sent once more on request, with a sequence of its own', async () => {
  const { discord, users, say } = await start()
  const { client } = await connect(discord)
  const { id } = await say('twice')
  const first = await client.event('MESSAGE_CREATE')
  await users.repeatEvent({ id })
  const second = await client.find(({ t, s }) => t === 'MESSAGE_CREATE' && s !== first.s)
  expect(second).toMatchObject({ d: { id, content: 'twice' }, s: (first.s ?? 0) + 1 })
})

describe('RESUME', () => {
  test('replays missed events in order, then RESUMED, and no GUILD_CREATE', async () => {
    const { discord, users, say } = await start()
    const { client, sessionId } = await connect(discord)
    await say('seen')
    const { s } = await client.event('MESSAGE_CREATE')
    await users.closeConnections({ code: 4000 })
    expect(await client.closed).toBe(4000)
    await say('one')
    await say('two')
    const again = await resume(discord, sessionId, s ?? 0)
    await again.event('RESUMED')
    expect<unknown>(again.received.slice(1).map(({ t, d }) => [t, d.content])).toEqual([
      ['MESSAGE_CREATE', 'one'],
      ['MESSAGE_CREATE', 'two'],
      ['RESUMED', undefined],
    ])
    await say('three')
    await again.find(({ d }) => String(d?.content) === 'three')
    expect(await users.counts()).toMatchObject({ identifies: 1, resumes: 1 })
  })

  test('an unknown session gets an invalid session', async () => {
    const { discord } = await start()
    const client = await resume(discord, 'unknown', 1)
    expect<unknown>((await client.op(9)).d).toBe(false)
  })

  test('an impossible sequence is refused', async () => {
    const { discord } = await start()
    const { client, sessionId } = await connect(discord)
    await client.close(4900)
    const again = await resume(discord, sessionId, 1000)
    expect(await again.closed).toBe(4007)
  })

  test('a session expires some time after its socket closed', async () => {
    const { discord, users } = await start({ sessionTtlMs: 30_000 })
    const { client, sessionId } = await connect(discord)
    await client.close(4900)
    await users.until(users.sessions, ([session]) => session?.isConnected === false)
    await users.advanceClock({ ms: 30_001 })
    const again = await resume(discord, sessionId, 1)
    expect<unknown>((await again.op(9)).d).toBe(false)
  })

  const closings: [code: number, isKept: boolean][] = [
    [1000, false],
    [1001, false],
    [4900, true],
    [3000, true],
  ]
  test.each(closings)(
    'a close by the client with %d keeps the session: %p',
    async (code, isKept) => {
      const { discord, users } = await start()
      const { client, sessionId } = await connect(discord)
      await client.close(code)
      await users.until(users.sessions, (all) => all.every(({ isConnected }) => !isConnected))
      const again = await resume(discord, sessionId, 1)
      expect((await again.find(({ op, t }) => op === 9 || t === 'RESUMED')).op).toBe(isKept ? 0 : 9)
    },
  )

  test('a TCP reset by the client keeps the session', async () => {
    const { discord, users } = await start()
    const { client, sessionId } = await connect(discord)
    client.terminate()
    await users.until(users.sessions, ([session]) => session?.isConnected === false)
    await (await resume(discord, sessionId, 1)).event('RESUMED')
  })
})

describe('message content', () => {
  const rows: [title: string, send: 'guild' | 'mention' | 'dm' | 'own', isWhole: boolean][] = [
    ['a message of a member', 'guild', false],
    ['a message that mentions the bot', 'mention', true],
    ['a direct message', 'dm', true],
    ['a message of the bot', 'own', true],
  ]
  test.each(rows)('without MESSAGE_CONTENT, %s (%s) is whole: %p', async (_, kind, isWhole) => {
    const { discord, users, userId, guild } = await start()
    const { client } = await connect(discord, { intents: allIntents & ~(1 << 15) })
    const mention = kind === 'mention' ? ` <@${discord.botId}>` : ''
    const content = `text${mention}`
    const files = [{ filename: 'a.txt', text: 'a' }]
    if (kind === 'own')
      await rest(discord, `POST /channels/${guild.channelId}/messages`, { body: { content } })
    else
      await users.sendMessage({
        userId,
        content,
        files,
        ...(kind === 'dm' ? {} : { channelId: guild.channelId }),
      })
    const { d } = await client.event('MESSAGE_CREATE')
    expect<unknown>(d.content).toBe(isWhole ? content : '')
    if (kind !== 'own') expect(d.attachments).toHaveLength(isWhole ? 1 : 0)
  })
})

describe('intents', () => {
  const rows: [type: string, intent: number][] = [
    ['MESSAGE_CREATE', 1 << 9],
    ['MESSAGE_DELETE', 1 << 9],
    ['MESSAGE_REACTION_ADD', 1 << 10],
    ['WEBHOOKS_UPDATE', 1 << 5],
    ['CHANNEL_CREATE', 1 << 0],
    ['GUILD_ROLE_CREATE', 1 << 0],
    ['THREAD_CREATE', 1 << 0],
  ]
  test.each(rows)('%s is sent only to sessions with its intent', async (type, intent) => {
    const { discord, users, userId, guild, say } = await start()
    const [withIntent, without] = [
      await connect(discord, { intents: intent }),
      await connect(discord, { intents: allIntents & ~intent }),
    ]
    const { id: messageId } = await say('text')
    const { channelId } = guild
    await users.react({ userId, channelId, messageId, emoji: '👍' })
    await users.createWebhook({ channelId, creatorId: userId })
    await users.createChannel({ guildId: guild.id })
    await users.createRole({ guildId: guild.id })
    await users.createThread({ parentId: channelId, ownerId: userId })
    await users.deleteMessage({ channelId, messageId })
    await withIntent.client.event(type)
    // Interactions need no intent; this one shows that all earlier events have arrived.
    await rest(discord, `PUT /applications/${discord.applicationId}/commands`, {
      body: [{ name: 'end', description: 'end' }],
    })
    await users.invokeCommand({ userId, channelId, command: 'end' })
    await without.client.event('INTERACTION_CREATE')
    expect(without.client.types).not.toContain(type)
  })

  test('events of channels that the bot cannot view are not sent', async () => {
    const { discord, users, userId, guild, say } = await start()
    const { id: hidden } = await users.createChannel({
      guildId: guild.id,
      overwrites: [{ userId: discord.botId, deny: ['VIEW_CHANNEL'] }],
    })
    const { client } = await connect(discord)
    await users.sendMessage({ userId, channelId: hidden, content: 'hidden' })
    await say('shown')
    expect<unknown>((await client.event('MESSAGE_CREATE')).d.content).toBe('shown')
  })
})

describe('disconnecting', () => {
  test('op 7 asks for a reconnect', async () => {
    const { discord, users } = await start()
    const { client } = await connect(discord)
    await users.sendOpcode({ op: 7 })
    await client.op(7)
  })

  test.each([true, false])('op 9 with %p', async (isResumable) => {
    const { discord, users } = await start()
    const { client, sessionId } = await connect(discord)
    await users.sendOpcode({ op: 9, isResumable })
    expect<unknown>((await client.op(9)).d).toBe(isResumable)
    await client.close(4900)
    const again = await resume(discord, sessionId, 1)
    expect((await again.find(({ op, t }) => op === 9 || t === 'RESUMED')).op).toBe(
      isResumable ? 0 : 9,
    )
  })

  test.each([1000, 1001, 4000, 4009])('the server closes with %d', async (code) => {
    const { discord, users } = await start()
    const { client } = await connect(discord)
    await users.closeConnections({ code })
    expect(await client.closed).toBe(code)
  })

  test('the server resets the connection', async () => {
    const { discord, users } = await start()
    const { client } = await connect(discord)
    await users.resetConnections()
    expect(await client.closed).toBe(1006)
  })

  test('an upgrade is answered with 502', async () => {
    const { discord, users } = await start()
    await users.setGatewayFaults({ upgradeStatus: 502 })
    await new RawGateway(discord.gateway).closed
    expect((await users.connections()).at(-1)).toMatchObject({ server: 'gateway', sessionId: null })
    await users.clearFaults()
    await connect(discord)
  })

  test('the resume address refuses connections until it accepts them again', async () => {
    const { discord, users } = await start()
    const { client, sessionId } = await connect(discord)
    await client.close(4900)
    await users.setResumeAddress({ accepts: false })
    await new RawGateway(discord.resumeGateway).closed
    await users.setResumeAddress({ accepts: true })
    await (await resume(discord, sessionId, 1)).event('RESUMED')
  })
})

describe('order of events', () => {
  test.each(['pin', 'preview'] as const)(
    'a %s sends MESSAGE_UPDATE without an edit',
    async (kind) => {
      const { discord, users, userId, guild, say } = await start()
      const { client } = await connect(discord)
      const { id: messageId, channelId } = await say('text https://example.com/')
      if (kind === 'pin') await users.pinMessage({ channelId, messageId, userId: guild.ownerId })
      else await users.addLinkPreview({ channelId, messageId })
      const { d } = await client.event('MESSAGE_UPDATE')
      expect<unknown>([d.content, d.edited_timestamp]).toEqual(['text https://example.com/', null])
      await users.editMessage({ channelId, messageId, content: `by ${userId}` })
      const edited = await client.find(
        ({ t, d: { edited_timestamp: at } }) => t === 'MESSAGE_UPDATE' && at !== null,
      )
      expect<unknown>(edited.d.content).toBe(`by ${userId}`)
    },
  )

  const route = 'POST /webhooks/{webhook_id}/{webhook_token}'
  test.each(['event', 'answer'] as const)(
    'the %s of a webhook execution can arrive first',
    async (first) => {
      const { discord, users, guild } = await start()
      const { client } = await connect(discord)
      const { body } = await rest(discord, `POST /channels/${guild.channelId}/webhooks`, {
        body: { name: 'Multitude' },
      })
      if (first === 'event')
        await users.failRequests({ route, kind: 'delay', when: 'after', delayMs: 200 })
      else await users.delayEvents({ ms: 200 })
      const order: string[] = []
      const execution = rest(discord, `POST /webhooks/${body.id}/${body.token}?wait=true`, {
        body: { content: 'text' },
      })
      await Promise.all([
        execution.then(() => order.push('answer')),
        client.event('MESSAGE_CREATE').then(() => order.push('event')),
      ])
      expect(order[0]).toBe(first)
    },
  )
})
