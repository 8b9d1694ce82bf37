import type { FatalClose } from '../../src/discord/gateway/closeCodes'
import type { GatewayEvent } from '../../src/discord/gateway/events'
import { type GatewayParts, startGateway } from '../../src/discord/gateway/gateway'
import type { GatewaySession, SessionStore } from '../../src/discord/gateway/sessionStore'
import type { GatewayInfo } from '../../src/discord/gateway/shard'
import { defaultGatewayTiming } from '../../src/discord/gateway/timing'
import { errorOf } from '../tools/outcomeOf'
import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import { gatewayTiming, type TestDiscord, useDiscord, userAgent } from './tools/testDiscord'

const start = useDiscord()
/** Exceeds the pauses of rate limits. */
const PAUSE_MS = 6000

/** Sessions that outlive a gateway client, as a database does. */
function createSessionStore(): SessionStore & { readonly sessions: Map<string, GatewaySession> } {
  const sessions = new Map<string, GatewaySession>()
  return {
    sessions,
    load: async (shard, count) => sessions.get(`${shard}/${count}`) ?? null,
    async save(shard, count, session) {
      sessions.set(`${shard}/${count}`, session)
    },
    async delete(shard) {
      for (const key of sessions.keys()) if (key.startsWith(`${shard}/`)) sessions.delete(key)
    },
  }
}

interface Client {
  readonly gateway: Awaited<ReturnType<typeof startGateway>>
  readonly events: GatewayEvent[]
  readonly fatal: FatalClose[]
  /** Contents of the messages that were received. */
  contents(): string[]
  isOnline(): boolean
}

async function connect(
  { discord, clock, log, createRest, cleanUp }: TestDiscord,
  parts: Partial<GatewayParts> = {},
): Promise<Client> {
  const rest = createRest()
  const events: GatewayEvent[] = []
  const fatal: FatalClose[] = []
  const gateway = await startGateway({
    clock,
    token: discord.token,
    userAgent,
    shards: 'auto',
    sessions: createSessionStore(),
    log,
    loadGatewayInfo: () => rest.request<GatewayInfo>('GET', '/gateway/bot'),
    applicationId: () => discord.applicationId,
    onFatal: (close) => fatal.push(close),
    ...parts,
    timing: { ...gatewayTiming, ...parts.timing },
    onEvent(event, shard, id) {
      events.push(event)
      return parts.onEvent?.(event, shard, id)
    },
  })
  cleanUp(gateway.stop)
  return {
    gateway,
    events,
    fatal,
    contents: () =>
      events.flatMap((event) => (event.type === 'MESSAGE_CREATE' ? [event.data.content] : [])),
    isOnline: () => gateway.shards.every(({ state }) => state === 'online'),
  }
}

const online = (client: Client) => until(client.isOnline)

async function say({ discord, guild }: TestDiscord, content: string): Promise<void> {
  await discord.users.sendMessage({ userId: guild.ownerId, channelId: guild.channelId, content })
}

