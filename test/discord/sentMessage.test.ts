import { describe, expect, test } from '../tools/test'
import type { MessageInput } from './standIn/controlMessages'
import type { PermissionName } from './standIn/permissions'
import { startBotInProcess } from './tools/inProcessBot'
import { MARKER } from './tools/testBot'

const bot = await startBotInProcess()
const { users, guild, wren, stranger } = bot

/** Sends a message of an account with these permissions in the channel, and returns its copy. */
async function proxyWith(
  content: string,
  options: {
    allow?: PermissionName[]
    deny?: PermissionName[]
    input?: Partial<MessageInput>
  } = {},
) {
  const { allow = [], deny = [], input = {} } = options
  const channelId = await bot.newChannel({ overwrites: [{ userId: wren, allow, deny }] })
  await bot.send(channelId, content, input)
  return bot.untilProxied(channelId)
}

async function patchRobin(changes: object) {
  const { text } = await bot.ask('GET /v2/systems/@me/members')
  const [robin]: { id: string }[] = JSON.parse(text)
  await bot.ask(`PATCH /v2/members/${robin?.id}`, changes)
}

describe('a proxied message shows', () => {
  test.each([
    ['of another server as it is', 'https://pictures.example/robin.png?size=4', '?size=4'],
    [
      'of an attachment without its signature, which expires',
      'https://cdn.discordapp.com/attachments/1/2/robin.png?ex=1&hm=2',
      '',
    ],
  ])('the picture of the member: %s', async (_, url, query) => {
    await patchRobin({ avatar_url: url })
    const { author } = await proxyWith('r:hello')
    await patchRobin({ avatar_url: null })
    expect(author).toMatchObject({ name: 'Robin', avatarUrl: url.replace(/\?.*/, query) })
  })

  test.each([
    ['with Embed Links as they are', [], 'see https://example.com/a'],
    ['without Embed Links in brackets', ['EMBED_LINKS'], 'see <https://example.com/a>'],
  ] as [string, PermissionName[], string][])('links of an author %s', async (_, deny, content) => {
    const message = await proxyWith('r:see https://example.com/a', { deny })
    expect(message.content).toBe(`${content} ${MARKER}`)
  })

  test('no previews of an author without Embed Links if brackets would make it too long', async () => {
    const channelId = await bot.newChannel({
      overwrites: [{ userId: wren, deny: ['EMBED_LINKS'] }],
    })
    const content = `r:https://example.com/a https://example.com/${'b'.repeat(1956)}`
    await users.sendMessage({ userId: wren, channelId, content })
    const sent = await bot.untilProxied(channelId)
    expect(sent).toMatchObject({ content: content.slice(2), flags: 4 })
  })
})

describe('text to speech is used', () => {
  test.each([
    ['if the member has it and the author may use it', true, true, true],
    ['not if the author may not use it', true, false, false],
    ['not if the member does not have it', false, true, false],
  ])('%s', async (_, tts, isAllowed, isTts) => {
    await patchRobin({ tts })
    const permission: PermissionName[] = ['SEND_TTS_MESSAGES']
    const message = await proxyWith(
      'r:hello',
      isAllowed ? { allow: permission } : { deny: permission },
    )
    await patchRobin({ tts: false })
    expect(message.isTts).toBe(isTts)
  })
})

