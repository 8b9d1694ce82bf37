import { defaultBotTiming } from '../../src/discord/bot/core'
import { describe, expect, test } from '../tools/test'
import type { SeenMessage } from './standIn/controlRead'
import { createActions } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()
const { clock, users, guild, stranger } = bot
const { proxied } = createActions(bot)
const { noticeMs, noticeRepeatMs, pingRepeatMs } = defaultBotTiming

/** Returns the messages that the bot's account has written in a channel, also those deleted since. */
async function written(channelId: string) {
  const journal = await users.journal({ channelId })
  return journal.filter(({ kind, by }) => kind === 'create' && by === bot.discord.botId)
}

describe('a notice', () => {
  test('is deleted after a while, and sent again after a longer while', async () => {
    const channelId = await bot.newChannel({
      overwrites: [{ userId: bot.discord.botId, deny: ['MANAGE_WEBHOOKS'] }],
    })
    const author = await bot.newAuthor()
    const send = () => users.sendMessage({ userId: author.id, channelId, content: 'r:hello' })
    const untilNotices = (count: number) =>
      users.until(
        () => written(channelId),
        (all) => all.length === count,
      )
    await send()
    const [first] = await untilNotices(1)
    await clock.untilTimer(noticeMs)
    await clock.advance(noticeMs)
    await bot.untilMessages(channelId, (all) => all.every(({ id }) => id !== first?.messageId))
    await clock.advance(noticeRepeatMs - noticeMs - 1)
    await send()
    await bot.settle(guild.channelId)
    expect(await written(channelId)).toHaveLength(1)
    await clock.advance(1)
    await send()
    await untilNotices(2)
  })
})

describe('a ping', () => {
  test('can be repeated after a while', async () => {
    const { channelId, messageId } = await proxied()
    const react = (userId: string) => users.react({ channelId, messageId, userId, emoji: '🔔' })
    const untilPings = (userId: string, count: number) => {
      const isPing = ({ author, content }: SeenMessage) =>
        author.id === bot.discord.botId && content.includes(userId)
      return bot.untilMessages(channelId, (all) => all.filter(isPing).length === count)
    }
    await react(stranger)
    await untilPings(stranger, 1)
    await clock.advance(pingRepeatMs - 1)
    await react(stranger)
    // Reactions are removed one after the other, each before its ping.
    const { id: later } = await bot.newAuthor()
    await react(later)
    await untilPings(later, 1)
    expect(await written(channelId)).toHaveLength(2)
    await clock.advance(1)
    await react(stranger)
    await untilPings(stranger, 2)
    expect(await written(channelId)).toHaveLength(3)
  })
})

describe('the record of a message', () => {
  test('is deleted a while after the message', async () => {
    const { author, channelId, messageId } = await proxied()
    expect((await author.ask(`GET /v2/messages/${messageId}`)).status).toBe(200)
    await users.deleteMessage({ channelId, messageId, userId: guild.ownerId })
    await bot.untilNoRecord(messageId)
  })

  test('is deleted after many messages were deleted at once, and others stay', async () => {
    const [one, two, kept] = [await proxied(), await proxied(), await proxied()]
    const channelId = await bot.newChannel()
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) {
      await bot.send(channelId, `r:${text}`)
      const all = await bot.untilMessages(
        channelId,
        (seen) => seen.length === ids.length + 1 && seen.every(({ author }) => author.isWebhook),
      )
      ids.push(all.at(-1)?.id ?? '')
    }
    const [first = '', second = '', third = ''] = ids
    await users.deleteMessages({ channelId, messageIds: [first, second], userId: guild.ownerId })
    for (const { channelId: id, messageId } of [one, two])
      await users.deleteMessage({ channelId: id, messageId, userId: guild.ownerId })
    for (const id of [first, second, one.messageId, two.messageId]) await bot.untilNoRecord(id)
    for (const id of [third, kept.messageId])
      expect((await bot.ask(`GET /v2/messages/${id}`)).status).toBe(200)
  })
})