describe('a new session', () => {
  test('receives guilds and messages', async () => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await say(scene, 'hello')
    await until(() => client.contents().length === 1)
    expect(client.events.map(({ type }) => type)).toEqual([
      'READY',
      'GUILD_CREATE',
      'MESSAGE_CREATE',
    ])
    const [connection] = await scene.discord.users.connections()
    expect(connection).toMatchObject({ userAgent, query: '?v=10&encoding=json' })
  })

  test('sets the presence', async () => {
    const scene = await start()
    const presence = { status: 'online', since: null, afk: false, activities: [] }
    await online(await connect(scene, { presence }))
    expect(await scene.discord.users.presence()).toEqual(presence)
  })

  test('of each shard waits for its turn', async () => {
    const scene = await start({ shards: 3, maxConcurrency: 1, identifyWindowMs: 5000 })
    const users = scene.discord.users
    const guilds = [0, 1, 2].map((id) => users.createGuild({ shard: { id, count: 3 } }))
    await Promise.all(guilds)
    const seen: number[] = []
    const client = await connect(scene, {
      timing: { identifyMs: 5250 },
      onEvent(event, shard) {
        if (event.type === 'GUILD_CREATE')
          seen.push(Number((BigInt(event.data.id) >> 22n) % 3n) - shard.id)
      },
    })
    await scene.clock.runUntil(online(client), 5250)
    await until(() => seen.length === 4)
    expect(new Set(seen)).toEqual(new Set([0]))
    expect((await users.counts()).identifies).toBe(3)
  })

  test('is postponed when few are left for the day', async () => {
    const scene = await start({ sessionStarts: 49 })
    const client = await connect(scene)
    await until(() => client.gateway.shards[0]?.state === 'waiting')
    expect(scene.log.text()).toContain('Discord session start postponed')
    expect((await scene.discord.users.counts()).identifies).toBe(0)
  })

  test('is not begun if Discord refuses the token', async () => {
    const scene = await start()
    scene.allow({ statuses: { 401: 1 } })
    await scene.discord.users.changeToken()
    expect(await errorOf(connect(scene))).toMatchObject({ status: 401 })
  })
})

interface Interruption {
  interrupt(scene: TestDiscord): Promise<unknown>
  /** True if Discord ends the session. */
  isNew?: boolean
}

const closes = (code: number): Interruption => ({
  interrupt: ({ discord }) => discord.users.closeConnections({ code }),
})

const interruptions: Record<string, Interruption> = {
  'close code 1000': closes(1000),
  'close code 1001': closes(1001),
  'close code 4000': closes(4000),
  'close code 4001': closes(4001),
  'close code 4002': closes(4002),
  'close code 4003': closes(4003),
  'close code 4005': closes(4005),
  'close code 4008': closes(4008),
  'an unknown close code': closes(4999),
  'close code 4007': { ...closes(4007), isNew: true },
  'close code 4009': { ...closes(4009), isNew: true },
  'a reset': { interrupt: ({ discord }) => discord.users.resetConnections() },
  'a request to reconnect': { interrupt: ({ discord }) => discord.users.sendOpcode({ op: 7 }) },
  'a resumable invalid session': {
    interrupt: ({ discord }) => discord.users.sendOpcode({ op: 9, isResumable: true }),
  },
  'an invalid session': {
    interrupt: ({ discord }) => discord.users.sendOpcode({ op: 9, isResumable: false }),
    isNew: true,
  },
}

describe('an interrupted connection', () => {
  test.each(Object.entries(interruptions))('goes on after %s', async (_, interruption) => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await say(scene, 'before')
    await until(() => client.contents().length === 1)
    const resumedBefore = client.events.length
    await interruption.interrupt(scene)
    await until(() => {
      const types = client.events.slice(resumedBefore).map(({ type }) => type)
      return types.includes(interruption.isNew ? 'READY' : 'RESUMED')
    })
    await say(scene, 'after')
    await until(() => client.contents().length === 2)
    expect(client.contents()).toEqual(['before', 'after'])
    const { identifies } = await scene.discord.users.counts()
    expect(identifies).toBe(interruption.isNew ? 2 : 1)
    expect(client.fatal).toEqual([])
  })

  test('receives what was sent during an outage, in order and once', async () => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await scene.discord.users.setGatewayFaults({ upgradeStatus: 502 })
    await scene.discord.users.resetConnections()
    for (const content of ['one', 'two', 'three']) await say(scene, content)
    // Many more attempts than after which the resume address is given up.
    await scene.clock.runUntil(
      until(async () => (await scene.discord.users.connections()).length > 10),
      PAUSE_MS,
    )
    await scene.discord.users.clearFaults()
    await scene.clock.runUntil(
      until(() => client.contents().length === 3),
      PAUSE_MS,
    )
    expect(client.contents()).toEqual(['one', 'two', 'three'])
    expect((await scene.discord.users.counts()).identifies).toBe(1)
  })

  test('resumes at the general address when the resume address refuses', async () => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await scene.discord.users.setResumeAddress({ accepts: false })
    await scene.discord.users.resetConnections()
    await say(scene, 'hello')
    await until(() => client.contents().length === 1)
    expect((await scene.discord.users.connections()).at(-1)?.server).toBe('gateway')
    expect((await scene.discord.users.counts()).identifies).toBe(1)
  })

  test('starts a new session when the old one has expired', async () => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await scene.discord.users.setGatewayFaults({ upgradeStatus: 502 })
    await scene.discord.users.resetConnections()
    await scene.discord.users.expireSessions()
    await scene.discord.users.clearFaults()
    await until(async () => {
      return (await scene.discord.users.counts()).identifies === 2 && client.isOnline()
    })
  })

  test('is replaced when heartbeats are not acknowledged', async () => {
    const heartbeatMs = 500
    const scene = await start({ heartbeatMs })
    const { users } = scene.discord
    const client = await connect(scene)
    await online(client)
    await users.setGatewayFaults({ withholdsAcks: true })
    await scene.clock.advance(heartbeatMs)
    await users.until(users.connections, ([first]) =>
      Boolean(first?.received.some(({ op }) => op === 1)),
    )
    await scene.clock.advance(heartbeatMs)
    await users.until(users.connections, ([first]) => first?.closed !== null)
    await scene.discord.users.clearFaults()
    await say(scene, 'hello')
    await until(() => client.contents().length === 1)
    const [first] = await scene.discord.users.connections()
    expect(first?.closed).toEqual({ code: 4900, by: 'client' })
    expect((await scene.discord.users.counts()).identifies).toBe(1)
  })
})

