import fc from 'fast-check'
import { DISCORD } from '../../src/model/core/platform'
import { HOUR, SECOND } from '../../src/model/core/time'
import { MAX_TAG_AFFIXES, type ProxyTag } from '../../src/model/core/validation'
import {
  autoproxyTarget,
  type Decision,
  decide,
  defaultProxyLimits,
  type Fronter,
  type IgnoreReason,
  ignoreReasons,
  type ProxyContext,
  type ProxyMember,
  type ProxyMessage,
  type RefuseReason,
  refuseReasons,
  switchEffect,
  type TagObstacle,
} from '../../src/model/proxy/decide'
import type { MemberGuild, SystemGuild } from '../../src/model/proxy/guild'
import { keysOfContent, keysOfTag, matchTags } from '../../src/model/proxy/tags'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'

const fronter = (id: number, kind: Fronter['kind'] = 'member'): Fronter => ({ id, kind })

const NOW = 1_700_000_000 * SECOND
const CHANNEL = '100000000000000001'
const THREAD = '100000000000000002'
const MENTION = '<@123456789012345678> '
const HAIR = '\u200A'
const INVISIBLE = '\u17B5'
const MARK = HAIR + INVISIBLE

describe('matchTags with test vectors of PluralKit', () => {
  const setA = membersWith({
    John: [around('[', ']')],
    Bob: [around('{', '}'), around('<', '>')],
    Prefixed: [around('A:')],
    Tagless: [],
  })
  const setB = membersWith({
    'Level One': [around('[', ']')],
    'Level Two': [around('[[', ']]')],
    'Level Three': [around('[[[', ']]]')],
  })
  const setC = membersWith({ Only: [around('[', ']')] })
  const setD = membersWith({
    Square: [around('[', ']')],
    Curly: [around('{ ', ' }')],
    Prefixed: [around('A: ')],
  })
  const none = null

  test.each<[ProxyMember[], string | null, [string, string] | null]>([
    [setA, 'string without any tags', none],
    [setA, "[john's tags]", ['John', "john's tags"]],
    [setA, "{bob's tags}", ['Bob', "bob's tags"]],
    [setA, "<also bob's tags>", ['Bob', "also bob's tags"]],
    [setA, 'A:tag with prefix', ['Prefixed', 'tag with prefix']],
    [setA, 'a:tag with lowercase prefix', none],
    [setA, '[text inside]', ['John', 'text inside']],
    [setA, 'A:text after', ['Prefixed', 'text after']],
    [setA, '[tags at the start] but more text here', none],
    [setA, 'text at the start [but tags after]', none],
    [setA, 'something A:prefix', none],
    [setA, '[   text     ]', ['John', '   text     ']],
    [setA, 'A: text', ['Prefixed', ' text']],
    [setB, '[just one]', ['Level One', 'just one']],
    [setB, '[[getting deeper]]', ['Level Two', 'getting deeper']],
    [setB, '[[[way too deep]]]', ['Level Three', 'way too deep']],
    [setB, '[[unmatched brackets]]]', ['Level Two', 'unmatched brackets]']],
    [setB, '[more unmatched brackets]]]]]]', ['Level One', 'more unmatched brackets]]]]]']],
    [[], '', none],
    [[], 'some text', none],
    [[], '{bogus tags, idk}', none],
    [setC, '', none],
    [setC, null, none],
    [setD, '[no spaces inside tags]', ['Square', 'no spaces inside tags']],
    [setD, '[ spaces inside tags ]', ['Square', ' spaces inside tags ']],
    [setD, '{ spaces in here }', ['Curly', 'spaces in here']],
    [setD, '{no spaces}', none],
    [setD, 'A: text here', ['Prefixed', 'text here']],
    [setD, 'A:same text without spaces', none],
    [setD, ' A: text here', none],
    [setD, '{ something something }  ', none],
    [setD, 'A:', ['Prefixed', '']],
    [setD, '{}', ['Curly', '']],
  ])('matches tags like PluralKit (vector %#)', (members, content, expected) => {
    const match = matchTags(members, content, true)
    expect(match && [match.member.name, match.content]).toEqual(expected)
  })

  test('ignores case when tags are case-insensitive', () => {
    const match = matchTags(setA, 'a:tag with lowercase prefix', false)
    expect(match).toMatchObject({
      member: { name: 'Prefixed' },
      content: 'tag with lowercase prefix',
    })
  })

  test('returns the tag that matched when a member has several', () => {
    expect(matchTags(setA, "<also bob's tags>", true)?.tag).toEqual(around('<', '>'))
  })
})

