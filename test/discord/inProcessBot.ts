import { join } from 'node:path'
import { createSubstitute } from '../../src/cli/substitutionWorker'
import { DISCORD } from '../../src/model/platform'
import { discordBot, operator } from '../../src/model/privacy'
import { createBot } from '../../src/service/access/bots'
import { linkAccount } from '../../src/service/accounts'
import { afterAll, beforeAll, expect } from '../test'
import { createTestApp } from '../testApp'
import type { MessageInput } from './standIn/controlMessages'
import type { Allowance, SeenMessage } from './standIn/controlRead'
import type { StandInOptions } from './standIn/options'
import { findSecrets } from './standIn/secretSearch'
import { type DiscordStandIn, startDiscord } from './standIn/startDiscord'
import { everybodysPermissions, MARKER, textOf } from './testBot'

const main = join(import.meta.dir, '..', '..', 'src', 'main.ts')

/** Starts the real application with the bot in this process, once for all tests of a file. */
export async function startBotInProcess(options: Partial<StandInOptions> = {}) {
  const discord = await startDiscord({
    identifyWindowMs: 50,
    rateLimits: 'off',
    heartbeatMs: 10_000,
    ...options,
  })
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
  const { app, ask, askAsBot, logged } = createBotApp(discord, wren)
  let allowance: Allowance = {}

  beforeAll(async () => {
    await app.started
    await app.startDiscord(createSubstitute([process.execPath, '--no-env-file', main]))
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
    users.until(() => users.messages({ channelId }), isDone, { timeoutMs: 20_000 })
  return {
    app,
    discord,
    users,
    guild,
    wren,
    stranger,
    ask,
    askAsBot,
    logged,
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
      const mark = `r:settled ${crypto.randomUUID()}`
      await users.sendMessage({ userId: wren, channelId, content: mark })
      await untilMessages(channelId, (all) => all.some(({ content }) => mark.endsWith(content)))
    },
    /** Waits until a message has no record any more. */
    async untilNoRecord(messageId: string): Promise<void> {
      for (let tries = 0; tries < 200; tries++) {
        if ((await ask(`GET /v2/messages/${messageId}`)).status === 404) return
        await Bun.sleep(20)
      }
      throw new Error('the record is still there')
    },
    allow(changes: Allowance) {
      allowance = changes
    },
  }
}

export type InProcessBot = Awaited<ReturnType<typeof startBotInProcess>>

function isProxied({ author }: SeenMessage): boolean {
  return author.isWebhook
}

function createBotApp(discord: DiscordStandIn, wren: string) {
  const { app, ask, makeSystem, deps, logged } = createTestApp({
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    DISCORD_CDN: discord.cdn,
    LOG_LEVEL: 'debug',
    RATE_LIMIT: 'off',
  })
  let system: Awaited<ReturnType<typeof makeSystem>> | undefined
  let key = ''
  beforeAll(async () => {
    await app.started
    system = await makeSystem('Aviary')
    key = await createBot(deps, operator, 'test', DISCORD)
    await linkAccount(deps, { ...discordBot, system: system.id }, wren)
    const robin = { name: 'Robin', proxy_tags: [{ prefix: 'r:', suffix: null }] }
    await ask('POST /v2/members', { as: system, body: robin })
  })
  return {
    app,
    logged,
    ask: (line: string, body?: unknown) => ask(line, { as: system ?? null, body }),
    askAsBot: (line: string, body?: unknown) =>
      ask(line, { headers: { authorization: `Bot ${key}` }, body }),
  }
}
