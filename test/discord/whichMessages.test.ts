import { describe, expect, test } from '../test'
import { startBotInProcess } from './inProcessBot'
import { MARKER, textOf } from './testBot'

const bot = await startBotInProcess()
const { users, guild, wren, stranger } = bot

interface Row {
  readonly title: string
  send(channelId: string): Promise<unknown>
}

describe('messages that stay as they are', () => {
  const rows: Row[] = [
    {
      title: 'of another bot',
      async send(channelId) {
        const { id } = await users.createUser({ username: 'other bot', isBot: true })
        await users.addMember({ guildId: guild.id, userId: id })
        return bot.send(channelId, 'r:hello', { userId: id })
      },
    },
    {
      title: 'of a webhook',
      async send(channelId) {
        const webhook = await users.createWebhook({ channelId, creatorId: wren })
        return users.sendWebhookMessage({ webhookId: webhook.id, content: `r:hello ${MARKER}` })
      },
    },
    {
      title: 'copied from a followed channel',
      async send(channelId) {
        const webhook = await users.createWebhook({ channelId, creatorId: wren })
        const content = `r:hello ${MARKER}`
        return users.sendWebhookMessage({ webhookId: webhook.id, content, flags: 2 })
      },
    },
    {
      title: 'of an account without a system',
      send: (id) => bot.send(id, 'r:hello', { userId: stranger }),
    },
    { title: 'without tags', send: (id) => bot.send(id, 'hello') },
    { title: 'with a command prefix', send: (id) => bot.send(id, 'pk;r:hello') },
    { title: 'that are nothing but a prefix', send: (id) => bot.send(id, '', { content: 'PK!' }) },
    {
      title: 'that begin with a mention of the bot',
      send: (id) => bot.send(id, `<@${bot.discord.botId}> r:hello`),
    },
    { title: 'of another type', send: (id) => bot.send(id, 'r:hello', { type: 7 }) },
    { title: 'with a sticker', send: (id) => bot.send(id, 'r:hello', { stickers: ['bird'] }) },
    {
      title: 'that invite to an activity',
      send: (id) => bot.send(id, 'r:hello', { hasActivity: true }),
    },
  ]
  test.each(rows.map((row) => [row.title, row] as const))('%s', async (_, { send }) => {
    const channelId = await bot.newChannel()
    await send(channelId)
    const before = (await users.messages({ channelId })).map(textOf)
    await bot.settle(channelId)
    const after = (await users.messages({ channelId })).map(textOf)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.filter((text) => text.includes('hello'))).toEqual(
      before.filter((text) => text.includes('hello')),
    )
  })

  test('direct messages', async () => {
    await users.sendMessage({ userId: wren, content: `r:hello ${MARKER}` })
    await bot.settle(guild.channelId)
    expect((await users.directMessages({ userId: wren })).map(textOf)).toEqual(['wren: r:hello'])
  })

  test('the first message of a forum post, but not the following ones', async () => {
    const forum = await bot.newChannel({ type: 15 })
    const post = await users.createPost({
      userId: wren,
      channelId: forum,
      content: `r:hello ${MARKER}`,
    })
    await bot.send(post.channelId, 'r:again')
    await bot.expectTexts(post.channelId, 'wren: r:hello', 'Robin: again')
  })
})

describe('messages that are proxied', () => {
  test.each([
    ['text', 0],
    ['voice', 2],
    ['announcement', 5],
    ['stage', 13],
  ])('in a %s channel', async (_, type) => {
    const channelId = await bot.newChannel({ type })
    await bot.send(channelId, 'r:hello')
    expect(textOf(await bot.untilProxied(channelId))).toBe('Robin: hello')
  })

  test.each([
    ['public', 11],
    ['private', 12],
  ] as const)('in a %s thread, through the webhook of its parent', async (_, type) => {
    const parent = await bot.newChannel()
    const { id: thread } = await users.createThread({ parentId: parent, ownerId: wren, type })
    if (type === 12)
      await users.updateThread({ threadId: thread, memberIds: [wren, bot.discord.botId] })
    await bot.send(thread, 'r:hello')
    const { id } = await bot.untilProxied(thread)
    expect(await users.webhooks({ channelId: parent })).toHaveLength(1)
    await bot.expectTexts(thread, 'Robin: hello')
    const { json } = await bot.ask(`GET /v2/messages/${id}`)
    expect(json).toMatchObject({ channel: thread, sender: wren })
  })

  test('with all their attachments', async () => {
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:look', {
      files: [
        { filename: 'one.txt', text: 'first', description: 'a text' },
        { filename: 'two.txt', text: 'second', isSpoiler: true },
      ],
    })
    const { attachments } = await bot.untilProxied(channelId)
    expect(attachments).toMatchObject([
      { filename: 'one.txt', text: 'first', description: 'a text', isSpoiler: false },
      { text: 'second', isSpoiler: true },
    ])
  })

  test('as a voice message', async () => {
    const channelId = await bot.newChannel()
    await bot.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild.id}`, {
      autoproxy_mode: 'member',
      autoproxy_member: await robin(),
    })
    await bot.send(channelId, '', {
      isVoice: true,
      files: [
        {
          filename: 'voice-message.ogg',
          size: 100,
          contentType: 'audio/ogg',
          durationSeconds: 2,
          waveform: 'AAAA',
        },
      ],
    })
    const { flags, attachments } = await bot.untilProxied(channelId)
    await bot.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild.id}`, { autoproxy_mode: 'off' })
    expect(flags & 8192).toBe(8192)
    expect(attachments).toMatchObject([{ durationSeconds: 2, waveform: 'AAAA' }])
  })

  test('with a poll', async () => {
    const channelId = await bot.newChannel()
    const poll = { question: 'Tea?', answers: ['yes', 'no'], isMultiselect: true, hours: 5 }
    await bot.send(channelId, 'r:vote', { poll })
    const message = await bot.untilProxied(channelId)
    expect(message.poll).toMatchObject({ question: { text: 'Tea?' }, allow_multiselect: true })
  })

  test.each([
    ['silence', { isSilent: true }, 4096],
    ['suppressed previews', { suppressesEmbeds: true }, 4],
  ])('with their %s', async (_, input, flag) => {
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:hello', input)
    expect((await bot.untilProxied(channelId)).flags & flag).toBe(flag)
  })

  test('silently where the guild wants it', async () => {
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { silent: true })
    const channelId = await bot.newChannel()
    await bot.send(channelId, 'r:hello')
    expect((await bot.untilProxied(channelId)).flags & 4096).toBe(4096)
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { silent: false })
  })

  test('as replies, with an embed of the target', async () => {
    const channelId = await bot.newChannel()
    const target = await bot.send(channelId, 'the question', { userId: stranger })
    await bot.send(channelId, 'r:the answer', { replyTo: target.id })
    const { embeds, notified } = await bot.untilProxied(channelId)
    expect(embeds).toMatchObject([
      { description: expect.stringContaining('the question'), author: { name: 'stranger\u2004↩️' } },
    ])
    expect(notified).toEqual([])
  })
})

async function robin(): Promise<string> {
  const { text } = await bot.ask('GET /v2/systems/@me/members')
  const [first]: { id: string }[] = JSON.parse(text)
  return first?.id ?? ''
}