describe('matchTags', () => {
  test.each<[string, ProxyTag[], string, string | null]>([
    ['does not let prefix and suffix overlap', [around('--', '--')], '---', null],
    ['matches tags with nothing between them', [around('[', ']')], '[]', ''],
    ['never matches a tag without prefix and suffix', [around(null, null)], 'hello', null],
    ['never matches a tag with empty prefix and suffix', [around('', '')], 'hello', null],
    ['matches a suffix alone', [around(null, '-w')], 'hello -w', 'hello '],
    ['matches a tag that begins with a backslash', [around('\\w ')], '\\w hello', 'hello'],
    [
      'does not match a user mention as an angle bracket',
      [around('<')],
      '<@123456789012345678>, hi',
      null,
    ],
    ['does not match a role mention as an angle bracket', [around('<')], '<@&1> hi', null],
    ['does not match a channel mention as an angle bracket', [around('<')], '<#1> hi', null],
    ['does not match an emoji as an angle bracket', [around('<')], '<:wave:1> hi', null],
    [
      'does not match an animated emoji as an angle bracket',
      [around('<')],
      '<a:wave_2:1> hi',
      null,
    ],
    ['does not match a final emoji as an angle bracket', [around(null, '>')], 'hi <:wave:1>', null],
    [
      'does not match a pair of brackets if either is part of an emoji',
      [around('<', '>')],
      '<hello <:wave:1>',
      null,
    ],
    [
      'matches brackets around a mention in the middle',
      [around('<', '>')],
      '<a <@1> b>',
      'a <@1> b',
    ],
    ['matches a longer prefix at the start of a mention', [around('<@')], '<@1> hi', '1> hi'],
    ['matches a bracket before an incomplete emoji', [around('<')], '<:wave 1> hi', ':wave 1> hi'],
    ['does not match the first half of an emoji', [around('❤')], '❤\uFE0F', null],
    ['does not match the first half of an emoji with spaces', [around('❤')], '❤ \uFE0F ', null],
    ['keeps a variation selector before text', [around('❤')], '❤\uFE0F hi', '\uFE0F hi'],
    [
      'tries the next tag after the first half of an emoji',
      [around('❤'), around('', '\uFE0F')],
      '❤\uFE0F',
      '❤',
    ],
    ['matches a tag of spaces in an empty text', [around(' ')], '', ''],
    ['matches a tag without its inner spaces', [around('{ ', ' }')], ' {} ', ''],
    ['ignores spaces around tags with nothing inside', [around('[', ']')], ' [] ', ''],
    ['does not match a tag without its outer spaces', [around(' {', '}')], '{}', null],
    [
      'keeps a leading mention, followed by two spaces',
      [around('w:')],
      `${MENTION}w:hi`,
      `${MENTION} hi`,
    ],
    [
      'accepts the old form of a leading mention',
      [around('w:')],
      '<@!12345678901234567> w:hi',
      '<@!12345678901234567>  hi',
    ],
    ['requires a space after a leading mention', [around('w:')], '<@123456789012345678>w:hi', null],
    ['requires 17 digits in a leading mention', [around('w:')], '<@1234567890123456> w:hi', null],
    [
      'allows at most 19 digits in a leading mention',
      [around('w:')],
      '<@12345678901234567890> w:hi',
      null,
    ],
    ['skips only the first mention', [around('w:')], `${MENTION}${MENTION}w:hi`, null],
    ['does not match a tag in the leading mention', [around('<@')], `${MENTION}hi`, null],
  ])('%s', (_, tags, content, expected) => {
    expect(matchTags(membersWith({ Wren: tags }), content, true)?.content ?? null).toBe(expected)
  })

  test.each<[string, ProxyTag, string, string | null]>([
    ['a prefix in another case', around('Wren:'), 'wREN:Hi', 'Hi'],
    ['a suffix in another case', around(null, '-W'), 'Hi -w', 'Hi '],
    ['a sigma at the end of a word', around('ΟΔΟΣ '), 'οδος hi', 'hi'],
    ['a sigma in the middle of a word', around('ΣΣ'), 'ςσhi', 'hi'],
    ['a letter that is longer in lower case', around('İ:'), 'İ:hi', 'hi'],
    ['tags around letters that are longer in lower case', around('w:', ':W'), 'W:İİİ:w', 'İİİ'],
    ['a suffix after letters that are longer in lower case', around(null, 'İx'), 'İİİX', 'İİ'],
    ['letters outside the basic multilingual plane', around('𐐀:'), '𐐨:hi', 'hi'],
    ['a sharp s, which is not two letters', around('ß:'), 'ss:hi', null],
    ['a tag without its spaces, which stays case-sensitive', around('A: '), 'a:', null],
  ])('matches case-insensitively: %s', (_, tag, content, expected) => {
    expect(matchTags(membersWith({ Wren: [tag] }), content, false)?.content ?? null).toBe(expected)
  })

  test('prefers the older of two members with the same tag', () => {
    const members = membersWith({ Older: [around('a'), around('w:')], Younger: [around('w:')] })
    expect(matchTags(members, 'w:hi', true)?.member.name).toBe('Older')
  })

  test('prefers the earlier of two tags of the same length', () => {
    const members = membersWith({ Wren: [around('w', '!'), around('w:')] })
    expect(matchTags(members, 'w:hi!', true)?.tag).toEqual(around('w', '!'))
  })
})

