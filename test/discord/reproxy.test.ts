import { discordBot } from '../../src/model/core/privacy'
import { unlinkAccount } from '../../src/service/access/accounts'
import { describe, expect, test } from '../tools/test'
import { createActions, type ProxiedMessage } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'
import { textOf } from './tools/testBot'

const bot = await startBotInProcess()
const { users, guild, stranger } = bot
const { proxied, ask, invoke } = createActions(bot)

const write = ({ author, channelId }: ProxiedMessage, content: string, replyTo?: string) =>
  users.sendMessage({ userId: author.id, channelId, content, ...(replyTo && { replyTo }) })

describe('a proxied message is sent again as another member', () => {
  const rows: (readonly [string, (message: ProxiedMessage) => Promise<{ id: string }>])[] = [
    ['as the last one of the account', (one) => write(one, 'pk;reproxy Finch')],
    ['by its link', (one) => write(one, `pk;rp ${one.link} Finch`)],
    ['by a reply', (one) => write(one, 'pk;reproxy Finch', one.messageId)],
    [
      'by a slash command',
      ({ author, channelId, link }) =>
        invoke(author.id, channelId, 'reproxy', { options: { member: 'Finch', message: link } }),
    ],
    [
      'by the form of its menu',
      async ({ author, channelId, messageId: targetId }) => {
        const { id } = await invoke(author.id, channelId, 'Reproxy message', { targetId })
        return users.submitModal({ interactionId: id, values: { value: 'Finch' } })
      },
    ],
  ]
  test.each(rows)('%s', async (_, reproxy) => {
    const message = await proxied(`r:hello <@${stranger}>`)
    const { id: original } = await reproxy(message)
    const [copy] = await bot.expectTexts(message.channelId, `Finch: hello <@${stranger}>`)
    expect(copy).toMatchObject({ mentions: [], notified: [] })
    const { json } = await message.author.ask(`GET /v2/messages/${copy?.id}`)
    expect(json).toMatchObject({ original, sender: message.author.id, member: { name: 'Finch' } })
    await bot.untilNoRecord(message.messageId)
  })

  test('with its files, flags and poll', async () => {
    const message = await proxied('r:hello', {
      files: [{ filename: 'a.txt', text: 'first', description: 'a text' }],
      isSilent: true,
      poll: { question: 'Tea?', answers: ['yes', 'no'] },
    })
    await write(message, 'pk;reproxy Finch')
    const [copy] = await bot.expectTexts(message.channelId, 'Finch: hello')
    expect(copy).toMatchObject({
      attachments: [{ filename: 'a.txt', text: 'first', description: 'a text' }],
      flags: 4096,
      poll: { question: { text: 'Tea?' } },
    })
  })

  test('with the embed of its reply in the colour of the other member', async () => {
    const channelId = await bot.newChannel()
    const { id: replyTo } = await users.sendMessage({ userId: stranger, channelId, content: 'hi' })
    const message = await proxied('r:hello', { channelId, replyTo })
    const red = 0xff0000
    expect((await users.message(message))?.embeds).toMatchObject([{ color: red }])
    await write(message, 'pk;reproxy Finch')
    const [, plain] = await bot.expectTexts(channelId, 'stranger: hi', 'Finch: hello')
    expect(plain?.embeds).toMatchObject([{ author: { name: 'stranger\u2004↩️' } }])
    expect(plain?.embeds[0]?.color).toBeUndefined()
    await write(message, 'pk;reproxy Robin')
    const [, coloured] = await bot.expectTexts(channelId, 'stranger: hi', 'Robin: hello')
    expect(coloured?.embeds).toMatchObject([{ color: red }])
  })

  test('if it is older than a minute, but still the latest of its channel', async () => {
    const message = await proxied('r:hello', { isOld: true })
    await write(message, 'pk;reproxy Finch')
    await bot.expectTexts(message.channelId, 'Finch: hello')
  })

  test('if it is not the latest, but younger than a minute', async () => {
    const message = await proxied()
    const { channelId } = message
    await users.sendMessage({ userId: stranger, channelId, content: 'later' })
    await write(message, 'pk;reproxy Finch')
    await bot.expectTexts(channelId, 'stranger: later', 'Finch: hello')
  })
})

describe('sending again is refused', () => {
  test('if it is older than a minute and not the latest of its channel', async () => {
    const { author, channelId, messageId } = await proxied('r:hello', { isOld: true })
    await users.sendMessage({ userId: stranger, channelId, content: 'later' })
    const answer = await ask(author.id, channelId, 'pk;reproxy Finch')
    expect(answer.content).toContain('❌ Only the latest message')
    expect(await users.message({ channelId, messageId })).not.toBeNull()
  })

  test('where proxying was switched off since', async () => {
    const { author, channelId, messageId } = await proxied()
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { disabled_channels: [channelId] })
    const answer = await ask(author.id, channelId, 'pk;reproxy Finch')
    await bot.askAsBot(`PATCH /bot/guilds/${guild.id}`, { disabled_channels: [] })
    expect(answer.content).toContain('❌ Proxying is switched off in this channel')
    expect(await users.message({ channelId, messageId })).not.toBeNull()
  })

  test('to another system, also with the ID of its own member', async () => {
    const { channelId, messageId, link } = await proxied()
    const other = await bot.newAuthor()
    const answer = await ask(other.id, channelId, `pk;reproxy ${link} ${other.finch}`)
    expect(answer.content).toContain('❌ That is not a message of your system')
    expect(await users.message({ channelId, messageId })).not.toBeNull()
  })

  test('of a message of a former system of the account', async () => {
    const { author, channelId, messageId, link } = await proxied()
    const { system } = await bot.newAuthor()
    const asFormer = { ...discordBot, system: author.system.id }
    await unlinkAccount(bot.app.deps, asFormer, author.id)
    await bot.linkAccount(system, author.id)
    const content = `pk;reproxy ${link} Finch`
    await users.sendMessage({ userId: author.id, channelId, content })
    await bot.settle(channelId)
    const messages = await users.messages({ channelId })
    expect(messages.map((message) => message.content).join('\n')).toContain(
      '❌ That is not a message of your system',
    )
    expect(textOf(messages.find(({ id }) => id === messageId) ?? fail())).toBe('Robin: hello')
  })

  test('as a member of another system', async () => {
    const { author, channelId, messageId } = await proxied()
    const other = await bot.newAuthor()
    const answer = await ask(author.id, channelId, `pk;reproxy ${other.finch}`)
    expect(answer.content).toStartWith('❌')
    expect(textOf((await users.message({ channelId, messageId })) ?? fail())).toBe('Robin: hello')
  })

  test('where the bot may not use webhooks any more', async () => {
    const { author, channelId, messageId } = await proxied()
    const overwrites = [{ userId: bot.discord.botId, deny: ['MANAGE_WEBHOOKS' as const] }]
    await users.updateChannel({ channelId, overwrites })
    const answer = await ask(author.id, channelId, 'pk;reproxy Finch')
    expect(answer.content).toContain('Manage Webhooks')
    expect(await users.message({ channelId, messageId })).not.toBeNull()
  })
})

function fail(): never {
  throw new Error('the message is gone')
}
