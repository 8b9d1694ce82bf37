import { outcomeOf } from '../tools/outcomeOf'
import { describe, expect, test } from '../tools/test'
import type { PermissionName } from './standIn/permissions'
import { createActions, wholeText } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()
const { users, guild, stranger, discord } = bot
const { invoke, linkOf, untilConfirmationDeleted } = createActions(bot)

type Input = Partial<Parameters<typeof users.createChannel>[0]>
type Options = NonNullable<Parameters<typeof users.invokeCommand>[0]['options']>

/** Allows the command in the guild, and returns an account that uses it in a channel of its own. */
async function speaker(input: Input = {}) {
  await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { say_enabled: true })
  const author = await bot.newAuthor()
  const channelId = await bot.newChannel(input)
  return {
    author,
    channelId,
    /** Says a text as Robin, and returns the answer if it is not deleted at once. */
    async say(options: Options = {}) {
      const given = { member: 'Robin', text: 'hello', ...options }
      const { id, messages } = await invoke(author.id, channelId, 'say', { options: given })
      return { id, answer: messages.map(wholeText).join() }
    },
    deny: (...deny: PermissionName[]) =>
      users.updateChannel({ channelId, overwrites: [{ userId: author.id, deny }] }),
  }
}

describe('/say', () => {
  test('sends as the member with a record, pings no account, and removes its confirmation', async () => {
    const { author, channelId, say } = await speaker()
    const { id } = await say({ text: `hello <@${stranger}> @everyone` })
    const [sent] = await bot.expectTexts(channelId, `Robin: hello <@${stranger}> @everyone`)
    expect(sent).toMatchObject({ notified: [], mentionEveryone: false })
    const { json } = await author.ask(`GET /v2/messages/${sent?.id}`)
    expect(json).toMatchObject({ original: id, sender: author.id, channel: channelId })
    await untilConfirmationDeleted(id)
  })

  test('sends a file, and replies to a message of the channel in the colour of the member', async () => {
    const { channelId, say } = await speaker()
    const target = await users.sendMessage({ userId: stranger, channelId, content: 'question' })
    await say({
      file: { filename: 'a.txt', text: 'first' },
      reply_to: linkOf(channelId, target.id),
    })
    const [, sent] = await bot.expectTexts(channelId, 'stranger: question', 'Robin: hello')
    expect(sent).toMatchObject({
      attachments: [{ filename: 'a.txt', text: 'first' }],
      embeds: [{ description: expect.stringContaining('question'), color: 0xff0000 }],
      notified: [],
    })
  })

  test('works in threads', async () => {
    const { author, channelId } = await speaker()
    const thread = await users.createThread({ parentId: channelId, ownerId: author.id })
    const options = { member: 'Robin', text: 'hello' }
    await invoke(author.id, thread.id, 'say', { options })
    await bot.expectTexts(thread.id, 'Robin: hello')
  })

  test('shows no previews of links without Embed Links, and is silent where the guild wants it', async () => {
    const { channelId, say, deny } = await speaker()
    await deny('EMBED_LINKS')
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { silent: true })
    await say({ text: 'https://example.com/a' })
    const [sent] = await bot.expectTexts(channelId, 'Robin: <https://example.com/a>')
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { silent: false })
    expect(sent?.flags).toBe(4096)
  })
})