describe('decide: ignore', () => {
  const frontless = { autoproxy: { mode: 'front', member: null, last_latch: null } } as const
  const latched = { autoproxy: { mode: 'latch', member: 1, last_latch: NOW - 7 * HOUR } } as const
  const shy = [wren({ autoproxy_enabled: false })]
  const off = { autoproxy_enabled: false }

  // Each row meets its own reason and as many later ones as possible.
  const rows: [IgnoreReason, Partial<ProxyContext> | null, Partial<ProxyMessage>][] = [
    ['no_system', null, { content: '\\\\\\' }],
    [
      'system_disabled',
      { ...latched, isDisabled: true, guild: guild({ disabled_channels: [CHANNEL] }) },
      { content: '\\\\\\' },
    ],
    [
      'channel_disabled',
      {
        guild: guild({ disabled_channels: [CHANNEL] }),
        systemGuild: inSystemGuild({ proxying_enabled: false }),
      },
      { content: '' },
    ],
    ['channel_disabled', { guild: guild({ disabled_channels: [THREAD] }) }, { thread_id: THREAD }],
    ['channel_disabled', { guild: guild({ disabled_channels: [CHANNEL] }) }, { thread_id: THREAD }],
    ['channel_disabled', { guild: guild({ disabled_channels: [CHANNEL] }) }, { content: '\\\\\\' }],
    [
      'proxying_disabled',
      { systemGuild: inSystemGuild({ proxying_enabled: false }) },
      { content: '' },
    ],
    [
      'proxying_disabled',
      { systemGuild: inSystemGuild({ proxying_enabled: false }) },
      { content: '\\\\\\' },
    ],
    ['empty', {}, { content: '' }],
    ['empty', {}, { content: null }],
    ['empty', { members: [wren({ proxy_tags: [around(' ')] })] }, { content: ' \n ' }],
    ['no_match', { account: off, fronters: [] }, { content: '\\hi', is_edit: true }],
    ['no_match', {}, { content: 'hi', has_attachments: true }],
    ['no_match', {}, { content: '[]' }],
    ['no_match', {}, { content: '[]', has_poll: true }],
    ['no_match', {}, { content: '', has_poll: true }],
    [
      'no_match',
      { members: [wren({ proxy_tags: [around(' ')] })] },
      { content: null, has_attachments: true },
    ],
    ['no_match', { autoproxy: { mode: 'member', member: 99, last_latch: null } }, {}],
    ['edited', { ...frontless, account: off }, { content: '\\hi', is_edit: true }],
    ['account_autoproxy_disabled', { ...frontless, account: off }, { content: '\\hi' }],
    ['escaped', frontless, { content: '\\hi' }],
    ['escaped', { ...latched, members: shy }, { content: '\\hi' }],
    ['escaped', { ...frontless, fronters: [fronter(1)] }, { content: '\\\\hi' }],
    ['nobody_fronting', frontless, {}],
    ['nobody_fronting', { ...frontless, fronters: [fronter(99), fronter(1)] }, {}],
    ['nothing_latched', { autoproxy: { mode: 'latch', member: null, last_latch: null } }, {}],
    [
      'nothing_latched',
      { autoproxy: { mode: 'latch', member: 99, last_latch: NOW - 7 * HOUR } },
      {},
    ],
    ['nobody_fronting', { ...frontless, fronters: [fronter(1, 'custom_front')] }, {}],
    ['member_autoproxy_disabled', { ...latched, members: shy }, {}],
    ['member_autoproxy_disabled', { ...frontless, fronters: [fronter(1)], members: shy }, {}],
    ['latch_expired', latched, {}],
  ]
  test.each(rows)(
    'ignores with %s before every later reason (%#)',
    (reason, overrides, message) => {
      const context = overrides && contextOf(overrides)
      expect(decide(context, messageOf(message))).toEqual({ action: 'ignore', reason })
    },
  )

  test('tests every reason to ignore a message', () => {
    // Whether the message is recorded is not an input of the pure function.
    const tested = new Set(['already_proxied', ...rows.map(([reason]) => reason)])
    expect(tested).toEqual(new Set(ignoreReasons))
  })

  test('proxies when only another channel is disabled', () => {
    const context = contextOf({ guild: guild({ disabled_channels: [THREAD] }) })
    expect(proxied(context, { content: '[hi]' }).message.content).toBe('hi')
  })
})

describe('decide: backslashes', () => {
  const latch = { autoproxy: { mode: 'latch', member: 1, last_latch: NOW } } as const
  const front = {
    autoproxy: { mode: 'front', member: null, last_latch: null },
    fronters: [fronter(1)],
  } as const
  const backslashed = [wren({ proxy_tags: [around('\\')] })]

  test.each<[string, Partial<ProxyContext>, Partial<ProxyMessage>, Decision['action']]>([
    ['three disable autoproxy', front, { content: '\\\\\\ hi' }, 'autoproxy_off'],
    ['three disable a latch', latch, { content: '\\\\\\ hi' }, 'autoproxy_off'],
    ['three count even if autoproxy is off', {}, { content: '\\\\\\' }, 'autoproxy_off'],
    [
      'three may be separated by zero-width spaces',
      latch,
      { content: '\\\u200B\\\u200B\\' },
      'autoproxy_off',
    ],
    [
      'three take precedence over tags',
      { members: backslashed },
      { content: '\\\\\\hi' },
      'autoproxy_off',
    ],
    [
      'three count in an edited message',
      latch,
      { content: '\\\\\\hi', is_edit: true },
      'autoproxy_off',
    ],
    ['two unlatch', latch, { content: '\\\\hi' }, 'unlatch'],
    ['two may be separated by a zero-width space', latch, { content: '\\\u200B\\hi' }, 'unlatch'],
    ['two take precedence over tags after them', latch, { content: '\\\\[hello]' }, 'unlatch'],
    [
      'two take precedence over a tag of backslashes',
      { ...latch, members: backslashed },
      { content: '\\\\hi' },
      'unlatch',
    ],
    ['two count in an edited message', latch, { content: '\\\\hi', is_edit: true }, 'unlatch'],
    ['two only stop autoproxy outside latch mode', front, { content: '\\\\hi' }, 'ignore'],
    [
      'two can match a tag outside latch mode',
      { ...front, members: backslashed },
      { content: '\\\\hi' },
      'proxy',
    ],
    ['one can match a tag', { ...latch, members: backslashed }, { content: '\\hi' }, 'proxy'],
    ['one stops autoproxy', latch, { content: '\\hi' }, 'ignore'],
    ['none count in the middle of a message', latch, { content: 'hi \\\\\\' }, 'proxy'],
  ])('leading backslashes: %s', (_, context, message, action) => {
    expect(decide(contextOf(context), messageOf(message)).action).toBe(action)
  })
})

describe('decide: matching', () => {
  test('proxies the text between proxy tags as the member who has those tags', () => {
    expect(decide(contextOf({}), messageOf({ content: '[hi]' }))).toEqual({
      action: 'proxy',
      member: wren({}),
      matched: { by: 'tags', tag: around('[', ']'), mode: null },
      message: { content: 'hi', name: 'Wren', plain_name: 'Wren', avatar_url: null, tts: false },
    })
  })

  test('prefers tags to autoproxy, even if the account has autoproxy disabled', () => {
    const finch = wren({ id: 2, name: 'Finch', proxy_tags: [] })
    const context = contextOf({
      members: [wren({}), finch],
      autoproxy: { mode: 'member', member: 2, last_latch: null },
      account: { autoproxy_enabled: false },
    })
    expect(proxied(context, { content: '[hi]' }).member.name).toBe('Wren')
  })

  test('matches tags in an edited message', () => {
    expect(proxied(contextOf({}), { content: '[hi]', is_edit: true }).matched.by).toBe('tags')
  })

  test('matches tags case-sensitively unless the system disables that', () => {
    const members = [wren({ proxy_tags: [around('W:')] })]
    const caseInsensitive = { ...contextOf({}).settings, case_sensitive_proxy_tags: false }
    expect(decide(contextOf({ members }), messageOf({ content: 'w:hi' })).action).toBe('ignore')
    expect(
      proxied(contextOf({ members, settings: caseInsensitive }), { content: 'w:hi' }).message
        .content,
    ).toBe('hi')
  })

  test('matches tags around nothing when there is an attachment', () => {
    const { matched, message } = proxied(contextOf({}), { content: '[ ]', has_attachments: true })
    expect([matched.by, message.content]).toEqual(['tags', ' '])
  })

  test('autoproxies tags around nothing unchanged when there is no attachment', () => {
    const context = contextOf({ autoproxy: { mode: 'member', member: 1, last_latch: null } })
    const { matched, message } = proxied(context, { content: '[ ]' })
    expect([matched.by, message.content]).toEqual(['autoproxy', '[ ]'])
  })

  test('matches tags around nothing after a mention', () => {
    expect(proxied(contextOf({}), { content: `${MENTION}[]` }).message.content).toBe(`${MENTION} `)
  })

  test('autoproxies a poll without content', () => {
    const context = contextOf({ autoproxy: { mode: 'member', member: 1, last_latch: null } })
    expect(proxied(context, { content: null, has_poll: true }).message.content).toBe('')
  })

  test('sets tts for a member with tts', () => {
    const context = contextOf({ members: [wren({ tts: true })] })
    expect(proxied(context, { content: '[hi]' }).message.tts).toBe(true)
  })
})

