import { refuseReasons } from '../../../src/model/proxy/decide'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createBotFixtures, type Json, type Step } from './botFixture'
import {
  autoproxy,
  guild,
  ignored,
  inGuild,
  member,
  type ProxyScenario,
  type ProxyScenarios,
  proxied,
  refused,
  runProxyScenarios,
  settings,
  system,
  systemInGuild,
} from './proxyScenarios'

const testApp = createTestApp()
const createBotFixture = createBotFixtures(testApp)

const MARK = '\u200A\u17B5'
const MENTION = '<@123456789012345678> '

const wrenSends = (message: Json) => proxied('wren', 'tags', message)

const contents: ProxyScenarios = {
  'a proxy decision contains everything that a bot needs to send': {
    message: 'w:hello',
    decision: {
      action: 'proxy',
      system: '<system>',
      member: {
        id: '<wren>',
        uuid: '<wren.uuid>',
        name: 'Wren',
        proxy_tags: [{ prefix: 'w:', suffix: null }],
        privacy: expect.objectContaining({ visibility: 'public' }),
      },
      matched: { by: 'tags', tag: { prefix: 'w:', suffix: null }, mode: null },
      message: {
        content: 'hello',
        name: 'Wren',
        plain_name: 'Wren',
        avatar_url: null,
        tts: false,
      },
    },
  },
  'the longest matching tag wins': {
    given: [member('heron', { proxy_tags: [{ prefix: 'w: ' }, { prefix: 'w:', suffix: '-h' }] })],
    message: 'w: hello -h',
    decision: {
      ...proxied('heron', 'tags', { content: ' hello ' }),
      matched: { by: 'tags', tag: { prefix: 'w:', suffix: '-h' }, mode: null },
    },
  },
  'the older of two members with the same tag is proxied': {
    given: [member('heron', { proxy_tags: [{ prefix: 'w:' }] })],
    message: 'w:hello',
    decision: wrenSends({ content: 'hello' }),
  },
  'tags are case-sensitive by default': { message: 'W:hello', decision: ignored('no_match') },
  'tags are case-insensitive when the system has set so': {
    given: [settings({ case_sensitive_proxy_tags: false })],
    message: 'W:Hello',
    decision: wrenSends({ content: 'Hello' }),
  },
  'changed tags replace the old ones at once': {
    given: [member('wren', { proxy_tags: [{ suffix: '-w' }] }), autoproxy('member', 'heron')],
    message: 'w:hello',
    decision: proxied('heron', 'member'),
  },
  'a leading mention stays before the content': {
    message: `${MENTION}w:hello`,
    decision: wrenSends({ content: `${MENTION} hello` }),
  },
  'tags match without content when the message has attachments': {
    message: { content: '[]', has_attachments: true },
    decision: proxied('finch', 'tags', { content: '' }),
  },
  'keep_proxy keeps the tags around the content': {
    given: [member('finch', { keep_proxy: true })],
    message: `${MENTION}[hello]`,
    decision: proxied('finch', 'tags', { content: `[${MENTION} hello]` }),
  },
  'keep_proxy of the guild keeps tags when the member does not': {
    given: [inGuild('wren', { keep_proxy: true })],
    message: 'w:hello',
    decision: wrenSends({ content: 'w:hello' }),
  },
  'keep_proxy of the guild drops tags when the member keeps them': {
    given: [member('wren', { keep_proxy: true }), inGuild('wren', { keep_proxy: false })],
    message: 'w:hello',
    decision: wrenSends({ content: 'hello' }),
  },
  'keep_proxy of the member applies when the guild has null': {
    given: [member('wren', { keep_proxy: true }), inGuild('wren', { keep_proxy: null })],
    message: 'w:hello',
    decision: wrenSends({ content: 'w:hello' }),
  },
  'autoproxy with keep_proxy adds the first tag': {
    given: [
      member('wren', { keep_proxy: true, proxy_tags: [{ prefix: 'w:' }, { suffix: '-w' }] }),
      autoproxy('member', 'wren'),
    ],
    message: 'hello',
    decision: proxied('wren', 'member', { content: 'w:hello' }),
  },
  'tts of a member is part of the message': {
    given: [member('wren', { tts: true })],
    message: 'w:hello',
    decision: wrenSends({ tts: true }),
  },
}