test('a heartbeat that Discord requests is sent at once', async () => {
  const scene = await start()
  const client = await connect(scene)
  await online(client)
  await scene.discord.users.sendOpcode({ op: 1 })
  await until(() => client.gateway.shards[0]?.latencyMs !== null)
  const [connection] = await scene.discord.users.connections()
  expect(connection?.received.map(({ op }) => op)).toContain(1)
})

describe('a fatal close', () => {
  test.each([
    [4004, 'DISCORD_TOKEN'],
    [4010, 'DISCORD_SHARDS'],
    [4011, 'DISCORD_SHARDS'],
    [4012, 'Update Multitude'],
    [4013, 'Update Multitude'],
  ])('with code %i stops the bot and names the remedy', async (code, remedy) => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await scene.discord.users.closeConnections({ code })
    await until(() => client.gateway.shards[0]?.state === 'stopped')
    expect(client.fatal).toMatchObject([{ code, remedy: expect.stringContaining(remedy) }])
    expect(scene.log.text()).toContain('Discord bot stopped')
    expect(await scene.discord.users.connections()).toHaveLength(1)
  })

  test('with code 4014 links to the page with the intent', async () => {
    const scene = await start({ privilegedIntents: [] })
    const client = await connect(scene)
    await until(() => client.gateway.shards[0]?.state === 'stopped')
    const page = `https://discord.com/developers/applications/${scene.discord.applicationId}/bot`
    expect(client.fatal[0]?.remedy).toBe(
      `Enable Message Content Intent under Privileged Gateway Intents at ${page}.`,
    )
    expect(await scene.discord.users.connections()).toHaveLength(1)
  })

  test('follows when the token is replaced', async () => {
    const scene = await start()
    const client = await connect(scene)
    await online(client)
    await scene.discord.users.changeToken()
    await scene.discord.users.resetConnections()
    await until(() => client.fatal.length > 0)
    expect(client.fatal[0]?.code).toBe(4004)
  })
})