describe('decide: autoproxy', () => {
  const finch = wren({ id: 2, uuid: 'finch', name: 'Finch' })
  const shy = wren({ id: 2, uuid: 'finch', name: 'Finch', autoproxy_enabled: false })

  test.each<[string, Partial<ProxyContext>, string]>([
    [
      'the first fronter in front mode',
      { autoproxy: mode('front'), fronters: [fronter(2), fronter(1)] },
      'Finch',
    ],
    [
      'the first fronter in front mode, even if a member is stored',
      { autoproxy: mode('front', 1), fronters: [fronter(2)] },
      'Finch',
    ],
    [
      'the first fronter that is no custom front',
      { autoproxy: mode('front'), fronters: [fronter(1, 'custom_front'), fronter(2)] },
      'Finch',
    ],
    [
      'the stored member in latch mode',
      { autoproxy: mode('latch', 2), fronters: [fronter(1)] },
      'Finch',
    ],
    [
      'the stored member in member mode',
      { autoproxy: mode('member', 2), fronters: [fronter(1)] },
      'Finch',
    ],
    [
      'the stored member in member mode, even if it has autoproxy disabled',
      { autoproxy: mode('member', 2), members: [wren({}), shy] },
      'Finch',
    ],
  ])('autoproxy chooses %s', (_, overrides, name) => {
    const context = contextOf({ members: [wren({}), finch], ...overrides })
    const { member, matched, message } = proxied(context, { content: `${MENTION}hi ` })
    expect(member.name).toBe(name)
    expect(matched).toEqual({ by: 'autoproxy', tag: null, mode: context.autoproxy.mode })
    expect(message.content).toBe(`${MENTION}hi `)
  })

  test('autoproxy has no target while it is off or without fronters', () => {
    expect(autoproxyTarget({ autoproxy: mode('off', 1), fronters: [fronter(2)] })).toBeNull()
    expect(autoproxyTarget({ autoproxy: mode('front', 1), fronters: [] })).toBeNull()
  })

  test.each<[string, number | null, number | null, boolean]>([
    ['6 hours by default', null, 6 * HOUR, true],
    ['no longer than 6 hours by default', null, 6 * HOUR + 1, false],
    ['for the timeout of the system', 60, 60 * SECOND, true],
    ['no longer than the timeout of the system', 60, 60 * SECOND + 1, false],
    ['forever with a timeout of 0', 0, 10_000 * HOUR, true],
    ['forever without a start time', 60, null, true],
  ])('a latch holds %s', (_, latch_timeout, age, holds) => {
    const last_latch = age === null ? null : NOW - age
    const context = contextOf({
      autoproxy: { mode: 'latch', member: 1, last_latch },
      settings: { ...contextOf({}).settings, latch_timeout },
    })
    const expected = holds ? { action: 'proxy' } : { action: 'ignore', reason: 'latch_expired' }
    expect(decide(context, messageOf({}))).toMatchObject(expected)
  })

  test('member mode does not time out', () => {
    const old = { mode: 'member', member: 1, last_latch: NOW - 7 * HOUR } as const
    expect(decide(contextOf({ autoproxy: old }), messageOf({})).action).toBe('proxy')
  })
})

describe('decide: keep_proxy', () => {
  const autoproxied = { autoproxy: mode('member', 1) }

  test.each<[string, Partial<ProxyMember>, Partial<ProxyContext>, string, string]>([
    ['are kept when the member keeps them', { keep_proxy: true }, {}, '[hi]', '[hi]'],
    [
      'are kept when the guild settings keep them',
      { guild: inMemberGuild({ keep_proxy: true }) },
      {},
      '[hi]',
      '[hi]',
    ],
    [
      'are removed when the guild settings say so',
      { keep_proxy: true, guild: inMemberGuild({ keep_proxy: false }) },
      {},
      '[hi]',
      'hi',
    ],
    [
      'are kept when the guild settings do not decide',
      { keep_proxy: true, guild: inMemberGuild({}) },
      {},
      '[hi]',
      '[hi]',
    ],
    [
      'surround a leading mention when they are kept',
      { keep_proxy: true },
      {},
      `${MENTION}[hi]`,
      `[${MENTION} hi]`,
    ],
    ['that matched are kept', { keep_proxy: true }, {}, 'w:hi', 'w:hi'],
    ['of the first pair are added by autoproxy', { keep_proxy: true }, autoproxied, 'hi', '[hi]'],
    [
      'are not added for a member without tags',
      { keep_proxy: true, proxy_tags: [] },
      autoproxied,
      'hi',
      'hi',
    ],
    [
      'are written as stored, not as in the message',
      { keep_proxy: true, proxy_tags: [around('W:')] },
      caseInsensitive(),
      'w:hi',
      'W:hi',
    ],
  ])('proxy tags %s', (_, member, overrides, content, expected) => {
    const tags = [around('[', ']'), around('w:')]
    const context = contextOf({ members: [wren({ proxy_tags: tags, ...member })], ...overrides })
    expect(proxied(context, { content }).message.content).toBe(expected)
  })
})

