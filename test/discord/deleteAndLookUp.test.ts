import { describe, expect, test } from '../tools/test'
import { createActions, type ProxiedMessage, wholeText } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()
const { users, guild, stranger } = bot
const { proxied, ask, invoke } = createActions(bot)

const write = ({ author, channelId }: ProxiedMessage, content: string, replyTo?: string) =>
  users.sendMessage({ userId: author.id, channelId, content, ...(replyTo && { replyTo }) })

describe('a proxied message and its record are deleted', () => {
  const rows: (readonly [string, (message: ProxiedMessage) => Promise<unknown>])[] = [
    ['as the last one of the account', (one) => write(one, 'pk;delete')],
    ['by its link', (one) => write(one, `pk;del ${one.link}`)],
    ['by its ID', (one) => write(one, `pk;del ${one.messageId}`)],
    ['by a reply', (one) => write(one, 'pk;delete', one.messageId)],
    ['by a look-up with -delete', (one) => write(one, `pk;msg ${one.link} -delete`)],
    [
      'by its menu',
      ({ author, channelId, messageId: targetId }) =>
        invoke(author.id, channelId, 'Delete message', { targetId }),
    ],
    [
      'by a reaction, also of another account of the system',
      async ({ author, channelId, messageId }) => {
        const { id: userId } = await users.createUser({ username: 'second' })
        await users.addMember({ guildId: guild.id, userId })
        await bot.linkAccount(author.system, userId)
        await users.react({ channelId, messageId, userId, emoji: '❌' })
      },
    ],
  ]
  test.each(rows)('%s', async (_, remove) => {
    const message = await proxied()
    await remove(message)
    await bot.expectTexts(message.channelId)
    await bot.untilNoRecord(message.messageId)
  })

  test('although the webhook that sent it was deleted', async () => {
    const message = await proxied()
    const [webhook] = await users.webhooks({ channelId: message.channelId })
    await users.deleteWebhook({ webhookId: webhook?.id ?? '' })
    await write(message, 'pk;delete')
    await bot.expectTexts(message.channelId)
  })

  test('in a channel where the bot may not delete messages of others', async () => {
    const message = await proxied()
    const { channelId, messageId } = message
    const overwrites = [{ userId: bot.discord.botId, deny: ['MANAGE_MESSAGES' as const] }]
    await users.updateChannel({ channelId, overwrites })
    await users.react({ channelId, messageId, userId: message.author.id, emoji: '❌' })
    await bot.expectTexts(channelId)
  })
})

describe('deletion is refused to', () => {
  test.each(['another system', 'an account without a system'])('%s', async (who) => {
    const { channelId, messageId, link } = await proxied()
    const account = who === 'another system' ? (await bot.newAuthor()).id : stranger
    const answer = await ask(account, channelId, `pk;delete ${link}`)
    expect(answer.content).toContain('❌ That is not a message of your system')
    expect(await users.message({ channelId, messageId })).not.toBeNull()
  })
})

describe('an answer of the bot is deleted by ❌', () => {
  test('of the account that wrote the command, and of no other', async () => {
    const [author, channelId] = [await bot.newAuthor(), await bot.newChannel()]
    const { id: messageId } = await ask(author.id, channelId, 'pk;system')
    await users.react({ channelId, messageId, userId: stranger, emoji: '❌' })
    await bot.settle(guild.channelId)
    expect(await users.message({ channelId, messageId })).not.toBeNull()
    await users.react({ channelId, messageId, userId: author.id, emoji: '❌' })
    await bot.untilMessages(channelId, (all) => all.every(({ id }) => id !== messageId))
  })

  test('of the account that used the slash command, and of no other', async () => {
    const [author, channelId] = [await bot.newAuthor(), await bot.newChannel()]
    await invoke(author.id, channelId, 'system info', { options: { public: true } })
    const [shown] = await bot.untilMessages(channelId, (all) => all.length === 1)
    const ref = { channelId, messageId: shown?.id ?? '' }
    await users.react({ ...ref, userId: stranger, emoji: '❌' })
    await bot.settle(guild.channelId)
    expect(await users.message(ref)).not.toBeNull()
    await users.react({ ...ref, userId: author.id, emoji: '❌' })
    await bot.untilMessages(channelId, (all) => all.length === 0)
  })

  test('in direct messages', async () => {
    const { id: userId } = await bot.newAuthor()
    const { id: messageId, channelId } = await ask(userId, null, 'pk;system')
    await users.react({ channelId, messageId, userId, emoji: '❌' })
    await users.until(
      () => users.directMessages({ userId }),
      (all) => all.every(({ id }) => id !== messageId),
    )
  })
})

