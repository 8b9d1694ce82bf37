import type { Timing } from '../../../src/discord/activeBot'
import { DISCORD } from '../../../src/model/core/platform'
import { discordBot, operator } from '../../../src/model/core/privacy'
import { applySubstitution } from '../../../src/model/proxy/substitution'
import { linkAccount } from '../../../src/service/access/accounts'
import { createBot } from '../../../src/service/access/bots'
import { afterAll, beforeAll, expect } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { createTestClock } from '../../tools/testClock'
import type { MessageInput } from '../standIn/controlMessages'
import type { Allowance, SeenMessage } from '../standIn/controlRead'
import type { StandInOptions } from '../standIn/options'
import { findSecrets } from '../standIn/secretSearch'
import { type DiscordStandIn, startDiscord } from '../standIn/startDiscord'
import { everybodysPermissions, MARKER, readMetric, textOf } from './testBot'

const HOUR_MS = 3_600_000

/**
 * Nothing waits for the clock, which stands still, unless a test needs it: no pause is left, no limit
 * on requests, and requests that have no answer are given up only when a test advances the clock.
 */
const defaultTiming = {
  bot: { deletionMs: 0, uncertainMs: 0 },
  gateway: { identifyMs: 0, backoff: { firstMs: 0, maxMs: 0 } },
  rest: {
    timeoutMs: HOUR_MS,
    backoff: { firstMs: 0, maxMs: 0 },
    global: { perWindow: Number.POSITIVE_INFINITY, windowMs: 0 },
  },
}

/**
 * Starts the real application with the bot in this process, once for all tests of a file. Its clock
 * and that of the stand-in are one, which tests advance.
 */
export async function startBotInProcess(
  options: Partial<StandInOptions> = {},
  timing: Timing = {},
  settings: Parameters<typeof createTestApp>[0] = {},
) {
  const clock = createTestClock(Date.now())
  const discord = await startDiscord(
    { identifyWindowMs: 0, rateLimits: 'off', heartbeatMs: HOUR_MS, ...options },
    clock,
  )
  const { users } = discord
  const { id: wren } = await users.createUser({ username: 'wren' })
  const { id: stranger } = await users.createUser({ username: 'stranger' })
  const guild = await users.createGuild({ memberIds: [wren, stranger], channels: ['general'] })
  await users.updateRole({
    guildId: guild.id,
    roleId: guild.id,
    permissions: everybodysPermissions,
  })
  await users.addSecret({ secret: MARKER })
  const { app, ask, askAsBot, logged, createSystem, link, makeSystem } = createBotApp(
    discord,
    wren,
    { clock, ...settings },
  )
  let allowance: Allowance = {}
  let metricsAddress = ''

  beforeAll(async () => {
    await app.started
    await app.startDiscord(async (substitution, text) => applySubstitution(substitution, text), {
      bot: { ...defaultTiming.bot, ...timing.bot },
      gateway: { ...defaultTiming.gateway, ...timing.gateway },
      rest: { ...defaultTiming.rest, ...timing.rest },
    })
    metricsAddress = app.listenForMetrics() ?? ''
    await users.until(
      () => users.sessions(),
      (sessions) => sessions.some(({ isConnected }) => isConnected),
    )
  })
  afterAll(async () => {
    // The application was stopped by the hook of `createTestApp`.
    const problems = await users.problems(allowance)
    const secrets = await users.secrets()
    await discord.stop()
    expect(problems).toEqual([])
    expect(findSecrets({ log: logged() }, secrets)).toEqual([])
  })

  const untilMessages = (channelId: string, isDone: (messages: SeenMessage[]) => boolean) =>
    users.until(() => users.messages({ channelId }), isDone)
  return {
    app,
    clock,
    discord,
    users,
    guild,
    wren,
    stranger,
    ask,
    askAsBot,
    logged,
    makeSystem,
    /** Creates a channel, so that tests do not see each other's messages. */
    newChannel: async (
      input: Partial<Parameters<typeof users.createChannel>[0]> = {},
    ): Promise<string> => (await users.createChannel({ guildId: guild.id, ...input })).id,
    send: (channelId: string, content: string, input: Partial<MessageInput> = {}) =>
      users.sendMessage({
        userId: wren,
        channelId,
        content: content === '' ? '' : `${content} ${MARKER}`,
        ...input,
      }),
    /**
     * Creates an account in the guild with a system, whose members are Robin (r:, red) and Finch
     * (f:). Commands of one account are limited, so tests with commands use an account of their own.
     */
    async newAuthor(input: Partial<Parameters<typeof users.createUser>[0]> = {}) {
      const { id } = await users.createUser({ username: 'author', ...input })
      await users.addMember({ guildId: guild.id, userId: id })
      return { id, ...(await createSystem(id)) }
    },
    linkAccount: link,
    untilMessages,
    /** Waits until the texts of a channel are these. */
    expectTexts: (channelId: string, ...texts: readonly string[]) =>
      untilMessages(
        channelId,
        (messages) => JSON.stringify(messages.map(textOf)) === JSON.stringify(texts),
      ),
    /** Waits for the first message of the bot's webhook. */
    async untilProxied(channelId: string): Promise<SeenMessage> {
      const messages = await untilMessages(channelId, (all) => all.some(isProxied))
      const found = messages.find(isProxied)
      if (!found) throw new Error('no proxied message')
      return found
    },
    /** Waits until the bot has handled all events before a message of this moment. */
    async settle(channelId: string): Promise<void> {
      const mark = `settled ${crypto.randomUUID()}`
      await users.sendMessage({ userId: wren, channelId, content: `r:${mark}` })
      await untilMessages(channelId, (all) => all.some(({ content }) => content === mark))
    },
    /** Lets time pass until a message has no record any more. */
    async untilNoRecord(messageId: string): Promise<void> {
      while ((await ask(`GET /v2/messages/${messageId}`)).status !== 404) await clock.advance(1000)
    },
    metric: (name: string, labels: Record<string, string> = {}) =>
      readMetric(metricsAddress, name, labels),
    allow(changes: Allowance) {
      allowance = changes
    },
  }
}

