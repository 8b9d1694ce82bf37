import fc from 'fast-check'
import { allowedMentions, NO_MENTIONS } from '../../../src/discord/messages/allowedMentions'
import { describe, expect, test } from '../../tools/test'

const mentions = { mentions: [{ id: '1' }, { id: '2' }], mention_roles: ['8', '9'] }
const original = { ...mentions, mention_everyone: true }
const powerless = { mayMentionEveryone: false, isMentionable: () => false }

const scenarios = [
  {
    title: 'lists accounts that the content still mentions, in both spellings',
    content: 'hi <@1> <@!2>',
    expected: { parse: [], users: ['1', '2'], roles: [] },
  },
  {
    title: 'omits accounts that are no longer mentioned, such as that of a pinged reply',
    content: 'hi <@2>',
    expected: { parse: [], users: ['2'], roles: [] },
  },
  {
    title: 'omits accounts that the original did not mention',
    content: 'hi <@3>',
    expected: { parse: [], users: [], roles: [] },
  },
  {
    title: 'omits roles that are not mentionable',
    content: '<@&8>',
    expected: { parse: [], users: [], roles: [] },
  },
  {
    title: 'lists mentionable roles',
    content: '<@&8> <@&9>',
    author: { mayMentionEveryone: false, isMentionable: (id: string) => id === '9' },
    expected: { parse: [], users: [], roles: ['9'] },
  },
  {
    title: 'lists all roles if the author may mention everyone',
    content: '<@&8> <@&9> <@&7>',
    author: { mayMentionEveryone: true, isMentionable: () => false },
    expected: { parse: [], users: [], roles: ['8', '9'] },
  },
  {
    title: 'mentions everyone if the author may and the text is still there',
    content: '@here',
    author: { mayMentionEveryone: true, isMentionable: () => false },
    expected: { parse: ['everyone'], users: [], roles: [] },
  },
  {
    title: 'does not mention everyone if the text is gone',
    content: 'here',
    author: { mayMentionEveryone: true, isMentionable: () => false },
    expected: { parse: [], users: [], roles: [] },
  },
  {
    title: 'does not mention everyone without the permission',
    content: '@everyone',
    expected: { parse: [], users: [], roles: [] },
  },
]

describe('allowed mentions of a proxied message', () => {
  test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
    '%s',
    (_, { content, author = powerless, expected }) =>
      expect(allowedMentions(original, content, author)).toEqual(expected as object as never),
  )

  test('lists at most 100 accounts', () => {
    const ids = Array.from({ length: 120 }, (_, at) => String(at + 1))
    const content = ids.map((id) => `<@${id}>`).join('')
    const many = { mentions: ids.map((id) => ({ id })), mention_roles: [], mention_everyone: false }
    expect(allowedMentions(many, content, powerless).users).toHaveLength(100)
  })

  test('never exceed those of the original', () => {
    const id = fc.integer({ min: 1, max: 12 }).map(String)
    const token = fc.oneof(
      id.map((one) => `<@${one}>`),
      id.map((one) => `<@!${one}>`),
      id.map((one) => `<@&${one}>`),
      fc.constantFrom('@everyone', '@here', '`', '<@', '>', ' ', '\\'),
      fc.string({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(
        fc.record({
          mentions: fc.array(fc.record({ id })),
          mention_roles: fc.array(id),
          mention_everyone: fc.boolean(),
        }),
        fc.array(token).map((tokens) => tokens.join('')),
        fc.boolean(),
        fc.array(id),
        (had, content, mayMentionEveryone, mentionable) => {
          const isMentionable = (one: string) => mentionable.includes(one)
          const {
            parse,
            users = [],
            roles = [],
          } = allowedMentions(had, content, {
            mayMentionEveryone,
            isMentionable,
          })
          const accounts = had.mentions.map((one) => one.id)
          expect(users.filter((one) => !accounts.includes(one))).toEqual([])
          expect(roles.filter((one) => !had.mention_roles.includes(one))).toEqual([])
          expect(roles.filter((one) => !mayMentionEveryone && !isMentionable(one))).toEqual([])
          if (parse.length > 0) expect(had.mention_everyone && mayMentionEveryone).toBe(true)
          expect(new Set([...users, ...roles]).size).toBeLessThanOrEqual(
            users.length + roles.length,
          )
        },
      ),
    )
  })

  test('are none by default', () => expect(NO_MENTIONS).toEqual({ parse: [] }))
})