describe('decide: refuse', () => {
  const strict = guild({ require_system_tag: true })
  const tagged = { tag: '| Hill', avatar_url: null }
  const untagged = { tag: null, avatar_url: null }
  const longName = [wren({ name: 'w'.repeat(81) })]
  const long = { content: `[${'a'.repeat(2001)}]` }
  const short = { content: '[hi]' }

  test.each<[RefuseReason, Partial<ProxyContext>, Partial<ProxyMessage>, TagObstacle[]]>([
    ['too_long', { guild: strict, members: longName }, long, []],
    [
      'too_long',
      { members: [wren({ keep_proxy: true })] },
      { content: `[${'a'.repeat(1999)}]` },
      [],
    ],
    ['tag_required', { guild: strict, members: longName }, short, ['unset']],
    [
      'tag_required',
      { guild: strict, system: tagged, systemGuild: inSystemGuild({ tag_enabled: false }) },
      short,
      ['off'],
    ],
    [
      'tag_required',
      { guild: strict, systemGuild: inSystemGuild({ tag: '| Lantern', tag_enabled: false }) },
      short,
      ['off'],
    ],
    [
      'tag_required',
      { guild: strict, systemGuild: inSystemGuild({ tag_enabled: false, name_format: '{name}' }) },
      short,
      ['unset', 'off', 'format'],
    ],
    [
      'tag_required',
      { guild: strict, system: tagged, systemGuild: inSystemGuild({ name_format: '{name}' }) },
      short,
      ['format'],
    ],
    [
      'tag_required',
      {
        guild: strict,
        system: tagged,
        settings: { ...contextOf({}).settings, name_format: '{name}' },
      },
      short,
      ['format'],
    ],
    ['name_too_long', { members: longName }, short, []],
    ['name_too_long', { system: tagged, members: [wren({ name: 'w'.repeat(75) })] }, short, []],
  ])(
    'refuses with %s before every later reason (%#)',
    (reason, overrides, message, tagObstacles) => {
      const decision = decide(contextOf(overrides), messageOf(message))
      expect(decision).toMatchObject({ action: 'refuse', reason, notify: true, tagObstacles })
      expect(decision).toHaveProperty('text', expect.stringMatching(/^[A-Z].+\.$/))
    },
  )

  test('uses a different text for every reason to refuse', () => {
    const texts = [
      decide(contextOf({}), messageOf(long)),
      decide(contextOf({ guild: strict, system: untagged }), messageOf(short)),
      decide(contextOf({ members: longName }), messageOf(short)),
    ].map((decision) => decision.action === 'refuse' && decision.text)
    expect(new Set(texts).size).toBe(refuseReasons.length)
  })

  test('does not notify a system that disabled error messages', () => {
    const settings = { ...contextOf({}).settings, proxy_error_message_enabled: false }
    expect(decide(contextOf({ settings }), messageOf(long))).toMatchObject({
      reason: 'too_long',
      notify: false,
    })
  })

  test.each<[string, Partial<ProxyContext>, Partial<ProxyMessage>]>([
    ['2000 units of content', {}, { content: `[${'a'.repeat(2000)}]` }],
    ['a name of 80 units', { members: [wren({ name: 'w'.repeat(80) })] }, short],
    ['a required tag of the system', { guild: strict, system: tagged }, short],
    [
      'a required tag of the guild',
      { guild: strict, systemGuild: inSystemGuild({ tag: '| Lantern' }) },
      short,
    ],
  ])('does not refuse %s', (_, overrides, message) => {
    expect(decide(contextOf(overrides), messageOf(message)).action).toBe('proxy')
  })

  test('ignores a too long message that matches no member', () => {
    expect(
      decide(contextOf({ guild: strict }), messageOf({ content: 'a'.repeat(3000) })).action,
    ).toBe('ignore')
  })
})

