import { describe, expect } from '../test'
import type { SeenMessage } from './standIn/controlRead'
import { kill, textOf, useBot } from './testBot'

const test = await useBot(240_000)
/** A message that was claimed and not sent stays as it was: one for each kill. */
const LEAST_PROXIED = 80
const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'

describe('a process that is killed', () => {
  test('after the webhook was executed, before its answer: the message is there once', async (bot) => {
    const { users } = bot
    await users.failRequests({ route: EXECUTE, kind: 'timeout', when: 'after' })
    await bot.send('r:hello')
    await bot.untilMessages((all) => all.some(({ author }) => author.isWebhook))
    await kill(bot)
    await bot.startServer()
    // Recovery waits until no process can be sending any more.
    await users.until(
      () => users.messages({ channelId: bot.guild.channelId }),
      (all) => all.length === 1 && all.every(({ author }) => author.isWebhook),
      { timeoutMs: 100_000 },
    )
  })

  test('replays events that were handled: no message is proxied twice', async (bot) => {
    const { servers } = bot
    for (const text of ['one', 'two', 'three']) await bot.send(`r:${text}`)
    await bot.untilMessages((all) => all.filter(({ author }) => author.isWebhook).length === 3)
    // The sequence is stored once in a second, so a killed process gets the events again.
    servers[0]?.kill('SIGKILL')
    await servers.shift()?.end()
    await bot.startServer()
    const messages = await bot.users.until(
      () => bot.users.messages({ channelId: bot.guild.channelId }),
      (all) => all.length === 3 && all.every(({ author }) => author.isWebhook),
      { timeoutMs: 100_000 },
    )
    expect(messages.map(textOf)).toEqual(['Robin: one', 'Robin: two', 'Robin: three'])
  })

  test(
    'twenty times under load: each message is there once',
    async (bot) => {
      const { users, guild } = bot
      const sent: string[] = []
      for (let round = 0; round < 20; round++) {
        for (let at = 0; at < 5; at++) {
          const text = `message ${round}-${at}`
          sent.push(text)
          await bot.send(`r:${text}`)
        }
        await Bun.sleep(Math.random() * 600)
        await kill(bot)
        await bot.startServer()
      }
      const shown = (all: readonly SeenMessage[]) =>
        all.map((message) => textOf(message).replace(/^[^:]*: (r:)?/, '')).toSorted()
      const messages = await users.until(
        () => users.messages({ channelId: guild.channelId }),
        (all) =>
          JSON.stringify(shown(all)) === JSON.stringify(sent.toSorted()) &&
          all.filter(({ author }) => author.isWebhook).length >= LEAST_PROXIED,
        { timeoutMs: 60_000, description: 'every message once, most of them proxied' },
      )
      expect(messages).toHaveLength(sent.length)
    },
    { options: { rateLimits: 'off' } },
  )
})
