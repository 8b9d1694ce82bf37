import { suspend } from '../tools/suspend'
import { describe, expect } from '../tools/test'
import { until } from '../tools/until'
import type { SeenMessage } from './standIn/controlRead'
import { type TestBot, textOf, useBot } from './tools/testBot'

const test = await useBot(240_000)
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
const ROUNDS = 10

const isProxied = ({ author }: SeenMessage) => author.isWebhook

/** Texts of messages without the name and the tag, sorted. */
function shown(all: readonly SeenMessage[]): string {
  return JSON.stringify(all.map((one) => textOf(one).replace(/^[^:]*: (r:)?/, '')).toSorted())
}

/** Waits until a channel shows each of the texts once, and all but some of them proxied. */
async function untilOnce(
  { users }: TestBot,
  channelId: string,
  texts: readonly string[],
  unproxied = 0,
): Promise<void> {
  const expected = JSON.stringify(texts.toSorted())
  const isDone = (all: readonly SeenMessage[]) =>
    shown(all) === expected && all.filter(isProxied).length >= texts.length - unproxied
  await until(() => users.messages({ channelId }), isDone)
}

const untilLogged = (output: () => string, text: string) =>
  until(output, (log) => log.includes(text))

/** Takes the lease for a time from its holder, which notices it only when its time is over. */
const takeLease = (bot: TestBot, ms: number) =>
  bot.runSql(`update leases set holder = 'test', until = ${Date.now() + ms} where name = 'discord'`)
const freeLease = (bot: TestBot) => bot.runSql("delete from leases where name = 'discord'")

/** Lets the other process acquire the lease: it finds no session and starts its own. */
async function startSecondSession(bot: TestBot): Promise<void> {
  const { users } = bot
  const findHolder = async () => {
    const sql = "select holder from leases where name = 'discord'"
    const [lease] = await bot.readRows<{ holder: string }>(sql)
    return lease?.holder
  }
  const first = await findHolder()
  await bot.runSql('delete from discord_sessions')
  await until(async () => {
    const holder = await findHolder()
    // The holder may renew the lease first.
    if (holder === first) await freeLease(bot)
    return holder !== undefined && holder !== first
  })
  await until(
    () => users.sessions(),
    (all) => all.filter(({ isConnected }) => isConnected).length === 2,
  )
}

describe('several processes on one database', () => {
  test(
    'are killed or stopped at random: each message is there once',
    async (bot) => {
      const { channelId, channels } = bot.guild
      const sent = { [channelId]: [] as string[], [channels.other ?? '']: [] as string[] }
      await bot.startBotAlone()
      await bot.startBotAlone()
      const signals: string[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const before = (await bot.users.requests()).length
        for (let at = 0; at < 3; at++)
          for (const [id, texts] of Object.entries(sent)) {
            const text = `message ${round}-${at}`
            texts.push(text)
            await bot.send(`r:${text}`, { channelId: id })
          }
        // Each message causes at least two requests. Half of the processes are killed at once.
        const count = before + Math.floor(Math.random() * 24) - 12
        await until(async () => (await bot.users.requests()).length >= count)
        const at = Math.floor(Math.random() * bot.servers.length)
        const [server] = bot.servers.splice(at, 1)
        const signal = Math.random() < 0.7 ? 'SIGKILL' : 'SIGTERM'
        signals.push(signal)
        server?.kill(signal)
        // Its successor starts while it may still be stopping.
        await (server?.address.startsWith('http') ? bot.startServer() : bot.startBotAlone())
        await server?.end()
      }
      for (const [id, texts] of Object.entries(sent)) await untilOnce(bot, id, texts, ROUNDS)
    },
    { options: { rateLimits: 'off' }, env: { LEASE_SECONDS: '4' } },
  )

  test(
    'are active at the same time: messages and commands are handled once',
    async (bot) => {
      const { users, guild, wren, discord } = bot
      const { channelId } = guild
      const commandChannel = guild.channels.other ?? ''
      await until(
        () => users.commands(),
        (all) => all.length > 0,
      )
      await bot.startBotAlone()
      // The first process stores its session for the last time, until further events arrive.
      await bot.untilStored()
      await startSecondSession(bot)
      const texts = Array.from({ length: 40 }, (_, at) => `message ${at}`)
      const interactions: string[] = []
      for (const [at, text] of texts.entries()) {
        await bot.send(`r:${text}`)
        if (at % 20 > 0) continue
        await users.sendMessage({ userId: wren, channelId: commandChannel, content: 'pk;help' })
        const use = { userId: wren, channelId: commandChannel, command: 'system info' }
        interactions.push((await users.invokeCommand(use)).id)
      }
      await untilOnce(bot, channelId, texts)
      const answers = await bot.untilMessages((all) => all.length === 4, commandChannel)
      expect(answers.filter(({ author }) => author.id === discord.botId)).toHaveLength(2)
      for (const id of interactions) {
        const { messages } = await until(
          () => users.interaction({ id }),
          ({ answer }) => answer !== null,
        )
        expect(messages).toHaveLength(1)
      }
      // Both received the messages while both were active.
      expect(await bot.metric('events_total', { type: 'MESSAGE_CREATE' })).toBeGreaterThan(20)
      const requests = await users.requests({ route: EXECUTE })
      expect(requests.filter(({ path }) => path.includes('wait'))).toHaveLength(texts.length)
    },
    { options: { rateLimits: 'off' } },
  )
})