describe('decide: name', () => {
  const tagged = { tag: '| Hill', avatar_url: null }
  const named = { display_name: 'Wren of the Hill' }
  const format = (name_format: string) => ({ ...contextOf({}).settings, name_format })

  test.each<[string, Partial<ProxyMember>, Partial<ProxyContext>, string]>([
    ['the name', {}, {}, 'Wren'],
    ['the display name instead of the name', named, {}, 'Wren of the Hill'],
    [
      'the name in this guild instead of both',
      { ...named, guild: inMemberGuild({ display_name: 'W' }) },
      { system: tagged },
      'W | Hill',
    ],
    ['the name if the guild settings have none', { guild: inMemberGuild({}) }, {}, 'Wren'],
    ['name and system tag', {}, { system: tagged }, 'Wren | Hill'],
    [
      'the tag in this guild instead of the system tag',
      {},
      { system: tagged, systemGuild: inSystemGuild({ tag: '⛰' }) },
      'Wren ⛰',
    ],
    [
      'no tag if the guild settings disable it',
      {},
      { system: tagged, systemGuild: inSystemGuild({ tag: '⛰', tag_enabled: false }) },
      'Wren',
    ],
    [
      'the format of the system',
      {},
      { system: tagged, settings: format('{tag} {name}') },
      '| Hill Wren',
    ],
    [
      'the format in this guild instead of the system’s',
      {},
      {
        system: tagged,
        settings: format('{tag}'),
        systemGuild: inSystemGuild({ name_format: '{name}!' }),
      },
      'Wren!',
    ],
    ['the text around a missing tag', {}, { settings: format('{name} | {tag}') }, 'Wren |'],
    [
      'every placeholder of the format replaced',
      {},
      { system: tagged, settings: format('{name}{name}{tag}{tag}') },
      'WrenWren| Hill| Hill',
    ],
    [
      'a placeholder in the tag expanded',
      {},
      { system: { tag: '({name})', avatar_url: null } },
      'Wren (Wren)',
    ],
    [
      'a placeholder in the name not expanded',
      { name: '{tag}' },
      { system: tagged },
      '{tag} | Hill',
    ],
    [
      'dollar signs unchanged',
      { name: '$& $1' },
      { system: { tag: '$$', avatar_url: null } },
      '$& $1 $$',
    ],
    [
      'no name of the system in this guild',
      {},
      { systemGuild: inSystemGuild({ display_name: 'The Hill' }) },
      'Wren',
    ],
  ])('the name of a proxied message has %s', (_, member, overrides, expected) => {
    const context = contextOf({ members: [wren(member)], ...overrides })
    expect(proxied(context, { content: '[hi]' }).message.plain_name).toBe(expected)
  })

  test.each<[string, ProxyMessage['previous'], string]>([
    ['no message', null, 'Wren'],
    ['a message with another name', { name: 'Finch', member: 'finch' }, 'Wren'],
    ['a message of the same member', { name: 'Wren', member: 'wren' }, 'Wren'],
    [
      'a message that was not proxied, with the same name',
      { name: 'Wren', member: null },
      `Wren${MARK}`,
    ],
    ['another member with the same name', { name: 'Wren', member: 'finch' }, `Wren${MARK}`],
    ['a marked message of the same member', { name: `Wren${MARK}`, member: 'wren' }, `Wren${MARK}`],
    ['a marked message of another member', { name: `Wren${MARK}`, member: 'finch' }, 'Wren'],
    ['the name in another case', { name: 'wren', member: null }, 'Wren'],
  ])('marks the name only if needed after %s', (_, previous, expected) => {
    const { name, plain_name } = proxied(contextOf({}), { content: '[hi]', previous }).message
    expect([name, plain_name]).toEqual([expected, 'Wren'])
  })

  test.each<[string, string]>([
    ['Clyde', `C${HAIR}lyde`],
    ['mcclydeclyde', `mcc${HAIR}lydec${HAIR}lyde`],
    ['my DISCORD', `my D${HAIR}ISCORD`],
    ['here', `h${HAIR}ere`],
    ['HERE', `H${HAIR}ERE`],
    ['here we are', 'here we are'],
    ['Everyone', `E${HAIR}veryone`],
    ['not everyone', 'not everyone'],
    ['a ``` b', `a \`${HAIR}\`\` b`],
    ['````', `\`${HAIR}\`${HAIR}\`\``],
    ['``', '``'],
    ['W', `W${INVISIBLE}`],
    ['🐦', '🐦'],
    [`clyde${'w'.repeat(75)}`, `c${HAIR}lyde${'w'.repeat(74)}`],
    [`clyde${'w'.repeat(73)}🐦`, `c${HAIR}lyde${'w'.repeat(73)}`],
  ])('adapts the name %s so that Discord accepts it', (given, expected) => {
    const context = contextOf({ members: [wren({ name: given })] })
    const { name, plain_name } = proxied(context, { content: '[hi]' }).message
    expect([name, plain_name]).toEqual([expected, given])
  })

  test('marks a name that was adapted for Discord', () => {
    const context = contextOf({ members: [wren({ name: 'Clyde' })] })
    const nameAfter = (name: string, member: string | null) =>
      proxied(context, { content: '[hi]', previous: { name, member } }).message.name
    expect(nameAfter(`C${HAIR}lyde`, 'finch')).toBe(`C${HAIR}lyde${MARK}`)
    expect(nameAfter(`C${HAIR}lyde${MARK}`, 'wren')).toBe(`C${HAIR}lyde${MARK}`)
  })

  test('adds no padding to a marked name of one letter', () => {
    const context = contextOf({ members: [wren({ name: 'W' })] })
    const previous = { name: 'W', member: null }
    expect(proxied(context, { content: '[hi]', previous }).message.name).toBe(`W${MARK}`)
  })
})

describe('decide: avatar', () => {
  const urls = ['guild', 'webhook', 'own', 'system-guild', 'system'].map(
    (at) => `https://x.test/${at}`,
  )

  test('uses the most specific avatar that is set', () => {
    for (let first = 0; first <= urls.length; first++) {
      const [guildUrl, webhook, own, systemGuild, system] = urls.map((url, at) =>
        at < first ? null : url,
      )
      const context = contextOf({
        members: [
          wren({
            guild: inMemberGuild({ avatar_url: guildUrl ?? null }),
            webhook_avatar_url: webhook ?? null,
            avatar_url: own ?? null,
          }),
        ],
        systemGuild: inSystemGuild({ avatar_url: systemGuild ?? null }),
        system: { tag: null, avatar_url: system ?? null },
      })
      expect(proxied(context, { content: '[hi]' }).message.avatar_url).toBe(urls[first] ?? null)
    }
  })

  const file = 'attachments/123456789012345678/234567890123456789/wren.png'
  const [cdn, media] = ['https://cdn.discordapp.com', 'https://media.discordapp.net']
  const small = `${media}/${file}?width=256&height=256`
  test.each<[address: string, onDiscord: string, elsewhere: string]>([
    [`${cdn}/${file}`, `${cdn}/${file}`, small],
    [`http://media.discordapp.net/${file}`, `http://media.discordapp.net/${file}`, small],
    [`${cdn}/${file}?`, `${cdn}/${file}`, small],
    [`${cdn}/${file}?ex=1&hm=2`, `${cdn}/${file}`, `${small}&ex=1&hm=2`],
    [
      `${cdn}/avatars/1/2.png?size=64`,
      `${cdn}/avatars/1/2.png?size=64`,
      `${cdn}/avatars/1/2.png?size=64`,
    ],
    [
      `https://cdn.discordapp.com.x.test/${file}?a`,
      `https://cdn.discordapp.com.x.test/${file}?a`,
      `https://cdn.discordapp.com.x.test/${file}?a`,
    ],
  ])('adapts the avatar %s if it is a Discord attachment', (avatar_url, onDiscord, elsewhere) => {
    const context = contextOf({ members: [wren({ avatar_url })] })
    const avatarOn = (platform: string) =>
      proxied(context, { content: '[hi]', platform }).message.avatar_url
    expect([avatarOn(DISCORD), avatarOn('matrix')]).toEqual([onDiscord, elsewhere])
  })
})

