import { describe, expect, test } from '../tools/test'
import { createActions, type ProxiedMessage, wholeText } from './tools/actingOnMessages'
import { startBotInProcess } from './tools/inProcessBot'

const bot = await startBotInProcess()
const { users, stranger } = bot
const { proxied, ask, invoke, linkOf } = createActions(bot)

type Row<T> = readonly [title: string, run: (message: ProxiedMessage) => Promise<T>]

describe('a proxied message is edited', () => {
  const write = ({ author, channelId }: ProxiedMessage, content: string, replyTo?: string) =>
    users.sendMessage({ userId: author.id, channelId, content, ...(replyTo && { replyTo }) })
  const rows: Row<unknown>[] = [
    ['as the last one of the account in the channel', (one) => write(one, 'pk;edit goodbye')],
    ['by its link', (one) => write(one, `pk;e ${one.link} goodbye`)],
    ['by a reply', (one) => write(one, 'pk;edit goodbye', one.messageId)],
    ['by a regular expression', (one) => write(one, 'pk;x s|hello|goodbye|')],
    [
      'by a slash command with a link',
      ({ author, channelId, link }) =>
        invoke(author.id, channelId, 'edit', { options: { message: link, text: 'goodbye' } }),
    ],
    [
      'by a slash command without a link',
      ({ author, channelId }) =>
        invoke(author.id, channelId, 'edit', { options: { text: 'goodbye' } }),
    ],
    [
      'by the form of its menu, which shows the old text',
      async ({ author, channelId, messageId: targetId }) => {
        const opened = await invoke(author.id, channelId, 'Edit message', { targetId })
        expect(JSON.stringify(opened.modal)).toContain('"value":"hello"')
        await users.submitModal({ interactionId: opened.id, values: { value: 'goodbye' } })
      },
    ],
  ]
  test.each(rows)('%s', async (_, edit) => {
    const message = await proxied()
    await edit(message)
    await bot.expectTexts(message.channelId, 'Robin: goodbye')
    expect(await users.message(message)).toMatchObject({ isEdited: true, mentions: [] })
  })

  test('from a direct message, which gets a check mark', async () => {
    const message = await proxied()
    const userId = message.author.id
    await users.sendMessage({ userId, content: `pk;edit ${message.link} goodbye` })
    await bot.expectTexts(message.channelId, 'Robin: goodbye')
    const [command] = await users.until(
      () => users.directMessages({ userId }),
      ([first]) => first?.reactions['✅'] !== undefined,
    )
    expect(command?.reactions).toEqual({ '✅': [bot.discord.botId] })
  })

  test('in another channel, where the account may write', async () => {
    const [message, elsewhere] = [await proxied(), await bot.newChannel()]
    const content = `pk;edit ${message.link} goodbye`
    await users.sendMessage({ userId: message.author.id, channelId: elsewhere, content })
    await bot.expectTexts(message.channelId, 'Robin: goodbye')
    await bot.expectTexts(elsewhere)
  })

  test.each([
    ['-append', 'pk;edit -append more', 'hello world more'],
    ['-prepend', 'pk;edit -prepend more', 'more hello world'],
    ['-append and -nospace', 'pk;edit -append -nospace more', 'hello worldmore'],
    ['-a', 'pk;e -a more words', 'hello world more words'],
    ['-p', 'pk;e more -p', 'more hello world'],
    ['-a and -ns', 'pk;e -a -ns more', 'hello worldmore'],
    ['-x', 'pk;edit s|o|0| -x', 'hell0 world'],
    ['a flag of no command, which is text', 'pk;edit -z more', '-z more'],
    ['-regex', 'pk;edit -regex s|o|0|', 'hell0 world'],
    ['the flag g', 'pk;x s|o|0|g', 'hell0 w0rld'],
    ['the flag i', 'pk;x s|HELLO|bye|i', 'bye world'],
    ['the flag n, without which groups count', 'pk;x s|(h)(?<e>e)|$1|n', 'ello world'],
    ['the flag x, which ignores spaces', 'pk;x s|h e l l o|bye|x', 'bye world'],
    ['another separator', 'pk;x s/world/there/', 'hello there'],
  ])('with %s', async (_, content, text) => {
    const { author, channelId } = await proxied('r:hello world')
    await users.sendMessage({ userId: author.id, channelId, content })
    await bot.expectTexts(channelId, `Robin: ${text}`)
  })

  test.each([
    ['the flag m, which finds the ends of lines', 'pk;x s|e$|E|m', 'onE\ntwo'],
    ['the flag s, whose dot finds line ends', 'pk;x s|e.t|-|s', 'on-wo'],
  ])('with %s', async (_, content, text) => {
    const { author, channelId } = await proxied('r:one\ntwo')
    await users.sendMessage({ userId: author.id, channelId, content })
    await bot.expectTexts(channelId, `Robin: ${text}`)
  })

  test.each(['-clear-attachments', '-ca'])('without its files by %s', async (flag) => {
    const files = [{ filename: 'a.txt', text: 'a' }]
    const { author, channelId, messageId } = await proxied('r:hello', { files })
    await users.sendMessage({ userId: author.id, channelId, content: `pk;edit ${flag}` })
    await bot.untilMessages(channelId, ([first]) => first?.attachments.length === 0)
    await bot.expectTexts(channelId, 'Robin: hello')
    expect(await users.message({ channelId, messageId })).toMatchObject({ content: 'hello' })
  })

  test.each(['-clear-embed', '-ce'])('without the embed of its reply by %s only', async (flag) => {
    const channelId = await bot.newChannel()
    const { id: replyTo } = await users.sendMessage({ userId: stranger, channelId, content: 'hi' })
    const { author } = await proxied('r:hello', { channelId, replyTo })
    const command = { userId: author.id, channelId }
    await users.sendMessage({ ...command, content: 'pk;edit goodbye' })
    const [, kept] = await bot.expectTexts(channelId, 'stranger: hi', 'Robin: goodbye')
    expect(kept?.embeds).toHaveLength(1)
    await users.sendMessage({ ...command, content: `pk;edit ${flag}` })
    await bot.untilMessages(channelId, ([, second]) => second?.embeds.length === 0)
  })

  test('to the files that remain, if all text is removed', async () => {
    const files = [{ filename: 'a.txt', text: 'a' }]
    const { author, channelId } = await proxied('r:hello', { files })
    await users.sendMessage({ userId: author.id, channelId, content: 'pk;x s|hello||' })
    await bot.expectTexts(channelId, 'Robin: ')
  })

  test('and pings no account', async () => {
    const { author, channelId, messageId } = await proxied()
    const content = `pk;edit goodbye <@${stranger}>`
    await users.sendMessage({ userId: author.id, channelId, content })
    await bot.expectTexts(channelId, `Robin: goodbye <@${stranger}>`)
    expect(await users.message({ channelId, messageId })).toMatchObject({ mentions: [] })
  })
})