describe('a process that loses the lease', () => {
  test(
    'sends nothing any more, closes resumably, and resumes when it has the lease again',
    async (bot) => {
      const { users, servers, guild } = bot
      const other = guild.channels.other ?? ''
      bot.allow({ statuses: { 429: 1 } })
      await bot.send('r:first')
      await bot.expectTexts(['Robin: first'])
      // Longer than the lease lasts.
      await users.failRequests({ route: EXECUTE, kind: 'rateLimit', retryAfterMs: 20_000 })
      await bot.send('r:waiting')
      await until(
        () => users.requests({ route: EXECUTE }),
        (all) => all.length === 2,
      )
      await takeLease(bot, 30_000)
      await until(
        () => users.sessions(),
        (all) => all.every(({ isConnected }) => !isConnected),
      )
      await bot.send('r:meanwhile', { channelId: other })
      const [connection] = await users.connections()
      expect(connection?.closed).toEqual({ code: 4900, by: 'client' })
      const count = (await users.requests()).length
      await untilLogged(() => servers[0]?.output() ?? '', 'another process may have taken over')
      expect(await bot.metric('lease')).toBe(0)
      await bot.expectTexts(['Robin: meanwhile'], other)
      // The lease was free again only after the pause of the rate limit.
      expect((await users.requests())[count]?.route).toBe('GET /users/@me')
      expect(await users.counts()).toMatchObject({ identifies: 1, resumes: 1 })
      // It was claimed before and not sent, so it stays as it was.
      await until(
        () => bot.metric('recovered_total', { result: 'dropped' }),
        (dropped) => dropped === 1,
      )
      expect(await bot.texts()).toEqual(['Robin: first', 'wren: r:waiting'])
    },
    { env: { LEASE_SECONDS: '8' } },
  )

  test(
    'while it is suspended: does not touch the session of its successor',
    async (bot) => {
      const { users, servers } = bot
      const [first] = servers
      const second = await bot.startBotAlone()
      expect(second.output()).toMatch(/Discord bot on standby.*"node":"[^":]+:\d+"/)
      await bot.send('r:first')
      await bot.expectTexts(['Robin: first'])
      await bot.untilStored()
      await suspend(first, bot.env.DATABASE_URL ?? '')
      // Discord ends the session of a connection without heartbeats before the lease is over.
      await until(
        () => users.counts(),
        ({ identifies }) => identifies === 2,
      )
      await bot.send('r:second')
      await bot.expectTexts(['Robin: first', 'Robin: second'])
      expect(second.output()).toContain('Discord bot took over')
      first?.kill('SIGCONT')
      await untilLogged(() => first?.output() ?? '', 'another process may have taken over')
      servers.splice(servers.indexOf(second), 1)
      second.kill('SIGKILL')
      await second.end()
      await bot.send('r:third')
      await bot.expectTexts(['Robin: first', 'Robin: second', 'Robin: third'])
      expect((await users.counts()).identifies).toBe(2)
    },
    { options: { heartbeatMs: 3000 }, env: { LEASE_SECONDS: '12' } },
  )
})
