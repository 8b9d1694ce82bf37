import { describe, expect, test } from '../test'
import { createActions } from './actingOnMessages'
import { startBotInProcess } from './inProcessBot'

// Pauses of minutes and seconds are shortened, so that the end of each is seen.
const bot = await startBotInProcess(
  {},
  {
    bot: {
      deletionMs: 20,
      noticeMs: 100,
      noticeRepeatMs: 300,
      pingRepeatMs: 300,
      recordDeletionMs: 50,
    },
  },
)
const { users, guild, stranger } = bot
const { proxied } = createActions(bot)

/** Repeats an action until a condition on the journal of a channel holds. */
async function untilCreated(channelId: string, count: number, act: () => Promise<unknown>) {
  for (let tries = 0; tries < 100; tries++) {
    await act()
    const journal = await users.journal({ channelId })
    const own = journal.filter(({ kind, by }) => kind === 'create' && by === bot.discord.botId)
    if (own.length >= count) return own
    await Bun.sleep(50)
  }
  throw new Error('the bot wrote too few messages')
}

describe('a notice', () => {
  test('is deleted after a while, and sent again after a longer while', async () => {
    const channelId = await bot.newChannel({
      overwrites: [{ userId: bot.discord.botId, deny: ['MANAGE_WEBHOOKS'] }],
    })
    const author = await bot.newAuthor()
    const send = () => users.sendMessage({ userId: author.id, channelId, content: 'r:hello' })
    const [first] = await untilCreated(channelId, 1, send)
    await bot.untilMessages(channelId, (all) => all.every(({ id }) => id !== first?.messageId))
    expect(await untilCreated(channelId, 2, send)).not.toEqual([])
  })
})

describe('a ping', () => {
  test('can be repeated after a while', async () => {
    const { channelId, messageId } = await proxied()
    const ref = { channelId, messageId, userId: stranger, emoji: '🔔' }
    await untilCreated(channelId, 2, async () => {
      await users.unreact(ref).catch(() => {})
      await users.react(ref).catch(() => {})
    })
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