describe('/say is refused', () => {
  test('where the guild does not allow it', async () => {
    const { channelId, say } = await speaker()
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { say_enabled: false })
    expect((await say()).answer).toContain('❌ Speaking by command is off')
    await bot.expectTexts(channelId)
  })

  test('to an account that may not write there', async () => {
    const { channelId, say, deny } = await speaker()
    await deny('SEND_MESSAGES')
    expect((await say()).answer).toContain('❌ You may not view or write')
    await bot.expectTexts(channelId)
  })

  test('to an account that may not write in threads', async () => {
    const { author, channelId, deny } = await speaker()
    const thread = await users.createThread({ parentId: channelId, ownerId: author.id })
    await deny('SEND_MESSAGES_IN_THREADS')
    const options = { member: 'Robin', text: 'hello' }
    const { messages } = await invoke(author.id, thread.id, 'say', { options })
    expect(messages.map(wholeText).join()).toContain('❌ You may not view or write')
    await bot.expectTexts(thread.id)
  })

  test('to an account with a file that may not send files', async () => {
    const { channelId, say, deny } = await speaker()
    await deny('ATTACH_FILES')
    const { answer } = await say({ file: { filename: 'a.txt', text: 'first' } })
    expect(answer).toContain('❌ You may not send files')
    await bot.expectTexts(channelId)
  })

  test('as a member of another system', async () => {
    const { channelId, say } = await speaker()
    const other = await bot.newAuthor()
    expect((await say({ member: other.robin })).answer).toContain('❌')
    await bot.expectTexts(channelId)
  })

  test('as a reply to a message of another channel, whose text the account may not see', async () => {
    const { channelId, say } = await speaker()
    const secret = await bot.newChannel()
    const target = await users.sendMessage({
      userId: stranger,
      channelId: secret,
      content: 'words',
    })
    const { answer } = await say({ reply_to: linkOf(secret, target.id) })
    expect(answer).toContain('❌ You can reply only to a message of this channel')
    await say({ reply_to: target.id })
    await bot.expectTexts(channelId)
  })

  test('where proxying is switched off', async () => {
    const { channelId, say } = await speaker()
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { disabled_channels: [channelId] })
    const { answer } = await say()
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { disabled_channels: [] })
    expect(answer).toContain('❌ Proxying is switched off')
    await bot.expectTexts(channelId)
  })

  test('where the bot may not use webhooks', async () => {
    const { channelId, say } = await speaker({
      overwrites: [{ userId: discord.botId, deny: ['MANAGE_WEBHOOKS'] }],
    })
    expect((await say()).answer).toContain('Manage Webhooks')
    await bot.expectTexts(channelId)
  })

  test('with a text that AutoMod blocks, and only the account sees that', async () => {
    const { channelId, say } = await speaker()
    const route = 'POST /webhooks/{webhook_id}/{webhook_token}'
    await users.failRequests({ route, kind: 'status', status: 400, code: 200000 })
    expect((await say()).answer).toContain('AutoMod')
    await bot.expectTexts(channelId)
  })
})

describe('slow mode', () => {
  const slow = { slowmodeSeconds: 3600 }

  test('lets an account say one text, and then wait', async () => {
    const { channelId, say } = await speaker(slow)
    await say({ text: 'one' })
    expect((await say({ text: 'two' })).answer).toContain('❌ Slow mode is on')
    await bot.expectTexts(channelId, 'Robin: one')
  })

  test('counts two commands at the same time', async () => {
    const { channelId, say } = await speaker(slow)
    await Promise.all([say(), say()])
    await bot.expectTexts(channelId, 'Robin: hello')
  })

  test.each([
    ['a message that was not proxied', 'plain', 'author: plain'],
    ['a proxied message', 'f:proxied', 'Finch: proxied'],
  ])('counts %s', async (_, content, shown) => {
    const { author, channelId, say } = await speaker(slow)
    await users.sendMessage({ userId: author.id, channelId, content })
    await bot.expectTexts(channelId, shown)
    await bot.settle(guild.channelId)
    expect((await say()).answer).toContain('❌ Slow mode is on')
    await bot.expectTexts(channelId, shown)
  })

  test('does not count a text that was refused, or another channel or account', async () => {
    const { channelId, say } = await speaker(slow)
    const elsewhere = await speaker(slow)
    await elsewhere.say()
    const route = 'POST /webhooks/{webhook_id}/{webhook_token}'
    await users.failRequests({ route, kind: 'status', status: 400, code: 200000 })
    await say()
    await say()
    await bot.expectTexts(channelId, 'Robin: hello')
  })

  test.each(['MANAGE_MESSAGES', 'MANAGE_CHANNELS', 'BYPASS_SLOWMODE'] as const)(
    'does not apply to an account with %s',
    async (permission) => {
      const { author, channelId, say } = await speaker(slow)
      const overwrites = [{ userId: author.id, allow: [permission] }]
      await users.updateChannel({ channelId, overwrites })
      await say({ text: 'one' })
      await say({ text: 'two' })
      await bot.expectTexts(channelId, 'Robin: one', 'Robin: two')
    },
  )

  test('of a thread is its own', async () => {
    const { author, channelId } = await speaker(slow)
    const thread = await users.createThread({ parentId: channelId, ownerId: author.id })
    for (const text of ['one', 'two'])
      await invoke(author.id, thread.id, 'say', { options: { member: 'Robin', text } })
    await bot.expectTexts(thread.id, 'Robin: one', 'Robin: two')
  })
})

test('an account during a timeout cannot use /say at all', async () => {
  const { author, channelId, say } = await speaker()
  const timedOutUntil = Date.now() + 3_600_000
  await users.updateMember({ guildId: guild.id, userId: author.id, timedOutUntil })
  expect(await outcomeOf(say())).toThrow('may not use commands')
  await bot.expectTexts(channelId)
})