/** Steps and the name that they lead to. */
const displayed = member('wren', { display_name: 'Jenny' })
const displayedInGuild = inGuild('wren', { display_name: 'Jenny here' })
const names: [Step[], string][] = [
  [[], 'Wren'],
  [[displayed], 'Jenny'],
  [[displayed, displayedInGuild], 'Jenny here'],
  [[member('wren', { privacy: { name_privacy: 'private' } }), displayed], 'Jenny'],
  [[system({ tag: '| Hill' })], 'Wren | Hill'],
  [[system({ tag: '| Hill' }), systemInGuild({ tag: '| here' })], 'Wren | here'],
  [[system({ tag: '| Hill' }), systemInGuild({ tag_enabled: false })], 'Wren'],
  [[systemInGuild({ display_name: 'The Hill' })], 'Wren'],
  [[settings({ name_format: '{name} ({tag})' })], 'Wren ()'],
  [[settings({ name_format: '{tag} {name}' }), system({ tag: '{name}' })], 'Wren Wren'],
  [[settings({ name_format: 'a {name}' }), systemInGuild({ name_format: 'b {name}' })], 'b Wren'],
  [[settings({ name_format: 'a {name}' }), systemInGuild({ name_format: null })], 'a Wren'],
  [[member('wren', { name: '$& $1' })], '$& $1'],
  [[['PATCH /bot/members/<wren>/guilds/1', { display_name: 'Elsewhere' }]], 'Wren'],
  [[['PATCH /bot/systems/<system>/guilds/1', { tag: '| there' }]], 'Wren'],
]

const pictureUrl = (who: string) => `https://pictures.example/${who}.png`
const avatars: [Step, string | null][] = [
  [settings({ pings_enabled: false }), null],
  [system({ avatar_url: pictureUrl('system') }), pictureUrl('system')],
  [systemInGuild({ avatar_url: pictureUrl('system-here') }), pictureUrl('system-here')],
  [member('wren', { avatar_url: pictureUrl('wren') }), pictureUrl('wren')],
  [member('wren', { privacy: { avatar_privacy: 'private' } }), pictureUrl('wren')],
  [member('wren', { webhook_avatar_url: pictureUrl('webhook') }), pictureUrl('webhook')],
  [inGuild('wren', { avatar_url: pictureUrl('wren-here') }), pictureUrl('wren-here')],
]

const previous: Record<string, [previous: Json | null, name: string]> = {
  'the first message of a channel has an unmarked name': [null, 'Wren'],
  'a message after one with another name has an unmarked name': [
    { name: 'Rook', member: null },
    'Wren',
  ],
  'a message after one of a stranger with the same name has a marked name': [
    { name: 'Wren', member: null },
    `Wren${MARK}`,
  ],
  'a previous message without a member counts as one of a stranger': [
    { name: 'Wren' },
    `Wren${MARK}`,
  ],
  'a message after one of another member with the same name has a marked name': [
    { name: 'Wren', member: '<finch.uuid>' },
    `Wren${MARK}`,
  ],
  'consecutive messages of a member keep its unmarked name': [
    { name: 'Wren', member: '<wren.uuid>' },
    'Wren',
  ],
  'consecutive messages of a member keep its marked name': [
    { name: `Wren${MARK}`, member: '<wren.uuid>' },
    `Wren${MARK}`,
  ],
  'a message after one of a stranger with the marked name has an unmarked name': [
    { name: `Wren${MARK}`, member: null },
    'Wren',
  ],
}

const adjustedNames: [name: string, adjusted: string][] = [
  ['W', 'W\u17B5'],
  ['Clyde', 'C\u200Alyde'],
  ['My discord', 'My d\u200Aiscord'],
  ['Everyone', 'E\u200Averyone'],
  ['a```b', 'a`\u200A``b'],
]

const appearance: ProxyScenarios = Object.fromEntries([
  ...names.map(([given, name], at): [string, ProxyScenario] => [
    `a proxied message has the name ${name} (${at + 1})`,
    { given, message: 'w:hello', decision: wrenSends({ name, plain_name: name }) },
  ]),
  ...avatars.map(([, avatar_url], at): [string, ProxyScenario] => [
    `a proxied message has the avatar ${avatar_url ?? 'null'} (${at + 1})`,
    {
      given: avatars.slice(0, at + 1).map(([step]) => step),
      message: 'w:hello',
      decision: wrenSends({ avatar_url }),
    },
  ]),
  ...Object.entries(previous).map(([title, [before, name]]): [string, ProxyScenario] => [
    title,
    {
      message: { content: 'w:hello', previous: before },
      decision: wrenSends({ name, plain_name: 'Wren' }),
    },
  ]),
  ...adjustedNames.map(([name, adjusted]): [string, ProxyScenario] => [
    `the name ${name} is changed so that Discord accepts it`,
    {
      given: [member('wren', { name })],
      message: 'w:hello',
      decision: wrenSends({ name: adjusted, plain_name: name }),
    },
  ]),
])