describe('a restart', () => {
  test('resumes the stored session', async () => {
    const scene = await start()
    const sessions = createSessionStore()
    const first = await connect(scene, { sessions })
    await online(first)
    await say(scene, 'before')
    await until(() => first.contents().length === 1)
    await first.gateway.stop()
    const [connection] = await scene.discord.users.connections()
    expect(connection?.closed).toEqual({ code: 4900, by: 'client' })

    await say(scene, 'meanwhile')
    const second = await connect(scene, { sessions })
    await online(second)
    await until(() => second.contents().length === 1)
    expect(second.events.map(({ type }) => type)).toEqual(['MESSAGE_CREATE', 'RESUMED'])
    expect(second.contents()).toEqual(['meanwhile'])
    expect((await scene.discord.users.counts()).identifies).toBe(1)
  })

  test('waits for events that are being handled', async () => {
    const scene = await start()
    const sessions = createSessionStore()
    const gate = Promise.withResolvers<void>()
    const first = await connect(scene, {
      sessions,
      onEvent: (event) => (event.type === 'MESSAGE_CREATE' ? gate.promise : undefined),
    })
    await online(first)
    await say(scene, 'slow')
    await until(() => first.contents().length === 1)
    const stopped = first.gateway.stop()
    gate.resolve()
    await stopped
    const second = await connect(scene, { sessions })
    await online(second)
    expect(second.contents()).toEqual([])
  })

  test('replays events whose handling was interrupted', async () => {
    const scene = await start()
    const sessions = createSessionStore()
    const never = Promise.withResolvers<void>().promise
    const first = await connect(scene, {
      sessions,
      onEvent: (event) => (event.type === 'MESSAGE_CREATE' ? never : undefined),
    })
    await online(first)
    await say(scene, 'interrupted')
    await until(() => first.contents().length === 1)
    await scene.clock.runUntil(first.gateway.stop(), defaultGatewayTiming.drainMs)
    const second = await connect(scene, { sessions })
    await until(() => second.contents().length === 1)
    expect(second.contents()).toEqual(['interrupted'])
  })

  test('saves the session while it runs, for a process that is killed', async () => {
    const scene = await start()
    const sessions = createSessionStore()
    const client = await connect(scene, { sessions })
    await online(client)
    await say(scene, 'hello')
    await until(() => client.contents().length === 1)
    expect(sessions.sessions.get('0/1')?.sequence).not.toBe(3)
    await scene.clock.advance(defaultGatewayTiming.saveMs)
    expect(sessions.sessions.get('0/1')?.sequence).toBe(3)
  })

  test('with another number of shards starts new sessions', async () => {
    const scene = await start({ identifyWindowMs: 0 })
    const sessions = createSessionStore()
    const first = await connect(scene, { sessions })
    await online(first)
    await first.gateway.stop()
    await online(await connect(scene, { sessions, shards: 2 }))
    expect((await scene.discord.users.counts()).identifies).toBe(3)
  })

  test('starts a new session if the stored one cannot be read', async () => {
    const scene = await start()
    const sessions = {
      ...createSessionStore(),
      load: () => Promise.reject(new Error('no database')),
    }
    await online(await connect(scene, { sessions }))
    expect(scene.log.text()).toContain('Discord session not loaded')
  })
})

test('a failing event handler is logged with IDs and does not affect other events', async () => {
  const scene = await start()
  const client = await connect(scene, {
    onEvent(event) {
      if (event.type === 'MESSAGE_CREATE' && event.data.content === 'bad') throw new Error('broken')
    },
  })
  await online(client)
  await say(scene, 'bad')
  await say(scene, 'good')
  await until(() => client.contents().length === 2)
  expect(scene.log.text()).toContain(`"event":"MESSAGE_CREATE"`)
  expect(scene.log.text()).toContain(`"channel_id":"${scene.guild.channelId}"`)
  expect(scene.log.text()).not.toContain('bad')
})

test('payloads over the limits of Discord are not sent', async () => {
  const scene = await start()
  const client = await connect(scene)
  await online(client)
  const [shard] = client.gateway.shards
  expect(shard?.send({ op: 3, d: { text: 'x'.repeat(4096) } })).toBe(false)
  const sent = Array.from({ length: 200 }, () => shard?.send({ op: 3, d: {} }))
  expect(sent.filter(Boolean).length).toBeLessThan(120)
  await say(scene, 'hello')
  await until(() => client.contents().length === 1)
  expect(await scene.discord.users.connections()).toHaveLength(1)
})
