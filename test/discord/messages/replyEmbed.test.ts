import { buildReplyEmbed, quoteContent } from '../../../src/discord/messages/replyEmbed'
import { describe, expect, test } from '../../tools/test'

const MARK = '\u2004\u21a9\ufe0f'
const target = {
  id: '3',
  channel_id: '2',
  content: 'hello',
  author: { id: '4194304', username: 'user', global_name: 'Global', avatar: 'hash' },
  attachments: [],
  embeds: [],
}
const options = { guildId: '1', color: 0x112233, cdn: 'https://cdn.example', member: null }
const link = 'https://discord.com/channels/1/2/3'

describe('embed of a reply', () => {
  test('quotes the target with its author, picture and the colour of the member', () =>
    expect(buildReplyEmbed(target, options)).toEqual({
      author: { name: `Global${MARK}`, icon_url: 'https://cdn.example/avatars/4194304/hash.png' },
      description: `**[Reply to:](${link})** hello`,
      color: 0x112233,
    }))

  test('prefers nickname and picture of the guild', () =>
    expect(
      buildReplyEmbed(target, { ...options, member: { nick: 'Nick', avatar: 'own' } }).author,
    ).toEqual({
      name: `Nick${MARK}`,
      icon_url: 'https://cdn.example/guilds/1/users/4194304/avatars/own.png',
    }))

  test('uses the username and the default picture if there is nothing else', () =>
    expect(
      buildReplyEmbed({ ...target, author: { id: '4194304', username: 'user' } }, options).author,
    ).toEqual({ name: `user${MARK}`, icon_url: 'https://cdn.example/embed/avatars/1.png' }))

  test('has no colour if the member has none', () =>
    expect(buildReplyEmbed(target, { ...options, color: null })).not.toHaveProperty('color'))

  test.each(['attachments', 'embeds'])('marks a target with %s', (kind) =>
    expect(buildReplyEmbed({ ...target, [kind]: [{}] }, options).description).toBe(
      `**[Reply to:](${link})** hello 📎`,
    ),
  )

  test('links to a target without text', () =>
    expect(
      buildReplyEmbed({ ...target, content: '', attachments: [{}] }, options).description,
    ).toBe(`*[(click to see attachment)](${link})*`))
})

describe('quoted content', () => {
  const filler = (length: number) => 'x'.repeat(length)
  test.each([
    ['short text', 'hello', 'hello'],
    ['blank lines', 'a\n\n \n\nb\nc', 'a\nb\nc'],
    ['one hundred characters', filler(100), filler(100)],
    ['more than one hundred characters', filler(101), `${filler(100)}…`],
    ['a mention at the cut', `${filler(98)}<@123> y`, `${filler(98)}<@123>…`],
    ['an emoji at the cut', `${filler(98)}<a:wave:123> y`, `${filler(98)}<a:wave:123>…`],
    ['a surrogate pair at the cut', `${filler(99)}😀y`, `${filler(99)}😀…`],
    ['a spoiler at the cut', `||${filler(120)}||`, `||${filler(98)}…||`],
    ['a spoiler mark at the cut', `||${filler(97)}|| y`, `||${filler(97)}||…`],
    ['a link at the cut', `${filler(90)} https://a.example y`, `${filler(90)} https://a.example…`],
    ['a long link', `see https://a.example/${filler(100)} ok`, 'see *(long link)* ok'],
    ['a masked link', '[a](https://b.example)', '[a\\](https://b.example)'],
    ['an unfinished spoiler', `||${filler(120)}`, `||${filler(98)}…`],
  ])('keeps %s intact', (_, content, quote) => expect(quoteContent(content)).toBe(quote))
})
