import fc from 'fast-check'
import {
  escapeMarkdown,
  escapeMaskedLinks,
  formatCodeBlock,
  formatCodeSpan,
} from '../../../src/discord/messages/escape'
import { formatMessageLink, parseMessageReference } from '../../../src/discord/messages/messageLink'
import { suppressLinkPreviews } from '../../../src/discord/messages/suppressLinkPreviews'
import { inviteUrl } from '../../../src/model/core/discord'
import { describe, expect, test } from '../../tools/test'

describe('links without a preview', () => {
  test.each([
    ['no link', 'no link'],
    ['see https://a.example/b', 'see <https://a.example/b>'],
    ['HTTP://A.EXAMPLE', '<HTTP://A.EXAMPLE>'],
    ['two http://a.example https://b.example', 'two <http://a.example> <https://b.example>'],
    ['<https://a.example>', '<https://a.example>'],
    ['a sentence https://a.example.', 'a sentence <https://a.example>.'],
    ['(https://a.example/x)', '(<https://a.example/x>)'],
    ['https://a.example/x_(y)', '<https://a.example/x_(y)>'],
    ['[text](https://a.example)', '[text](<https://a.example>)'],
    ['||https://a.example||', '||<https://a.example>||'],
    ['**https://a.example**', '**<https://a.example>**'],
    ['`https://a.example`', '`https://a.example`'],
    ['``a ` https://a.example``', '``a ` https://a.example``'],
    ['```\nhttps://a.example\n```', '```\nhttps://a.example\n```'],
    ['` https://a.example', '` <https://a.example>'],
    ['<https://a.example', '<<https://a.example>'],
  ])('%p becomes %p', (before, after) => expect(suppressLinkPreviews(before)).toBe(after))

  test('are wrapped once', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('https://a.example', '<', '>', '`', '||', ' ', '(', ')', '.')),
        (parts) => {
          const once = suppressLinkPreviews(parts.join(' '))
          expect(suppressLinkPreviews(once)).toBe(once)
        },
      ),
    ))
})

describe('escaping', () => {
  test.each([
    ['**bold** _it_ ~~gone~~', '\\*\\*bold\\*\\* \\_it\\_ \\~\\~gone\\~\\~'],
    ['[a](https://b.example)', '\\[a\\]\\(https://b.example\\)'],
    ['<@1> @everyone', '\\<\\@1\\> \\@everyone'],
    ['||x|| `y` \\', '\\|\\|x\\|\\| \\`y\\` \\\\'],
    ['# head\n- item\n1. one', '\\# head\n\\- item\n1\\. one'],
  ])('text %p becomes %p', (before, after) => expect(escapeMarkdown(before)).toBe(after))

  test('masked links are shown as typed, other formatting is kept', () =>
    expect(escapeMaskedLinks('**a** [b](https://c.example)')).toBe(
      '**a** [b\\](https://c.example)',
    ))

  test.each([
    ['name', '``name``'],
    ['', '``\u200b``'],
    ['a`b', '``a`b``'],
    ['`a`', '``\u200b`a`\u200b``'],
    ['a``b', '``a`\u200b`b``'],
    ['two\nlines', '``two lines``'],
  ])('the code span of %p is %p', (text, span) => expect(formatCodeSpan(text)).toBe(span))

  test('text does not end its code span or code block', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' ', '\n', '\\') }), (text) => {
        expect(formatCodeSpan(text).slice(2, -2)).not.toContain('``')
        expect(formatCodeBlock(text).slice(3, -3)).not.toContain('``')
      }),
    ))
})

describe('references to messages', () => {
  const [guildId, channelId, messageId] = [
    '100000000000000001',
    '200000000000000002',
    '300000000000000003',
  ]
  test.each([
    [`https://discord.com/channels/${guildId}/${channelId}/${messageId}`, guildId, channelId],
    [`<https://discord.com/channels/${guildId}/${channelId}/${messageId}>`, guildId, channelId],
    [
      ` https://ptb.discord.com/channels/${guildId}/${channelId}/${messageId}/ `,
      guildId,
      channelId,
    ],
    [`https://canary.discordapp.com/channels/@me/${channelId}/${messageId}?x=1`, null, channelId],
    [`${channelId}-${messageId}`, null, channelId],
    [messageId, null, null],
  ])('%p is parsed', (text, guild, channel) =>
    expect(parseMessageReference(text)).toEqual({ guildId: guild, channelId: channel, messageId }),
  )

  test.each([
    '',
    '123',
    'text',
    `https://discord.com/channels/${guildId}/${channelId}`,
    `https://discord.com.example/channels/${guildId}/${channelId}/${messageId}`,
    `https://evil.example/?https://discord.com/channels/${guildId}/${channelId}/${messageId}`,
  ])('%p is refused', (text) => expect(parseMessageReference(text)).toBeNull())

  test('links are formatted', () => {
    expect(formatMessageLink('1', '2', '3')).toBe('https://discord.com/channels/1/2/3')
    expect(formatMessageLink(null, '2', '3')).toBe('https://discord.com/channels/@me/2/3')
  })
})

test('the invite URL is the documented one', () =>
  expect(inviteUrl('123')).toBe(
    'https://discord.com/oauth2/authorize?client_id=123&scope=bot+applications.commands&permissions=633594112764992',
  ))