export type InProcessBot = Awaited<ReturnType<typeof startBotInProcess>>

function isProxied({ author }: SeenMessage): boolean {
  return author.isWebhook
}

function createBotApp(
  discord: DiscordStandIn,
  wren: string,
  settings: Parameters<typeof createTestApp>[0],
) {
  const { app, ask, makeSystem, deps, logged } = createTestApp({
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    DISCORD_CDN: discord.cdn,
    LOG_LEVEL: 'debug',
    RATE_LIMIT: 'off',
    METRICS: 'on',
    METRICS_ADDRESS: '127.0.0.1:0',
    ...settings,
  })
  const link = (to: TestSystem, account: string) =>
    linkAccount(deps, { ...discordBot, system: to.id }, account)
  let system: Awaited<ReturnType<typeof makeSystem>> | undefined
  let key = ''
  beforeAll(async () => {
    await app.started
    system = await makeSystem('Aviary')
    key = await createBot(deps, operator, 'test', DISCORD)
    await link(system, wren)
    const robin = { name: 'Robin', proxy_tags: [{ prefix: 'r:', suffix: null }] }
    await ask('POST /v2/members', { as: system, body: robin })
  })
  return {
    app,
    logged,
    link,
    async createSystem(account: string) {
      const own = await makeSystem('Hedgerow')
      await link(own, account)
      const askOwn = (line: string, body?: unknown) => ask(line, { as: own, body })
      const create = async (name: string, prefix: string, color: string | null) => {
        const proxy_tags = [{ prefix, suffix: null }]
        const { json } = await askOwn('POST /v2/members', { name, color, proxy_tags })
        return String(json.id)
      }
      const robin = await create('Robin', 'r:', 'ff0000')
      return { system: own, ask: askOwn, robin, finch: await create('Finch', 'f:', null) }
    },
    makeSystem,
    ask: (line: string, body?: unknown) => ask(line, { as: system ?? null, body }),
    askAsBot: (line: string, body?: unknown) =>
      ask(line, { headers: { authorization: `Bot ${key}` }, body }),
  }
}