const tagged = (tag: string | null, over: Json = {}) => [system({ tag }), settings(over)]
const quiet = settings({ proxy_error_message_enabled: false })
const requireTag = guild({ require_system_tag: true })
const refusals: ProxyScenarios = {
  'proxies a message of 2000 characters': {
    message: `w:${'a'.repeat(2000)}`,
    decision: proxied('wren', 'tags', { content: 'a'.repeat(2000) }),
  },
  'refuses a message of 2001 characters': {
    message: `w:${'a'.repeat(2001)}`,
    decision: refused('too_long'),
  },
  'kept tags count for the length of a message': {
    given: [member('wren', { keep_proxy: true })],
    message: `w:${'a'.repeat(1999)}`,
    decision: refused('too_long'),
  },
  'a refusal does not notify when the system has disabled error messages': {
    given: [quiet],
    message: `w:${'a'.repeat(2001)}`,
    decision: refused('too_long', false),
  },
  'proxies with a name of 80 characters': {
    given: [member('wren', { display_name: 'a'.repeat(78) }), system({ tag: 'b' })],
    message: 'w:hello',
    decision: proxied('wren', 'tags', { name: `${'a'.repeat(78)} b` }),
  },
  'refuses a name of 81 characters': {
    given: [member('wren', { display_name: 'a'.repeat(78) }), system({ tag: 'bc' })],
    message: 'w:hello',
    decision: refused('name_too_long'),
  },
  'a guild that requires a tag accepts the tag of the system': {
    given: [requireTag, system({ tag: '| Hill' })],
    message: 'w:hello',
    decision: proxied('wren', 'tags', { name: 'Wren | Hill' }),
  },
  'a guild that requires a tag accepts the tag of the system in this guild': {
    given: [requireTag, systemInGuild({ tag: '| here' })],
    message: 'w:hello',
    decision: proxied('wren', 'tags', { name: 'Wren | here' }),
  },
  'a required tag must be set': {
    given: [requireTag],
    message: 'w:hello',
    decision: refused('tag_required'),
  },
  'a required tag must be enabled in the guild': {
    given: [
      requireTag,
      system({ tag: '|' }),
      systemInGuild({ tag: '|', tag_enabled: false }),
      quiet,
    ],
    message: 'w:hello',
    decision: refused('tag_required', false),
  },
  'a required tag must be in the name format': {
    given: [requireTag, ...tagged('|', { name_format: '{name}' })],
    message: 'w:hello',
    decision: refused('tag_required'),
  },
  'a required tag must be in the name format of the guild': {
    given: [requireTag, system({ tag: '|' }), systemInGuild({ name_format: 'the {name}' })],
    message: 'w:hello',
    decision: refused('tag_required'),
  },
  'the reason too_long is checked before tag_required': {
    given: [requireTag],
    message: `w:${'a'.repeat(2001)}`,
    decision: refused('too_long'),
  },
  'the reason tag_required is checked before name_too_long': {
    given: [requireTag, member('wren', { display_name: 'a'.repeat(81) })],
    message: 'w:hello',
    decision: refused('tag_required'),
  },
  'a message that would not be proxied is ignored instead of refused': {
    given: [requireTag],
    message: 'hello',
    decision: ignored('no_match'),
  },
  'autoproxied messages are refused without a required tag': {
    given: [requireTag, autoproxy('member', 'heron')],
    message: 'hello',
    decision: refused('tag_required'),
  },
  'the name limit applies to the display name in the guild': {
    given: [inGuild('wren', { display_name: 'a'.repeat(81) })],
    message: 'w:hello',
    decision: refused('name_too_long'),
  },
}

describe('content of a proxied message', () =>
  runProxyScenarios(testApp, createBotFixture, contents))
describe('name and avatar of a proxied message', () =>
  runProxyScenarios(testApp, createBotFixture, appearance))
describe('refused messages', () => runProxyScenarios(testApp, createBotFixture, refusals))

test('every reason to refuse a message has a scenario', () => {
  const covered = new Set(Object.values(refusals).map(({ decision }) => decision.reason))
  expect(refuseReasons.filter((reason) => !covered.has(reason))).toEqual([])
})