describe('switchEffect', () => {
  test.each<[Parameters<typeof switchEffect>, ReturnType<typeof switchEffect>]>([
    [['off', [], 1], { kind: 'none' }],
    [['off', [2], 1], { kind: 'none' }],
    [['new', [], 1], { kind: 'new', members: [1] }],
    [['new', [2], 1], { kind: 'new', members: [1] }],
    [['new', [2, 1], 1], { kind: 'none' }],
    [['add', [], 1], { kind: 'new', members: [1] }],
    [['add', [3, 2], 1], { kind: 'append', members: [3, 2, 1] }],
    [['add', [2, 1], 1], { kind: 'none' }],
  ])('the effect of a proxied message with %j on the switches', (given, expected) => {
    expect(switchEffect(...given)).toEqual(expected)
  })
})

describe('random texts', () => {
  // Few characters, so that tags often match; some fold, grow, form pairs or are trimmed.
  const letter = fc.constantFrom(...'aAbσΣςİiı<>[] \uFE0F@:1', '𐐀', '𐐨', MENTION, '<:a:1>')
  const part = fc.option(fc.string({ unit: letter, maxLength: 4 }))
  const tag = fc
    .record({ prefix: part, suffix: part })
    .filter((tag) => lengthOf(tag) <= MAX_TAG_AFFIXES)
  const memberLists = fc
    .array(fc.array(tag, { maxLength: 4 }), { maxLength: 4 })
    .map((lists) => membersWith(Object.fromEntries(lists.map((tags, at) => [`m${at}`, tags]))))
  const units = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((codes) => String.fromCharCode(...codes))
  const words = fc.string({ unit: letter, maxLength: 12 })
  /**
   * Members and a text, which is mostly inside the tag of a member, in the same or another case.
   */
  const scene = memberLists.chain((members) => {
    const tags = members.flatMap((member) => member.proxy_tags)
    const tagged = fc
      .record({
        tag: tags.length > 0 ? fc.constantFrom(...tags) : tag,
        inner: fc.string({ unit: letter, maxLength: 3 }),
        mention: fc.constantFrom('', MENTION),
        convert: fc.constantFrom((text: string) => text, swapCase),
      })
      .map(({ tag: { prefix, suffix }, inner, mention, convert }) =>
        mention.concat(convert(`${prefix ?? ''}${inner}${suffix ?? ''}`)),
      )
    return fc.tuple(fc.constant(members), fc.oneof(tagged, tagged, words, units), fc.boolean())
  })

  test('decide never throws, and proxies only within the limits', () => {
    const anyTag = fc.record({ prefix: fc.option(units), suffix: fc.option(units) })
    fc.assert(
      fc.property(
        fc.array(anyTag, { maxLength: 3 }),
        fc.option(fc.oneof(units, words)),
        fc.record({
          has_attachments: fc.boolean(),
          has_poll: fc.boolean(),
          is_edit: fc.boolean(),
          name: units,
          keep_proxy: fc.boolean(),
        }),
        (proxy_tags, content, { name, keep_proxy, ...flags }) => {
          const members = [wren({ name, proxy_tags, keep_proxy })]
          const decision = decide(
            contextOf({ members, autoproxy: mode('latch', 1) }),
            messageOf({ content, ...flags }),
          )
          if (decision.action !== 'proxy') return
          expect(decision.message.name.length).toBeLessThanOrEqual(80)
          expect(decision.message.content.length).toBeLessThanOrEqual(2000)
        },
      ),
    )
  })

  test('matchTags removes exactly the tag and keeps a leading mention', () => {
    fc.assert(
      fc.property(scene, ([members, content, caseSensitive]) => {
        const match = matchTags(members, content, caseSensitive)
        if (!match) return
        const body = withoutMention(content)
        const mention = content.slice(0, content.length - body.length)
        const inner = match.content.slice(mention === '' ? 0 : mention.length + 1)
        expect(match.content).toBe(mention === '' ? inner : `${mention} ${inner}`)
        const [prefix, suffix] = [match.tag.prefix ?? '', match.tag.suffix ?? '']
        const between = body.slice(
          prefix.length,
          Math.max(prefix.length, body.length - suffix.length),
        )
        const isBare = body.trim() === prefix.trimEnd() + suffix.trimStart()
        expect(isBare ? ['', between] : [between]).toContain(inner)
      }),
      { numRuns: rounds(200) },
    )
  })

  test('matchTags prefers the longest matching tag, then the first one', () => {
    fc.assert(
      fc.property(scene, ([members, content, caseSensitive]) => {
        const alone = members
          .flatMap((member) => member.proxy_tags.map((tag) => ({ member, tag })))
          .filter(({ member, tag }) =>
            matchTags([{ ...member, proxy_tags: [tag] }], content, caseSensitive),
          )
          .toSorted((a, b) => lengthOf(b.tag) - lengthOf(a.tag))
        const match = matchTags(members, content, caseSensitive)
        expect(match?.member).toBe(alone[0]?.member)
        expect(match?.tag).toBe(alone[0]?.tag)
      }),
      { numRuns: rounds(200) },
    )
  })

  test('a tag that matches case-sensitively also matches case-insensitively', () => {
    fc.assert(
      fc.property(scene, ([members, content]) => {
        for (const member of members)
          for (const tag of member.proxy_tags) {
            const alone = [{ ...member, proxy_tags: [tag] }]
            const match = matchTags(alone, content, true)
            if (match) expect(matchTags(alone, content, false)?.content).toBe(match.content)
          }
      }),
      { numRuns: rounds(200) },
    )
  })

  test('every matching tag is found by its lookup keys', () => {
    fc.assert(
      fc.property(scene, ([members, content, caseSensitive]) => {
        for (const member of members)
          for (const tag of member.proxy_tags)
            if (matchTags([{ ...member, proxy_tags: [tag] }], content, caseSensitive))
              expect(isFound(tag, content)).toBe(true)
      }),
      { numRuns: rounds(400) },
    )
  })
})