describe('a look-up', () => {
  const rows: (readonly [string, (message: ProxiedMessage, account: string) => Promise<string>])[] =
    [
      [
        'by link',
        async (one, id) => wholeText(await ask(id, one.channelId, `pk;message ${one.link}`)),
      ],
      [
        'by ID',
        async (one, id) => wholeText(await ask(id, one.channelId, `pk;msg ${one.messageId}`)),
      ],
      [
        'by reply',
        async (one, id) => wholeText(await ask(id, one.channelId, 'pk;msg', one.messageId)),
      ],
      [
        'by slash command',
        async ({ channelId, link }, id) => {
          const { messages } = await invoke(id, channelId, 'message', {
            options: { message: link },
          })
          expect(messages).toMatchObject([{ ephemeralFor: id }])
          return messages.map(wholeText).join()
        },
      ],
      [
        'by menu',
        async ({ channelId, messageId: targetId }, id) => {
          const { messages } = await invoke(id, channelId, 'Message info', { targetId })
          expect(messages).toMatchObject([{ ephemeralFor: id }])
          return messages.map(wholeText).join()
        },
      ],
      [
        'by reaction, in a direct message',
        async ({ channelId, messageId }, userId) => {
          await users.react({ channelId, messageId, userId, emoji: '❓' })
          const messages = await users.until(
            () => users.directMessages({ userId }),
            (all) => all.length > 0,
          )
          await bot.untilMessages(channelId, ([first]) => first?.reactions['❓'] === undefined)
          return messages.map(wholeText).join()
        },
      ],
    ]
  test.each(rows)('%s shows the member to others without private fields', async (_, lookUp) => {
    const message = await proxied('r:the text')
    const { author } = message
    await author.ask(`PATCH /v2/members/${author.robin}`, {
      pronouns: 'they/them',
      description: 'hidden words',
      privacy: { description_privacy: 'private' },
    })
    const { id: other } = await bot.newAuthor()
    const shown = await lookUp(message, other)
    for (const part of ['Robin', 'they/them', 'the text', author.id, message.messageId])
      expect(shown).toContain(part)
    expect(shown).not.toContain('hidden words')
    expect(await lookUp(message, author.id)).toContain('hidden words')
  })

  test('shows the account by -author', async () => {
    const { author, channelId, link } = await proxied()
    expect(wholeText(await ask(stranger, channelId, `pk;msg ${link} -author`))).toContain(author.id)
  })

  test.each([
    ['may write', [], true],
    ['may only read', ['SEND_MESSAGES' as const], true],
    ['may not view', ['VIEW_CHANNEL' as const], false],
  ])('from elsewhere by an account that %s there: text %p', async (_, deny, isShown) => {
    const [{ channelId, link }, elsewhere] = [await proxied('r:the text'), await bot.newChannel()]
    const { id } = await bot.newAuthor()
    await users.updateChannel({ channelId, overwrites: [{ userId: id, deny }] })
    const shown = wholeText(await ask(id, elsewhere, `pk;msg ${link}`))
    expect(shown).toContain('Robin')
    expect(shown.includes('the text')).toBe(isShown)
  })

  test.each([
    ['in a private thread', true],
    ['not in a private thread', false],
  ])('from elsewhere by an account that is %s: text %p', async (_, isMember) => {
    const parentId = await bot.newChannel()
    const { id } = await bot.newAuthor()
    const { id: thread } = await users.createThread({ parentId, ownerId: id, type: 12 })
    const memberIds = [bot.discord.botId, guild.ownerId, bot.wren]
    await users.updateThread({
      threadId: thread,
      memberIds: isMember ? [...memberIds, id] : memberIds,
    })
    await bot.send(thread, 'r:the text')
    const { id: messageId } = await bot.untilProxied(thread)
    await bot.expectTexts(thread, 'Robin: the text')
    const shown = wholeText(await ask(id, parentId, `pk;msg ${messageId}`))
    expect(shown).toContain('Robin')
    expect(shown.includes('the text')).toBe(isMember)
  })

  test('names what is wrong', async () => {
    const channelId = await bot.newChannel()
    const { id } = await bot.newAuthor()
    expect((await ask(id, channelId, 'pk;msg')).content).toContain('❌ Name a message')
    expect((await ask(id, channelId, 'pk;msg nonsense')).content).toContain('❌ That is not a link')
    const unknown = '123456789012345678'
    expect((await ask(id, channelId, `pk;msg ${unknown}`)).content).toContain('❌ I did not proxy')
  })
})

describe('a ping', () => {
  test('by menu mentions the sender only, and not again by a reaction within a minute', async () => {
    const { author, channelId, messageId } = await proxied()
    const { id: pinger } = await bot.newAuthor()
    const { messages } = await invoke(pinger, channelId, 'Ping author', { targetId: messageId })
    expect(messages).toMatchObject([{ ephemeralFor: pinger }])
    const [, ping] = await bot.untilMessages(channelId, (all) => all.length === 2)
    expect(ping).toMatchObject({ notified: [author.id] })
    await users.react({ channelId, messageId, userId: pinger, emoji: '🔔' })
    const again = await invoke(pinger, channelId, 'Ping author', { targetId: messageId })
    expect(again.messages).toMatchObject([{ content: expect.stringContaining('Please wait') }])
    await bot.settle(guild.channelId)
    expect(await users.messages({ channelId })).toHaveLength(2)
  })

  test('by menu is refused if the system does not want it, and explained in private', async () => {
    const { author, channelId, messageId: targetId } = await proxied()
    await author.ask('PATCH /v2/systems/@me/settings', { pings_enabled: false })
    const { messages } = await invoke(stranger, channelId, 'Ping author', { targetId })
    expect(messages).toMatchObject([
      { content: expect.stringContaining('does not want'), ephemeralFor: stranger },
    ])
    expect(await users.messages({ channelId })).toHaveLength(1)
  })

  test('by menu is refused to an account that may not write there', async () => {
    const { channelId, messageId: targetId } = await proxied()
    const overwrites = [{ userId: stranger, deny: ['SEND_MESSAGES' as const] }]
    await users.updateChannel({ channelId, overwrites })
    const { messages } = await invoke(stranger, channelId, 'Ping author', { targetId })
    expect(messages).toMatchObject([{ content: expect.stringContaining('❌ You may not') }])
    expect(await users.messages({ channelId })).toHaveLength(1)
  })

  test('is possible for another account in the same minute', async () => {
    const { channelId, messageId } = await proxied()
    for (const userId of [stranger, bot.wren])
      await users.react({ channelId, messageId, userId, emoji: '🔔' })
    await bot.untilMessages(channelId, (all) => all.length === 3)
  })
})
