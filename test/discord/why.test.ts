import { describe, expect, test } from '../tools/test'
import { createActions } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'
import { MARKER } from './tools/testBot'

const bot = await startBotInProcess()
const { users, guild, wren, stranger } = bot
const { ask, invoke, linkOf, proxied } = createActions(bot)

// Sent before the bot is connected, so that it does not remember them.
const early = { userId: wren, channelId: guild.channelId }
const missed = {
  sticker: await users.sendMessage({ ...early, content: 'r:hello', stickers: ['bird'] }),
  untagged: await users.sendMessage({ ...early, content: `hello ${MARKER}` }),
  command: await users.sendMessage({ ...early, content: 'pk;help' }),
  tagged: await users.sendMessage({ ...early, content: 'r:hello' }),
}

describe('why a message was not proxied is explained', () => {
  /** An own message without tags, and everything that names it. */
  async function ignored() {
    const author = await bot.newAuthor()
    const channelId = await bot.newChannel()
    const { id } = await users.sendMessage({ userId: author.id, channelId, content: 'hello' })
    await bot.settle(guild.channelId)
    return { userId: author.id, channelId, id, link: linkOf(channelId, id) }
  }
  type Ignored = Awaited<ReturnType<typeof ignored>>
  const rows: (readonly [string, (message: Ignored) => Promise<string>])[] = [
    [
      'by link',
      async (one) => (await ask(one.userId, one.channelId, `pk;debug proxy ${one.link}`)).content,
    ],
    [
      'by reply',
      async (one) => (await ask(one.userId, one.channelId, 'pk;debug proxy', one.id)).content,
    ],
    [
      'by pk;proxycheck',
      async (one) => (await ask(one.userId, one.channelId, `pk;proxycheck ${one.link}`)).content,
    ],
    [
      'in a direct message',
      async (one) => (await ask(one.userId, null, `pk;debug proxy ${one.link}`)).content,
    ],
    [
      'by slash command',
      async ({ userId, channelId, link }) => {
        const options = { message: link }
        const { messages } = await invoke(userId, channelId, 'why', { options })
        expect(messages).toMatchObject([{ ephemeralFor: userId }])
        return messages[0]?.content ?? ''
      },
    ],
    [
      'by menu',
      async ({ userId, channelId, id: targetId }) => {
        const { messages } = await invoke(userId, channelId, 'Why not proxied?', { targetId })
        expect(messages).toMatchObject([{ ephemeralFor: userId }])
        return messages[0]?.content ?? ''
      },
    ],
  ]
  test.each(rows)('%s', async (_, explain) => {
    expect(await explain(await ignored())).toContain('No proxy tags match')
  })

  test.each([
    ['sticker', 'sticker'],
    ['untagged', 'No proxy tags match'],
    ['command', 'command prefix'],
    ['tagged', 'nothing that prevents'],
  ] as const)('by a dry run if it is not remembered: %s', async (name, reason) => {
    const options = { message: linkOf(guild.channelId, missed[name].id) }
    const { messages } = await invoke(wren, guild.channelId, 'why', { options })
    expect(messages[0]?.content).toContain(reason)
  })

  test('not to other accounts, and a proxied message names its member', async () => {
    const { channelId, link } = await ignored()
    expect((await ask(stranger, channelId, `pk;debug proxy ${link}`)).content).toContain('❌')
    const copy = await proxied()
    const answer = await ask(copy.author.id, copy.channelId, `pk;debug proxy ${copy.link}`)
    expect(answer.content).toBe('It was proxied as **Robin**.')
    const { content } = await ask(stranger, copy.channelId, `pk;debug proxy ${copy.link}`)
    expect(content).toContain('❌')
  })
})