describe('an edit is refused', () => {
  const rows: (readonly [string, string, string, string])[] = [
    ['without a text', 'r:hello', 'pk;edit', 'Write the new text'],
    ['over 2,000 characters', `r:${'x'.repeat(1950)}`, `pk;edit -append ${'y'.repeat(60)}`, '2011'],
    ['if nothing would be left', 'r:hello', 'pk;x s|hello||', 'would be empty'],
    ['if the expression is invalid', 'r:hello', 'pk;x s|(|x|', 's|search|replacement|flags'],
    ['if the flag is unknown', 'r:hello', 'pk;x s|a|b|y', 's|search|replacement|flags'],
  ]
  test.each(rows)('%s', async (_, text, command, reason) => {
    const { author, channelId, messageId } = await proxied(text)
    const answer = await ask(author.id, channelId, command)
    expect(answer.content).toContain(reason)
    expect(answer.content).toStartWith('❌')
    expect((await users.message({ channelId, messageId }))?.content).toBe(text.slice(2))
  })

  test('by an account of another system, and by one without a system', async () => {
    const { channelId, messageId, link } = await proxied()
    const other = await bot.newAuthor()
    for (const account of [other.id, stranger]) {
      const answer = await ask(account, channelId, `pk;edit ${link} goodbye`)
      expect(answer.content).toContain('❌ That is not a message of your system')
    }
    expect((await users.message({ channelId, messageId }))?.content).toBe('hello')
  })

  test('of a message that was not proxied, and without one in the channel', async () => {
    const author = await bot.newAuthor()
    const channelId = await bot.newChannel()
    const { id } = await users.sendMessage({ userId: author.id, channelId, content: 'hello' })
    const link = linkOf(channelId, id)
    expect((await ask(author.id, channelId, `pk;edit ${link} x`)).content).toContain('❌ I did not')
    expect((await ask(author.id, channelId, 'pk;edit x')).content).toContain('last ten minutes')
  })

  test.each([
    ['view', 'VIEW_CHANNEL'],
    ['write in', 'SEND_MESSAGES'],
  ] as const)('from elsewhere if the account may not %s the channel', async (_, denied) => {
    const { author, channelId, messageId, link } = await proxied()
    const overwrites = [{ userId: author.id, deny: [denied] }]
    await users.updateChannel({ channelId, overwrites })
    const answer = await ask(author.id, await bot.newChannel(), `pk;edit ${link} goodbye`)
    expect(answer.content).toContain('❌ You may not view')
    expect((await users.message({ channelId, messageId }))?.content).toBe('hello')
  })

  test('of a voice message', async () => {
    const author = await bot.newAuthor()
    const channelId = await bot.newChannel()
    await author.ask(`PATCH /v2/systems/@me/autoproxy?guild_id=${bot.guild.id}`, {
      autoproxy_mode: 'member',
      autoproxy_member: author.robin,
    })
    const voice = { contentType: 'audio/ogg', durationSeconds: 2, waveform: 'AAAA' }
    const files = [{ filename: 'voice-message.ogg', size: 100, ...voice }]
    await users.sendMessage({ userId: author.id, channelId, isVoice: true, files })
    await bot.expectTexts(channelId, 'Robin: ')
    const answer = await ask(author.id, channelId, 'pk;edit goodbye')
    expect(wholeText(answer)).toContain('Voice messages cannot be edited')
    const again = await ask(author.id, channelId, 'pk;reproxy Finch')
    expect(again.content).toStartWith('❌')
    expect((await bot.untilProxied(channelId)).author.name).toBe('Robin')
  })
})
