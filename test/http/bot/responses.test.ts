import { describe, expect, test } from 'bun:test'
import { refuseReasons } from '../../../src/model/proxy/decide'
import { createTestApp } from '../../testApp'
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

const here = createTestApp()
const makeStage = createBotFixtures(here)

const MARK = '\u200A\u17B5'
const MENTION = '<@123456789012345678> '

const says = (message: Json) => proxied('wren', 'tags', message)

const contents: ProxyScenarios = {
  'a proxy tells everything that a bot needs to send': {
    say: 'w:hello',
    is: {
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
  'the longest of all tags wins': {
    given: [member('heron', { proxy_tags: [{ prefix: 'w: ' }, { prefix: 'w:', suffix: '-h' }] })],
    say: 'w: hello -h',
    is: {
      ...proxied('heron', 'tags', { content: ' hello ' }),
      matched: { by: 'tags', tag: { prefix: 'w:', suffix: '-h' }, mode: null },
    },
  },
  'of two who share a tag the elder speaks': {
    given: [member('heron', { proxy_tags: [{ prefix: 'w:' }] })],
    say: 'w:hello',
    is: says({ content: 'hello' }),
  },
  'the case of tags matters': { say: 'W:hello', is: ignored('no_match') },
  'the case of tags does not matter to a system that says so': {
    given: [settings({ case_sensitive_proxy_tags: false })],
    say: 'W:Hello',
    is: says({ content: 'Hello' }),
  },
  'new tags match at once, and the old ones no longer': {
    given: [member('wren', { proxy_tags: [{ suffix: '-w' }] }), autoproxy('member', 'heron')],
    say: 'w:hello',
    is: proxied('heron', 'member'),
  },
  'a leading mention stays in front': {
    say: `${MENTION}w:hello`,
    is: says({ content: `${MENTION} hello` }),
  },
  'a picture may come with nothing between the tags': {
    say: { content: '[]', has_attachments: true },
    is: proxied('finch', 'tags', { content: '' }),
  },
  'kept tags stay around the content': {
    given: [member('finch', { keep_proxy: true })],
    say: `${MENTION}[hello]`,
    is: proxied('finch', 'tags', { content: `[${MENTION} hello]` }),
  },
  'a guild may keep tags that the member does not': {
    given: [inGuild('wren', { keep_proxy: true })],
    say: 'w:hello',
    is: says({ content: 'w:hello' }),
  },
  'a guild may drop tags that the member keeps': {
    given: [member('wren', { keep_proxy: true }), inGuild('wren', { keep_proxy: false })],
    say: 'w:hello',
    is: says({ content: 'hello' }),
  },
  'a guild may leave kept tags to the member': {
    given: [member('wren', { keep_proxy: true }), inGuild('wren', { keep_proxy: null })],
    say: 'w:hello',
    is: says({ content: 'w:hello' }),
  },
  'autoproxy puts on the first of the tags that are kept': {
    given: [
      member('wren', { keep_proxy: true, proxy_tags: [{ prefix: 'w:' }, { suffix: '-w' }] }),
      autoproxy('member', 'wren'),
    ],
    say: 'hello',
    is: proxied('wren', 'member', { content: 'w:hello' }),
  },
  'a member may be read aloud': {
    given: [member('wren', { tts: true })],
    say: 'w:hello',
    is: says({ tts: true }),
  },
}

/** Each line wins over the ones before it. */
const displayed = member('wren', { display_name: 'Jenny' })
const displayedHere = inGuild('wren', { display_name: 'Jenny here' })
const names: [Step[], string][] = [
  [[], 'Wren'],
  [[displayed], 'Jenny'],
  [[displayed, displayedHere], 'Jenny here'],
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

const picture = (who: string) => `https://pictures.example/${who}.png`
const avatars: [Step, string | null][] = [
  [settings({ pings_enabled: false }), null],
  [system({ avatar_url: picture('system') }), picture('system')],
  [systemInGuild({ avatar_url: picture('system-here') }), picture('system-here')],
  [member('wren', { avatar_url: picture('wren') }), picture('wren')],
  [member('wren', { privacy: { avatar_privacy: 'private' } }), picture('wren')],
  [member('wren', { webhook_avatar_url: picture('webhook') }), picture('webhook')],
  [inGuild('wren', { avatar_url: picture('wren-here') }), picture('wren-here')],
]

const previous: Record<string, [previous: Json | null, name: string]> = {
  'the first message of a channel is shown as it is': [null, 'Wren'],
  'another name before it changes nothing': [{ name: 'Rook', member: null }, 'Wren'],
  'a stranger of that name is told apart': [{ name: 'Wren', member: null }, `Wren${MARK}`],
  'a previous message needs not say that it was nobody’s': [{ name: 'Wren' }, `Wren${MARK}`],
  'another member of that name is told apart': [
    { name: 'Wren', member: '<finch.uuid>' },
    `Wren${MARK}`,
  ],
  'a member speaks on under its name': [{ name: 'Wren', member: '<wren.uuid>' }, 'Wren'],
  'once told apart, a member stays so while it speaks on': [
    { name: `Wren${MARK}`, member: '<wren.uuid>' },
    `Wren${MARK}`,
  ],
  'a stranger who is shown with the mark changes nothing': [
    { name: `Wren${MARK}`, member: null },
    'Wren',
  ],
}

const fixes: [name: string, ready: string][] = [
  ['W', 'W\u17B5'],
  ['Clyde', 'C\u200Alyde'],
  ['My discord', 'My d\u200Aiscord'],
  ['Everyone', 'E\u200Averyone'],
  ['a```b', 'a`\u200A``b'],
]

const looks: ProxyScenarios = Object.fromEntries([
  ...names.map(([given, name], at): [string, ProxyScenario] => [
    `${at + 1}: a message is shown as ${name}`,
    { given, say: 'w:hello', is: says({ name, plain_name: name }) },
  ]),
  ...avatars.map(([, avatar_url], at): [string, ProxyScenario] => [
    `a message is shown with ${avatar_url ?? 'no picture'} (${at + 1})`,
    {
      given: avatars.slice(0, at + 1).map(([step]) => step),
      say: 'w:hello',
      is: says({ avatar_url }),
    },
  ]),
  ...Object.entries(previous).map(([sentence, [before, name]]): [string, ProxyScenario] => [
    sentence,
    { say: { content: 'w:hello', previous: before }, is: says({ name, plain_name: 'Wren' }) },
  ]),
  ...fixes.map(([name, ready]): [string, ProxyScenario] => [
    `the name ${name} is sent in a form that chat platforms take`,
    {
      given: [member('wren', { name })],
      say: 'w:hello',
      is: says({ name: ready, plain_name: name }),
    },
  ]),
])

const tagged = (tag: string | null, over: Json = {}) => [system({ tag }), settings(over)]
const quiet = settings({ proxy_error_message_enabled: false })
const needsTag = guild({ require_system_tag: true })
const refusals: ProxyScenarios = {
  '2000 characters are spoken': {
    say: `w:${'a'.repeat(2000)}`,
    is: proxied('wren', 'tags', { content: 'a'.repeat(2000) }),
  },
  '2001 characters are too long': { say: `w:${'a'.repeat(2001)}`, is: refused('too_long') },
  'kept tags count': {
    given: [member('wren', { keep_proxy: true })],
    say: `w:${'a'.repeat(1999)}`,
    is: refused('too_long'),
  },
  'a system may ask not to be told': {
    given: [quiet],
    say: `w:${'a'.repeat(2001)}`,
    is: refused('too_long', false),
  },
  'a name of 80 is spoken': {
    given: [member('wren', { display_name: 'a'.repeat(78) }), system({ tag: 'b' })],
    say: 'w:hello',
    is: proxied('wren', 'tags', { name: `${'a'.repeat(78)} b` }),
  },
  'a name of 81 is too long': {
    given: [member('wren', { display_name: 'a'.repeat(78) }), system({ tag: 'bc' })],
    say: 'w:hello',
    is: refused('name_too_long'),
  },
  'a guild that requires a tag takes the system’s': {
    given: [needsTag, system({ tag: '| Hill' })],
    say: 'w:hello',
    is: proxied('wren', 'tags', { name: 'Wren | Hill' }),
  },
  'a guild that requires a tag takes one of its own': {
    given: [needsTag, systemInGuild({ tag: '| here' })],
    say: 'w:hello',
    is: proxied('wren', 'tags', { name: 'Wren | here' }),
  },
  'a required tag must be set': { given: [needsTag], say: 'w:hello', is: refused('tag_required') },
  'a required tag must be on in the guild': {
    given: [needsTag, system({ tag: '|' }), systemInGuild({ tag: '|', tag_enabled: false }), quiet],
    say: 'w:hello',
    is: refused('tag_required', false),
  },
  'a required tag must be in the name format': {
    given: [needsTag, ...tagged('|', { name_format: '{name}' })],
    say: 'w:hello',
    is: refused('tag_required'),
  },
  'a required tag must be in the name format of the guild': {
    given: [needsTag, system({ tag: '|' }), systemInGuild({ name_format: 'the {name}' })],
    say: 'w:hello',
    is: refused('tag_required'),
  },
  'too_long comes before tag_required': {
    given: [needsTag],
    say: `w:${'a'.repeat(2001)}`,
    is: refused('too_long'),
  },
  'tag_required comes before name_too_long': {
    given: [needsTag, member('wren', { display_name: 'a'.repeat(81) })],
    say: 'w:hello',
    is: refused('tag_required'),
  },
  'nobody is told what would not be spoken anyway': {
    given: [needsTag],
    say: 'hello',
    is: ignored('no_match'),
  },
  'autoproxy is refused as tags are': {
    given: [needsTag, autoproxy('member', 'heron')],
    say: 'hello',
    is: refused('tag_required'),
  },
  'a name in a guild is measured as it is there': {
    given: [inGuild('wren', { display_name: 'a'.repeat(81) })],
    say: 'w:hello',
    is: refused('name_too_long'),
  },
}

describe('the content', () => runProxyScenarios(here, makeStage, contents))
describe('the name and the picture', () => runProxyScenarios(here, makeStage, looks))
describe('refused', () => runProxyScenarios(here, makeStage, refusals))

test('every reason to refuse a message has its scene', () => {
  const named = new Set(Object.values(refusals).map(({ is }) => is.reason))
  expect(refuseReasons.filter((reason) => !named.has(reason))).toEqual([])
})