describe('keysOfTag and keysOfContent', () => {
  test.each<[string, ProxyTag, string, boolean]>([
    ['find a tag around the text', around('[', ']'), '[hi]', true],
    ['find a tag in another case', around('W:'), 'w:hi', true],
    ['find a tag after a mention', around('w:'), `${MENTION}w:hi`, true],
    ['find a tag without its inner spaces', around('{ ', ' }'), '{}', true],
    ['find a tag of spaces in an empty text', around(' '), '', true],
    ['find a prefix of the maximum length', around('w'.repeat(95)), 'w'.repeat(99), true],
    ['find a suffix of the maximum length', around(null, 'w'.repeat(95)), 'w'.repeat(99), true],
    ['do not find a tag with another suffix', around('[', ')'), '[hi]', false],
    ['do not find another tag', around('{', '}'), '[hi]', false],
    ['do not find a tag in the middle', around('w:'), 'hi w:hi', false],
  ])('the lookup keys %s', (_, tag, content, found) => {
    expect(isFound(tag, content)).toBe(found)
  })

  test('keysOfContent limits the keys of a long text', () => {
    const { head, tail, trimmed } = keysOfContent('ab'.repeat(2000), true)
    expect([head.length, tail.length, trimmed]).toEqual([MAX_TAG_AFFIXES, MAX_TAG_AFFIXES, null])
  })

  test('keysOfContent does not split surrogate pairs', () => {
    const { head, tail } = keysOfContent(`a${'🐦'.repeat(100)}a`, true)
    expect([head, tail]).toEqual([`a${'🐦'.repeat(47)}`, `${'🐦'.repeat(47)}a`])
    expect(keysOfContent(`🐦${'a'.repeat(94)}🐦${'a'.repeat(94)}🐦`, true)).toMatchObject({
      head: `🐦${'a'.repeat(93)}`,
      tail: `${'a'.repeat(93)}🐦`,
    })
  })

  test.each([
    ['NUL', 'ab\0c\0de'],
    ['a lone surrogate', 'ab\ud83dc\udc26de'],
  ])('keysOfContent excludes text that tags cannot contain: %s', (_, content) => {
    expect(keysOfContent(content, true)).toMatchObject({ head: 'ab', tail: 'de', trimmed: null })
  })
})

function around(prefix: string | null, suffix: string | null = null): ProxyTag {
  return { prefix, suffix }
}

function wren(overrides: Partial<ProxyMember>): ProxyMember {
  return {
    id: 1,
    uuid: 'wren',
    hid: 'wrenn',
    name: 'Wren',
    display_name: null,
    avatar_url: null,
    webhook_avatar_url: null,
    proxy_tags: [around('[', ']')],
    keep_proxy: false,
    tts: false,
    autoproxy_enabled: true,
    guild: null,
    ...overrides,
  }
}

function membersWith(tags: Record<string, ProxyTag[]>): ProxyMember[] {
  return Object.entries(tags).map(([name, proxy_tags], at) =>
    wren({ id: at + 1, uuid: name, name, proxy_tags }),
  )
}

function contextOf(overrides: Partial<ProxyContext>): ProxyContext {
  return {
    system: { tag: null, avatar_url: null },
    settings: {
      case_sensitive_proxy_tags: true,
      latch_timeout: null,
      name_format: '{name} {tag}',
      proxy_error_message_enabled: true,
    },
    systemGuild: null,
    guild: guild({}),
    account: { autoproxy_enabled: true },
    autoproxy: mode('off'),
    fronters: [],
    members: [wren({})],
    ...overrides,
  }
}

function mode(name: ProxyContext['autoproxy']['mode'], member: number | null = null) {
  return { mode: name, member, last_latch: null }
}

function caseInsensitive(): Partial<ProxyContext> {
  return { settings: { ...contextOf({}).settings, case_sensitive_proxy_tags: false } }
}

function guild(overrides: Partial<ProxyContext['guild']>): ProxyContext['guild'] {
  return { disabled_channels: [], require_system_tag: false, ...overrides }
}

function inSystemGuild(overrides: Partial<SystemGuild>): SystemGuild {
  return {
    proxying_enabled: true,
    tag: null,
    tag_enabled: true,
    avatar_url: null,
    display_name: null,
    name_format: null,
    ...overrides,
  }
}

function inMemberGuild(overrides: Partial<MemberGuild>): MemberGuild {
  return { display_name: null, avatar_url: null, keep_proxy: null, ...overrides }
}

function messageOf(overrides: Partial<ProxyMessage>): ProxyMessage {
  return {
    platform: DISCORD,
    channel_id: CHANNEL,
    thread_id: null,
    content: 'hi',
    has_attachments: false,
    has_poll: false,
    is_edit: false,
    previous: null,
    limits: defaultProxyLimits,
    at: NOW,
    ...overrides,
  }
}

function proxied(context: ProxyContext, message: Partial<ProxyMessage>) {
  const decision = decide(context, messageOf(message))
  if (decision.action !== 'proxy') throw new Error(`not proxied: ${JSON.stringify(decision)}`)
  return decision
}

function isFound(tag: ProxyTag, content: string): boolean {
  const { prefix_key, suffix_key, trimmed_key } = keysOfTag(tag)
  const { head, tail, trimmed, accepts } = keysOfContent(content, false)
  const isAround = head.startsWith(prefix_key) && tail.endsWith(suffix_key)
  return (isAround && accepts(prefix_key, suffix_key)) || trimmed === trimmed_key
}

function lengthOf({ prefix, suffix }: ProxyTag): number {
  return (prefix ?? '').length + (suffix ?? '').length
}

function withoutMention(content: string): string {
  return content.replace(/^<@!?\d{17,19}> /, '')
}

function swapCase(text: string): string {
  return Array.from(text, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join(
    '',
  )
}
