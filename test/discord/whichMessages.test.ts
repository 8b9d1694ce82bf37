import { describe, expect, test } from '../tools/test'
import { startBotInProcess } from './tools/inProcessBot'
import { MARKER, textOf } from './tools/testBot'

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
      title: 'of Discord itself',
      async send(channelId) {
        const { id } = await users.createUser({ username: 'Discord', isSystem: true })
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
      title: 'that forward another message',
      async send(channelId) {
        const target = await bot.send(guild.channelId, 'r:forwarded', { userId: stranger })
        const forward = { channelId: guild.channelId, messageId: target.id }
        return bot.send(channelId, 'r:hello', { forward })
      },
    },
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

  test.each(['channel', 'thread', 'parent of the thread'])('in a disabled %s', async (kind) => {
    const parentId = await bot.newChannel()
    const { id: thread } = await users.createThread({ parentId, ownerId: wren })
    const disabled = kind === 'thread' ? thread : parentId
    const channelId = kind === 'channel' ? parentId : thread
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { disabled_channels: [disabled] })
    await bot.send(channelId, 'r:hello')
    await bot.settle(guild.channelId)
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { disabled_channels: [] })
    expect((await users.messages({ channelId })).map(textOf)).toEqual(['wren: r:hello'])
  })

  test('in a thread where the bot may not write, although it may in its parent', async () => {
    const deny = ['SEND_MESSAGES_IN_THREADS' as const]
    const parentId = await bot.newChannel({ overwrites: [{ userId: bot.discord.botId, deny }] })
    const { id: thread } = await users.createThread({ parentId, ownerId: wren })
    await bot.send(thread, 'r:hello')
    await bot.settle(parentId)
    expect((await users.messages({ channelId: thread })).map(textOf)).toEqual(['wren: r:hello'])
  })

  test('longer than Discord lets a webhook send, with a notice', async () => {
    const author = await bot.newAuthor({ hasNitro: true })
    const channelId = await bot.newChannel()
    const content = `r:${'x'.repeat(2001)}`
    await users.sendMessage({ userId: author.id, channelId, content })
    const [original, notice] = await bot.untilMessages(channelId, (all) => all.length === 2)
    expect(original).toMatchObject({ content, author: { id: author.id } })
    expect(notice).toMatchObject({ author: { id: bot.discord.botId }, notified: [] })
  })

  test('voice messages that Discord refuses, with a notice', async () => {
    const channelId = await bot.newChannel()
    await users.setOptions({ voiceMessages: 'refuse' })
    const { id } = await sendVoice(channelId)
    const messages = await bot.untilMessages(channelId, (all) => all.length === 2)
    await users.setOptions({ voiceMessages: 'accept' })
    expect(messages).toMatchObject([
      { id, flags: 8192, attachments: [{ waveform: 'AAAA' }] },
      { author: { id: bot.discord.botId }, content: expect.stringContaining('voice message') },
    ])
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
    ['public', 11, 0],
    ['private', 12, 0],
    ['announcement', 10, 5],
  ] as const)('in a thread that is %s, through the webhook of its parent', async (_, type, of) => {
    const parent = await bot.newChannel({ type: of })
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
    await sendVoice(channelId)
    const { flags, attachments, content } = await bot.untilProxied(channelId)
    expect({ isVoice: (flags & 8192) !== 0, content }).toEqual({ isVoice: true, content: '' })
    expect(attachments).toMatchObject([{ durationSeconds: 2, waveform: 'AAAA' }])
  })

  test.each([
    ['5 hours are left: 5', 5, 5],
    ['2 hours and 36 minutes are left: 3', 2.6, 3],
    ['2 hours and 24 minutes are left: 2', 2.4, 2],
    ['12 minutes are left: 1', 0.2, 1],
    ['more than Discord accepts is left: 768', 900, 768],
  ])('with a poll, of which %s', async (_, hours, duration) => {
    const channelId = await bot.newChannel()
    const poll = { question: 'Tea?', answers: ['yes', 'no'], isMultiselect: true, hours }
    await bot.send(channelId, 'r:vote', { poll })
    const message = await bot.untilProxied(channelId)
    expect(message.poll).toMatchObject({
      question: { text: 'Tea?' },
      answers: [{ poll_media: { text: 'yes' } }, { poll_media: { text: 'no' } }],
      allow_multiselect: true,
    })
    const requests = await users.requests({ route: 'POST /webhooks/{webhook_id}/{webhook_token}' })
    expect(requests.at(-1)?.body).toMatchObject({ poll: { duration } })
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

  test('under a name that differs from the author before, if that is not the member', async () => {
    const channelId = await bot.newChannel()
    const webhook = await users.createWebhook({ channelId, creatorId: wren, name: 'Robin' })
    await users.sendWebhookMessage({ webhookId: webhook.id, content: MARKER })
    await bot.send(channelId, 'r:one')
    const [, first] = await bot.untilMessages(
      channelId,
      (all) => all.length === 2 && all.every(({ author }) => author.isWebhook),
    )
    expect(first?.author.name).toBe('Robin\u200a\u17b5')
    await bot.send(guild.channelId, 'r:two')
    expect((await bot.untilProxied(guild.channelId)).author.name).toBe('Robin')
  })
})

/** Sends a voice message of an account whose autoproxy is Robin, because it has no text for tags. */
async function sendVoice(channelId: string) {
  const author = await bot.newAuthor()
  await author.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${guild.id}`, {
    autoproxy_mode: 'member',
    autoproxy_member: author.robin,
  })
  const voice = { contentType: 'audio/ogg', durationSeconds: 2, waveform: 'AAAA' }
  const files = [{ filename: 'voice-message.ogg', size: 100, ...voice }]
  return users.sendMessage({ userId: author.id, channelId, isVoice: true, files })
}
