import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import type { SeenMessage } from './standIn/controlRead'
import { createActions } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()
const { users, guild, stranger, discord } = bot
const { proxied, invoke, linkOf } = createActions(bot)

const setGuild = (changes: object) => bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, changes)

/** Makes a new channel the log channel, and returns its ID. */
async function newLog(input: Parameters<typeof bot.newChannel>[0] = {}): Promise<string> {
  const log = await bot.newChannel(input)
  await setGuild({ log_channel: log, log_disabled_channels: [] })
  return log
}

async function untilEntry(log: string, link: string): Promise<SeenMessage> {
  const entries = await bot.untilMessages(log, (all) => all.some(({ content }) => content === link))
  const found = entries.findLast(({ content }) => content === link)
  if (!found) throw new Error('no entry')
  return found
}

describe('the log channel gets an entry', () => {
  test('of a proxied message, which pings no one', async () => {
    const log = await newLog()
    const { author, channelId, messageId, link } = await proxied(`r:hello <@${stranger}>`)
    const { json } = await author.ask(`GET /v2/messages/${messageId}`)
    const entry = await untilEntry(log, link)
    expect(entry).toMatchObject({
      notified: [],
      mentions: [],
      embeds: [{ author: { name: '#channel: Robin' }, description: `hello <@${stranger}>` }],
    })
    const footer = JSON.stringify(entry.embeds[0]?.footer)
    for (const id of [author.system.hid, author.robin, author.id, messageId, json.original])
      expect(footer).toContain(String(id))
    expect(channelId).not.toBe(log)
  })

  test('with the picture of the member', async () => {
    const log = await newLog()
    const author = await bot.newAuthor()
    const url = 'https://pictures.example/robin.png'
    await author.ask(`PATCH /v2/members/${author.robin}`, { avatar_url: url })
    const channelId = await bot.newChannel()
    await users.sendMessage({ userId: author.id, channelId, content: 'r:hello' })
    const { id } = await bot.untilProxied(channelId)
    const entry = await untilEntry(log, linkOf(channelId, id))
    expect(entry.embeds).toMatchObject([{ thumbnail: { url } }])
  })

  test('of an edit, with the old text', async () => {
    const message = await proxied('r:old text')
    const log = await newLog()
    const { author, channelId, link } = message
    await users.sendMessage({ userId: author.id, channelId, content: 'pk;edit new text' })
    const entry = await untilEntry(log, link)
    expect(entry.embeds).toMatchObject([
      { description: 'new text', fields: [{ value: 'old text' }] },
    ])
  })

  test('of an edit, with the first 1,000 characters of a long old text', async () => {
    const { author, channelId, link } = await proxied(`r:${'x'.repeat(1500)}`)
    const log = await newLog()
    await users.sendMessage({ userId: author.id, channelId, content: 'pk;edit new text' })
    const entry = await untilEntry(log, link)
    expect(entry.embeds).toMatchObject([{ fields: [{ value: 'x'.repeat(1000) }] }])
  })

  test('of a text that was said by command', async () => {
    const log = await newLog()
    await setGuild({ say_enabled: true })
    const [author, channelId] = [await bot.newAuthor(), await bot.newChannel()]
    const options = { member: 'Robin', text: 'hello' }
    await invoke(author.id, channelId, 'say', { options })
    const { id } = await bot.untilProxied(channelId)
    await untilEntry(log, linkOf(channelId, id))
  })
})

describe('the log channel gets no entry', () => {
  /** Entries of earlier tests are counted after they were sent, but each test waits for its failure. */
  const countFailed = () => bot.metric('log_entries_total', { result: 'failed' })
  const readLog = (channelId: string) => users.messages({ channelId })

  /** Sends a message that is proxied, and expects an empty channel when its entry has failed. */
  async function expectFailed(log: string) {
    const before = await countFailed()
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:hello')
    await bot.expectTexts(channelId, 'Robin: hello')
    await until(async () => (await countFailed()) > before || (await readLog(log)).length > 0)
    expect(await readLog(log)).toEqual([])
  }

  test.each(['channel', 'category', 'parent of the thread'])('of a disabled %s', async (kind) => {
    const log = await newLog()
    const category = await bot.newChannel({ type: 4 })
    const channelId = await bot.newChannel({ parentId: category })
    const thread = await users.createThread({ parentId: channelId, ownerId: bot.wren })
    await setGuild({ log_disabled_channels: [kind === 'category' ? category : channelId] })
    const disabled = kind === 'parent of the thread' ? thread.id : channelId
    await bot.send(disabled, 'r:hello')
    // The original is deleted after the entry was added.
    await bot.expectTexts(disabled, 'Robin: hello')
    const logged = await bot.newChannel()
    await bot.send(logged, 'r:logged')
    // Entries are sent to a log channel in the order in which they were added.
    const entries = await bot.untilMessages(log, (all) =>
      all.some(({ content }) => content.includes(`/${logged}/`)),
    )
    expect(entries).toHaveLength(1)
  })

  test.each(['VIEW_CHANNEL', 'SEND_MESSAGES', 'EMBED_LINKS'] as const)(
    'without %s, and proxying goes on',
    async (denied) => {
      const log = await newLog({ overwrites: [{ userId: discord.botId, deny: [denied] }] })
      await expectFailed(log)
      const { json } = await bot.askAsBot(`GET /bot/guilds/${guild.id}`)
      expect(json.log_channel).toBe(log)
    },
  )

  test('if it belongs to another guild', async () => {
    const other = await users.createGuild({ channels: ['general'] })
    await setGuild({ log_channel: other.channelId, log_disabled_channels: [] })
    await expectFailed(other.channelId)
  })

  test('if it was deleted, and is removed from the settings', async () => {
    const log = await newLog()
    await users.deleteChannel({ channelId: log })
    const before = await countFailed()
    await proxied()
    await until(async () => (await countFailed()) > before)
    const { json } = await bot.askAsBot(`GET /bot/guilds/${guild.id}`)
    expect(json.log_channel).toBeNull()
  })

  test('beyond 100 that wait', async () => {
    const log = await newLog()
    const route = 'POST /channels/{channel_id}/messages'
    await users.failRequests({ route, kind: 'delay', isHeld: true, times: 0 })
    const channelIds = await Promise.all(Array.from({ length: 11 }, () => bot.newChannel()))
    const count = 10
    await Promise.all(
      channelIds.map(async (channelId) => {
        for (let at = 0; at < count; at++) await bot.send(channelId, `r:${at}`)
        await bot.untilMessages(
          channelId,
          (all) => all.filter(({ author }) => author.isWebhook).length === count,
        )
      }),
    )
    await until(async () => (await bot.metric('log_entries_total', { result: 'dropped' })) === 10)
    await users.clearFaults()
    const entries = await bot.untilMessages(log, (all) => all.length >= 100)
    expect(entries).toHaveLength(100)
    await bot.settle(guild.channelId)
    await bot.untilMessages(log, (all) => all.length > 100)
  })
})