describe('a proxied message pings', () => {
  test('the accounts that the original mentions in its text', async () => {
    const message = await proxyWith(`r:<@${stranger}> hello`)
    expect(message).toMatchObject({ mentions: [stranger], notified: [stranger] })
  })

  test.each([
    ['a role that is mentionable', true, []],
    ['no role that is not mentionable', false, []],
    ['a mentionable role also for an author with Mention Everyone', true, ['MENTION_EVERYONE']],
  ] as [string, boolean, PermissionName[]][])('%s', async (_, isMentionable, allow) => {
    const { id: role } = await users.createRole({ guildId: guild.id, isMentionable })
    await users.updateMember({ guildId: guild.id, userId: stranger, roles: [role] })
    const { mentionRoles, notified } = await proxyWith(`r:<@&${role}> hello`, { allow })
    expect({ mentionRoles, notified }).toEqual(
      isMentionable
        ? { mentionRoles: [role], notified: [stranger] }
        : { mentionRoles: [], notified: [] },
    )
  })

  test.each([
    ['everyone if author and bot may', true, true, true],
    ['not everyone if the author may not', false, true, false],
    ['not everyone if the bot may not', true, false, false],
  ])('%s', async (_, author, ours, mentionEveryone) => {
    const channelId = await bot.newChannel({
      overwrites: [
        ...(author ? [{ userId: wren, allow: ['MENTION_EVERYONE' as const] }] : []),
        ...(ours ? [{ userId: bot.discord.botId, allow: ['MENTION_EVERYONE' as const] }] : []),
      ],
    })
    await bot.send(channelId, 'r:@everyone hello')
    expect(await bot.untilProxied(channelId)).toMatchObject({ mentionEveryone })
  })
})

describe('a proxied reply', () => {
  /** Sends a target, and a proxied reply to it. */
  async function reply(
    target: Partial<MessageInput> & { content: string },
    content = 'r:the answer',
  ) {
    const channelId = await bot.newChannel()
    const { id } = await users.sendMessage({ userId: stranger, channelId, ...target })
    await bot.send(channelId, content, { replyTo: id })
    const message = await bot.untilProxied(channelId)
    const link = `https://discord.com/channels/${guild.id}/${channelId}/${id}`
    return { message, embed: message.embeds[0], link }
  }

  test.each([
    ['a text', { content: 'the question' }, 'the question'],
    ['a long text', { content: 'word '.repeat(40) }, `${'word '.repeat(20)}…`],
    ['a text with a file', { content: 'look', files: [{ filename: 'a', size: 1 }] }, 'look 📎'],
    ['a spoiler that is cut', { content: `||${'x'.repeat(120)}||` }, `||${'x'.repeat(98)}…||`],
    ['blank lines', { content: 'one\n\n\ntwo' }, 'one\ntwo'],
    ['a long link', { content: `https://example.com/${'a'.repeat(100)}` }, '*(long link)*'],
  ])('quotes %s', async (_, target, quote) => {
    const { embed, link } = await reply(target)
    expect(embed).toMatchObject({
      author: { name: 'stranger\u2004↩️' },
      description: `**[Reply to:](${link})** ${quote}`,
    })
  })

  test('links a target that has only files', async () => {
    const { embed, link } = await reply({ content: '', files: [{ filename: 'a', size: 1 }] })
    expect(embed?.description).toBe(`*[(click to see attachment)](${link})*`)
  })

  test('shows the nickname of an author that it pings, and pings no account again', async () => {
    await users.updateMember({ guildId: guild.id, userId: stranger, nick: 'Finch' })
    const { message, embed } = await reply({ content: 'the question' })
    await users.updateMember({ guildId: guild.id, userId: stranger, nick: null })
    expect(embed?.author).toMatchObject({ name: 'Finch\u2004↩️' })
    expect(message.notified).toEqual([])
  })

  test('pings the author of the target if its text does', async () => {
    const { message } = await reply({ content: 'the question' }, `r:<@${stranger}> the answer`)
    expect(message.notified).toEqual([stranger])
  })

  test.each([
    ['has the colour of the member', 'ff8000', 0xff8000],
    ['has no colour if the member has none', null, undefined],
  ])('%s', async (_, color, shown) => {
    await patchRobin({ color })
    const { embed } = await reply({ content: 'the question' })
    expect(embed?.color).toBe(shown)
  })

  test('has no embed if the target was deleted', async () => {
    const channelId = await bot.newChannel()
    const target = await bot.send(channelId, 'the question', { userId: stranger })
    const { id } = await bot.send(channelId, 'the answer', { replyTo: target.id })
    await users.deleteMessage({ channelId, messageId: target.id })
    await users.editMessage({ channelId, messageId: id, content: `r:the answer ${MARKER}` })
    await bot.expectTexts(channelId, 'Robin: the answer')
    expect(await bot.untilProxied(channelId)).toMatchObject({ embeds: [] })
  })
})
