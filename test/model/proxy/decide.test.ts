import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { MemberGuild, SystemGuild } from '../../../src/model/guild'
import { DISCORD } from '../../../src/model/platform'
import {
  autoproxyTarget,
  type Decision,
  decide,
  type IgnoreReason,
  ignoreReasons,
  type ProxyContext,
  type ProxyMember,
  type ProxyMessage,
  type RefuseReason,
  refuseReasons,
  switchEffect,
  usualLimits,
} from '../../../src/model/proxy/decide'
import { keysOfContent, keysOfTag, matchTags } from '../../../src/model/proxy/tags'
import { HOUR, SECOND } from '../../../src/model/time'
import { MAX_TAG_AFFIXES, type ProxyTag } from '../../../src/model/validation'

const NOW = 1_700_000_000 * SECOND
const CHANNEL = '100000000000000001'
const THREAD = '100000000000000002'
const MENTION = '<@123456789012345678> '
const HAIR = '\u200A'
const UNSEEN = '\u17B5'
const MARK = HAIR + UNSEEN

describe('tag vectors of PluralKit', () => {
  const setA = people({
    John: [around('[', ']')],
    Bob: [around('{', '}'), around('<', '>')],
    Prefixed: [around('A:')],
    Tagless: [],
  })
  const setB = people({
    'Level One': [around('[', ']')],
    'Level Two': [around('[[', ']]')],
    'Level Three': [around('[[[', ']]]')],
  })
  const setC = people({ Only: [around('[', ']')] })
  const setD = people({
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
  ])('%#: the text is matched as PluralKit matches it', (members, content, expected) => {
    const match = matchTags(members, content, true)
    expect(match && [match.member.name, match.content]).toEqual(expected)
  })

  test('a system that does not mind the case is matched in any case', () => {
    const match = matchTags(setA, 'a:tag with lowercase prefix', false)
    expect(match).toMatchObject({
      member: { name: 'Prefixed' },
      content: 'tag with lowercase prefix',
    })
  })

  test('the tag that matched is told, where a member has several', () => {
    expect(matchTags(setA, "<also bob's tags>", true)?.tag).toEqual(around('<', '>'))
  })
})

describe('tags', () => {
  test.each<[string, ProxyTag[], string, string | null]>([
    ['a prefix and a suffix may not share a letter', [around('--', '--')], '---', null],
    ['nothing between the tags is a match', [around('[', ']')], '[]', ''],
    ['a tag without parts never matches', [around(null, null)], 'hello', null],
    ['a tag of empty parts never matches', [around('', '')], 'hello', null],
    ['a suffix alone is enough', [around(null, '-w')], 'hello -w', 'hello '],
    ['a tag may begin with a backslash', [around('\\w ')], '\\w hello', 'hello'],
    ['a user mention is no angle bracket', [around('<')], '<@123456789012345678>, hi', null],
    ['a role mention is no angle bracket', [around('<')], '<@&1> hi', null],
    ['a channel mention is no angle bracket', [around('<')], '<#1> hi', null],
    ['an emoji is no angle bracket', [around('<')], '<:wave:1> hi', null],
    ['a moving emoji is no angle bracket', [around('<')], '<a:wave_2:1> hi', null],
    ['a closing emoji is no angle bracket', [around(null, '>')], 'hi <:wave:1>', null],
    ['a token guards a pair on either side', [around('<', '>')], '<hello <:wave:1>', null],
    ['a token in the middle guards nothing', [around('<', '>')], '<a <@1> b>', 'a <@1> b'],
    ['the guard is for one bracket only', [around('<@')], '<@1> hi', '1> hi'],
    ['an unfinished token is text', [around('<')], '<:wave 1> hi', ':wave 1> hi'],
    ['half of another emoji is no message', [around('❤')], '❤\uFE0F', null],
    ['half of another emoji with spaces is no message', [around('❤')], '❤ \uFE0F ', null],
    ['a selector before words is part of them', [around('❤')], '❤\uFE0F hi', '\uFE0F hi'],
    [
      'the next pair is tried after half an emoji',
      [around('❤'), around('', '\uFE0F')],
      '❤\uFE0F',
      '❤',
    ],
    ['a tag of spaces matches an empty text', [around(' ')], '', ''],
    ['inner spaces of a tag may be lost', [around('{ ', ' }')], ' {} ', ''],
    ['spaces around a tag with nothing inside do not matter', [around('[', ']')], ' [] ', ''],
    ['outer spaces of a tag may not be lost', [around(' {', '}')], '{}', null],
    [
      'a leading mention is kept with two spaces',
      [around('w:')],
      `${MENTION}w:hi`,
      `${MENTION} hi`,
    ],
    [
      'the old form of a mention counts',
      [around('w:')],
      '<@!12345678901234567> w:hi',
      '<@!12345678901234567>  hi',
    ],
    ['a mention needs its space', [around('w:')], '<@123456789012345678>w:hi', null],
    ['a mention is 17 digits at least', [around('w:')], '<@1234567890123456> w:hi', null],
    ['a mention is 19 digits at most', [around('w:')], '<@12345678901234567890> w:hi', null],
    ['only the first mention is taken off', [around('w:')], `${MENTION}${MENTION}w:hi`, null],
    ['a tag is not looked for in the mention', [around('<@')], `${MENTION}hi`, null],
  ])('%s', (_, tags, content, expected) => {
    expect(matchTags(people({ Wren: tags }), content, true)?.content ?? null).toBe(expected)
  })

  test.each<[string, ProxyTag, string, string | null]>([
    ['capitals of a tag', around('Wren:'), 'wREN:Hi', 'Hi'],
    ['capitals of a suffix', around(null, '-W'), 'Hi -w', 'Hi '],
    ['a sigma at the end of a word', around('ΟΔΟΣ '), 'οδος hi', 'hi'],
    ['a sigma in the middle of a word', around('ΣΣ'), 'ςσhi', 'hi'],
    ['a letter that grows in lower case is one letter', around('İ:'), 'İ:hi', 'hi'],
    ['grown letters in the text do not move the cut', around('w:', ':W'), 'W:İİİ:w', 'İİİ'],
    ['grown letters before a suffix do not move the cut', around(null, 'İx'), 'İİİX', 'İİ'],
    ['letters beyond the first plane', around('𐐀:'), '𐐨:hi', 'hi'],
    ['a sharp s is not two letters', around('ß:'), 'ss:hi', null],
    ['lost spaces are always matched in their own case', around('A: '), 'a:', null],
  ])('without case, %s', (_, tag, content, expected) => {
    expect(matchTags(people({ Wren: [tag] }), content, false)?.content ?? null).toBe(expected)
  })

  test('of two members with one tag the older is meant', () => {
    const members = people({ Older: [around('a'), around('w:')], Younger: [around('w:')] })
    expect(matchTags(members, 'w:hi', true)?.member.name).toBe('Older')
  })

  test('of two tags of one length the earlier is meant', () => {
    const members = people({ Wren: [around('w', '!'), around('w:')] })
    expect(matchTags(members, 'w:hi!', true)?.tag).toEqual(around('w', '!'))
  })
})

describe('ignored', () => {
  const frontless = { autoproxy: { mode: 'front', member: null, last_latch: null } } as const
  const latched = { autoproxy: { mode: 'latch', member: 1, last_latch: NOW - 7 * HOUR } } as const
  const shy = [wren({ autoproxy_enabled: false })]
  const off = { autoproxy_enabled: false }

  // Each row holds for its own reason and for all the later ones that can hold with it.
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
        systemGuild: inGuild({ proxying_enabled: false }),
      },
      { content: '' },
    ],
    ['channel_disabled', { guild: guild({ disabled_channels: [THREAD] }) }, { thread_id: THREAD }],
    ['channel_disabled', { guild: guild({ disabled_channels: [CHANNEL] }) }, { thread_id: THREAD }],
    ['channel_disabled', { guild: guild({ disabled_channels: [CHANNEL] }) }, { content: '\\\\\\' }],
    ['proxying_disabled', { systemGuild: inGuild({ proxying_enabled: false }) }, { content: '' }],
    [
      'proxying_disabled',
      { systemGuild: inGuild({ proxying_enabled: false }) },
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
    ['escaped', { ...frontless, fronters: [1] }, { content: '\\\\hi' }],
    ['nobody_fronting', frontless, {}],
    ['nobody_fronting', { ...frontless, fronters: [99, 1] }, {}],
    ['nothing_latched', { autoproxy: { mode: 'latch', member: null, last_latch: null } }, {}],
    [
      'nothing_latched',
      { autoproxy: { mode: 'latch', member: 99, last_latch: NOW - 7 * HOUR } },
      {},
    ],
    ['member_autoproxy_disabled', { ...latched, members: shy }, {}],
    ['member_autoproxy_disabled', { ...frontless, fronters: [1], members: shy }, {}],
    ['latch_expired', latched, {}],
  ]
  test.each(rows)('%s comes before every later reason (%#)', (reason, overrides, message) => {
    const context = overrides && world(overrides)
    expect(decide(context, said(message))).toEqual({ action: 'ignore', reason })
  })

  test('there is no reason that cannot happen', () => {
    expect(new Set(rows.map(([reason]) => reason))).toEqual(new Set(ignoreReasons))
  })

  test('another channel of the list disables nothing', () => {
    const context = world({ guild: guild({ disabled_channels: [THREAD] }) })
    expect(proxied(context, { content: '[hi]' }).message.content).toBe('hi')
  })
})

describe('backslashes', () => {
  const latch = { autoproxy: { mode: 'latch', member: 1, last_latch: NOW } } as const
  const front = {
    autoproxy: { mode: 'front', member: null, last_latch: null },
    fronters: [1],
  } as const
  const backslashed = [wren({ proxy_tags: [around('\\')] })]

  test.each<[string, Partial<ProxyContext>, Partial<ProxyMessage>, Decision['action']]>([
    ['three turn autoproxy off', front, { content: '\\\\\\ hi' }, 'autoproxy_off'],
    ['three turn a latch off', latch, { content: '\\\\\\ hi' }, 'autoproxy_off'],
    ['three win when it is off already', {}, { content: '\\\\\\' }, 'autoproxy_off'],
    ['three may stand apart unseen', latch, { content: '\\\u200B\\\u200B\\' }, 'autoproxy_off'],
    ['three win over tags', { members: backslashed }, { content: '\\\\\\hi' }, 'autoproxy_off'],
    ['three work in an edit', latch, { content: '\\\\\\hi', is_edit: true }, 'autoproxy_off'],
    ['two unlatch', latch, { content: '\\\\hi' }, 'unlatch'],
    ['two may stand apart unseen', latch, { content: '\\\u200B\\hi' }, 'unlatch'],
    ['two win over the tags behind them', latch, { content: '\\\\[hello]' }, 'unlatch'],
    ['two win over a tag', { ...latch, members: backslashed }, { content: '\\\\hi' }, 'unlatch'],
    ['two work in an edit', latch, { content: '\\\\hi', is_edit: true }, 'unlatch'],
    ['two are nothing special but in latch mode', front, { content: '\\\\hi' }, 'ignore'],
    ['two are text to a tag', { ...front, members: backslashed }, { content: '\\\\hi' }, 'proxy'],
    ['one does not stop a tag', { ...latch, members: backslashed }, { content: '\\hi' }, 'proxy'],
    ['one stops autoproxy', latch, { content: '\\hi' }, 'ignore'],
    ['one in the middle stops nothing', latch, { content: 'hi \\\\\\' }, 'proxy'],
  ])('%s', (_, context, message, action) => {
    expect(decide(world(context), said(message)).action).toBe(action)
  })
})

describe('matching', () => {
  test('tags tell the member and what is inside them', () => {
    expect(decide(world({}), said({ content: '[hi]' }))).toEqual({
      action: 'proxy',
      member: wren({}),
      matched: { by: 'tags', tag: around('[', ']'), mode: null },
      message: { content: 'hi', name: 'Wren', plain_name: 'Wren', avatar_url: null, tts: false },
    })
  })

  test('tags win over autoproxy, and work where the account has it off', () => {
    const finch = wren({ id: 2, name: 'Finch', proxy_tags: [] })
    const context = world({
      members: [wren({}), finch],
      autoproxy: { mode: 'member', member: 2, last_latch: null },
      account: { autoproxy_enabled: false },
    })
    expect(proxied(context, { content: '[hi]' }).member.name).toBe('Wren')
  })

  test('tags work in an edited message', () => {
    expect(proxied(world({}), { content: '[hi]', is_edit: true }).matched.by).toBe('tags')
  })

  test('the case of a tag matters unless the system says otherwise', () => {
    const members = [wren({ proxy_tags: [around('W:')] })]
    const loose = { ...world({}).settings, case_sensitive_proxy_tags: false }
    expect(decide(world({ members }), said({ content: 'w:hi' })).action).toBe('ignore')
    expect(proxied(world({ members, settings: loose }), { content: 'w:hi' }).message.content).toBe(
      'hi',
    )
  })

  test('tags around nothing count when a file comes with them', () => {
    const { matched, message } = proxied(world({}), { content: '[ ]', has_attachments: true })
    expect([matched.by, message.content]).toEqual(['tags', ' '])
  })

  test('tags around nothing are autoproxied as they stand when no file comes with them', () => {
    const context = world({ autoproxy: { mode: 'member', member: 1, last_latch: null } })
    const { matched, message } = proxied(context, { content: '[ ]' })
    expect([matched.by, message.content]).toEqual(['autoproxy', '[ ]'])
  })

  test('tags around nothing count behind a mention', () => {
    expect(proxied(world({}), { content: `${MENTION}[]` }).message.content).toBe(`${MENTION} `)
  })

  test('a poll without words is autoproxied', () => {
    const context = world({ autoproxy: { mode: 'member', member: 1, last_latch: null } })
    expect(proxied(context, { content: null, has_poll: true }).message.content).toBe('')
  })

  test('a member that reads aloud does so in proxied messages', () => {
    const context = world({ members: [wren({ tts: true })] })
    expect(proxied(context, { content: '[hi]' }).message.tts).toBe(true)
  })
})

describe('autoproxy', () => {
  const finch = wren({ id: 2, uuid: 'finch', name: 'Finch' })
  const shy = wren({ id: 2, uuid: 'finch', name: 'Finch', autoproxy_enabled: false })

  test.each<[string, Partial<ProxyContext>, string]>([
    ['front: the first fronter', { autoproxy: mode('front'), fronters: [2, 1] }, 'Finch'],
    ['front: whatever is stored', { autoproxy: mode('front', 1), fronters: [2] }, 'Finch'],
    ['latch: the stored one', { autoproxy: mode('latch', 2), fronters: [1] }, 'Finch'],
    ['member: the stored one', { autoproxy: mode('member', 2), fronters: [1] }, 'Finch'],
    [
      'member: even one that autoproxy may not choose',
      { autoproxy: mode('member', 2), members: [wren({}), shy] },
      'Finch',
    ],
  ])('%s', (_, overrides, name) => {
    const context = world({ members: [wren({}), finch], ...overrides })
    const { member, matched, message } = proxied(context, { content: `${MENTION}hi ` })
    expect(member.name).toBe(name)
    expect(matched).toEqual({ by: 'autoproxy', tag: null, mode: context.autoproxy.mode })
    expect(message.content).toBe(`${MENTION}hi `)
  })

  test('nobody is the target while it is off, or while nobody fronts', () => {
    expect(autoproxyTarget({ autoproxy: mode('off', 1), fronters: [2] })).toBeNull()
    expect(autoproxyTarget({ autoproxy: mode('front', 1), fronters: [] })).toBeNull()
  })

  test.each<[string, number | null, number | null, boolean]>([
    ['6 hours by default', null, 6 * HOUR, true],
    ['not a moment over 6 hours by default', null, 6 * HOUR + 1, false],
    ['as long as the system says', 60, 60 * SECOND, true],
    ['not a moment longer than the system says', 60, 60 * SECOND + 1, false],
    ['for ever when the system says 0', 0, 10_000 * HOUR, true],
    ['while it has no time to count from', 60, null, true],
  ])('a latch holds %s', (_, latch_timeout, age, holds) => {
    const last_latch = age === null ? null : NOW - age
    const context = world({
      autoproxy: { mode: 'latch', member: 1, last_latch },
      settings: { ...world({}).settings, latch_timeout },
    })
    const expected = holds ? { action: 'proxy' } : { action: 'ignore', reason: 'latch_expired' }
    expect(decide(context, said({}))).toMatchObject(expected)
  })

  test('only a latch times out', () => {
    const old = { mode: 'member', member: 1, last_latch: NOW - 7 * HOUR } as const
    expect(decide(world({ autoproxy: old }), said({})).action).toBe('proxy')
  })
})

describe('kept tags', () => {
  const autoproxied = { autoproxy: mode('member', 1) }

  test.each<[string, Partial<ProxyMember>, Partial<ProxyContext>, string, string]>([
    ['stay when the member keeps them', { keep_proxy: true }, {}, '[hi]', '[hi]'],
    ['stay when the guild keeps them', { guild: here({ keep_proxy: true }) }, {}, '[hi]', '[hi]'],
    [
      'go when the guild says so',
      { keep_proxy: true, guild: here({ keep_proxy: false }) },
      {},
      '[hi]',
      'hi',
    ],
    ['stay when the guild says nothing', { keep_proxy: true, guild: here({}) }, {}, '[hi]', '[hi]'],
    ['hold a leading mention', { keep_proxy: true }, {}, `${MENTION}[hi]`, `[${MENTION} hi]`],
    ['are those that matched', { keep_proxy: true }, {}, 'w:hi', 'w:hi'],
    ['are the first with autoproxy', { keep_proxy: true }, autoproxied, 'hi', '[hi]'],
    ['are none without tags', { keep_proxy: true, proxy_tags: [] }, autoproxied, 'hi', 'hi'],
    [
      'are the stored ones, whatever the case',
      { keep_proxy: true, proxy_tags: [around('W:')] },
      loose(),
      'w:hi',
      'W:hi',
    ],
  ])('%s', (_, member, overrides, content, expected) => {
    const tags = [around('[', ']'), around('w:')]
    const context = world({ members: [wren({ proxy_tags: tags, ...member })], ...overrides })
    expect(proxied(context, { content }).message.content).toBe(expected)
  })
})

describe('refused', () => {
  const strict = guild({ require_system_tag: true })
  const tagged = { tag: '| Hill', avatar_url: null }
  const untagged = { tag: null, avatar_url: null }
  const longName = [wren({ name: 'w'.repeat(81) })]
  const long = { content: `[${'a'.repeat(2001)}]` }
  const short = { content: '[hi]' }

  test.each<[RefuseReason, Partial<ProxyContext>, Partial<ProxyMessage>]>([
    ['too_long', { guild: strict, members: longName }, long],
    ['too_long', { members: [wren({ keep_proxy: true })] }, { content: `[${'a'.repeat(1999)}]` }],
    ['tag_required', { guild: strict, members: longName }, short],
    [
      'tag_required',
      { guild: strict, system: tagged, systemGuild: inGuild({ tag_enabled: false }) },
      short,
    ],
    [
      'tag_required',
      { guild: strict, systemGuild: inGuild({ tag: '| Lantern', tag_enabled: false }) },
      short,
    ],
    [
      'tag_required',
      { guild: strict, system: tagged, systemGuild: inGuild({ name_format: '{name}' }) },
      short,
    ],
    [
      'tag_required',
      { guild: strict, system: tagged, settings: { ...world({}).settings, name_format: '{name}' } },
      short,
    ],
    ['name_too_long', { members: longName }, short],
    ['name_too_long', { system: tagged, members: [wren({ name: 'w'.repeat(75) })] }, short],
  ])('%s comes before every later reason (%#)', (reason, overrides, message) => {
    const decision = decide(world(overrides), said(message))
    expect(decision).toMatchObject({ action: 'refuse', reason, notify: true })
    expect(decision).toHaveProperty('text', expect.stringMatching(/^[A-Z].+\.$/))
  })

  test('every reason has its own words', () => {
    const texts = [
      decide(world({}), said(long)),
      decide(world({ guild: strict, system: untagged }), said(short)),
      decide(world({ members: longName }), said(short)),
    ].map((decision) => decision.action === 'refuse' && decision.text)
    expect(new Set(texts).size).toBe(refuseReasons.length)
  })

  test('a system that wants no error messages gets none', () => {
    const settings = { ...world({}).settings, proxy_error_message_enabled: false }
    expect(decide(world({ settings }), said(long))).toMatchObject({
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
      { guild: strict, systemGuild: inGuild({ tag: '| Lantern' }) },
      short,
    ],
  ])('%s is fine', (_, overrides, message) => {
    expect(decide(world(overrides), said(message)).action).toBe('proxy')
  })

  test('a message nobody would say is ignored, not refused', () => {
    expect(decide(world({ guild: strict }), said({ content: 'a'.repeat(3000) })).action).toBe(
      'ignore',
    )
  })
})

describe('name', () => {
  const tagged = { tag: '| Hill', avatar_url: null }
  const named = { display_name: 'Wren of the Hill' }
  const format = (name_format: string) => ({ ...world({}).settings, name_format })

  test.each<[string, Partial<ProxyMember>, Partial<ProxyContext>, string]>([
    ['the name', {}, {}, 'Wren'],
    ['the display name before the name', named, {}, 'Wren of the Hill'],
    [
      'the name in this guild before both',
      { ...named, guild: here({ display_name: 'W' }) },
      { system: tagged },
      'W | Hill',
    ],
    ['a guild that says nothing changes nothing', { guild: here({}) }, {}, 'Wren'],
    ['the tag of the system', {}, { system: tagged }, 'Wren | Hill'],
    [
      'the tag in this guild before it',
      {},
      { system: tagged, systemGuild: inGuild({ tag: '⛰' }) },
      'Wren ⛰',
    ],
    [
      'no tag where it is disabled',
      {},
      { system: tagged, systemGuild: inGuild({ tag: '⛰', tag_enabled: false }) },
      'Wren',
    ],
    [
      'the format of the system',
      {},
      { system: tagged, settings: format('{tag} {name}') },
      '| Hill Wren',
    ],
    [
      'the format in this guild before it',
      {},
      {
        system: tagged,
        settings: format('{tag}'),
        systemGuild: inGuild({ name_format: '{name}!' }),
      },
      'Wren!',
    ],
    ['what is around a missing tag stays', {}, { settings: format('{name} | {tag}') }, 'Wren |'],
    [
      'every mark of the format is replaced',
      {},
      { system: tagged, settings: format('{name}{name}{tag}{tag}') },
      'WrenWren| Hill| Hill',
    ],
    [
      'a name in the tag is expanded',
      {},
      { system: { tag: '({name})', avatar_url: null } },
      'Wren (Wren)',
    ],
    ['a tag in the name is not', { name: '{tag}' }, { system: tagged }, '{tag} | Hill'],
    [
      'dollars are only dollars',
      { name: '$& $1' },
      { system: { tag: '$$', avatar_url: null } },
      '$& $1 $$',
    ],
    [
      'the system’s name in this guild plays no part',
      {},
      { systemGuild: inGuild({ display_name: 'The Hill' }) },
      'Wren',
    ],
  ])('%s', (_, member, overrides, expected) => {
    const context = world({ members: [wren(member)], ...overrides })
    expect(proxied(context, { content: '[hi]' }).message.plain_name).toBe(expected)
  })

  test.each<[string, ProxyMessage['previous'], string]>([
    ['nothing before it', null, 'Wren'],
    ['another name', { name: 'Finch', member: 'finch' }, 'Wren'],
    ['its own message', { name: 'Wren', member: 'wren' }, 'Wren'],
    ['a stranger of the name', { name: 'Wren', member: null }, `Wren${MARK}`],
    ['another member of the name', { name: 'Wren', member: 'finch' }, `Wren${MARK}`],
    ['its own marked message', { name: `Wren${MARK}`, member: 'wren' }, `Wren${MARK}`],
    ['another member, marked', { name: `Wren${MARK}`, member: 'finch' }, 'Wren'],
    ['a name of another case', { name: 'wren', member: null }, 'Wren'],
  ])('after %s it is told apart as needed', (_, previous, expected) => {
    const { name, plain_name } = proxied(world({}), { content: '[hi]', previous }).message
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
    ['W', `W${UNSEEN}`],
    ['🐦', '🐦'],
    [`clyde${'w'.repeat(75)}`, `c${HAIR}lyde${'w'.repeat(74)}`],
    [`clyde${'w'.repeat(73)}🐦`, `c${HAIR}lyde${'w'.repeat(73)}`],
  ])('%s is spelled so that Discord takes it', (given, expected) => {
    const context = world({ members: [wren({ name: given })] })
    const { name, plain_name } = proxied(context, { content: '[hi]' }).message
    expect([name, plain_name]).toEqual([expected, given])
  })

  test('a name that Discord shows changed is still told apart', () => {
    const context = world({ members: [wren({ name: 'Clyde' })] })
    const say = (name: string, member: string | null) =>
      proxied(context, { content: '[hi]', previous: { name, member } }).message.name
    expect(say(`C${HAIR}lyde`, 'finch')).toBe(`C${HAIR}lyde${MARK}`)
    expect(say(`C${HAIR}lyde${MARK}`, 'wren')).toBe(`C${HAIR}lyde${MARK}`)
  })

  test('a name of one letter that is told apart needs no more', () => {
    const context = world({ members: [wren({ name: 'W' })] })
    const previous = { name: 'W', member: null }
    expect(proxied(context, { content: '[hi]', previous }).message.name).toBe(`W${MARK}`)
  })
})

describe('avatar', () => {
  const urls = ['guild', 'webhook', 'own', 'system-guild', 'system'].map(
    (at) => `https://x.test/${at}`,
  )

  test('the nearest one that is set is shown', () => {
    for (let first = 0; first <= urls.length; first++) {
      const [guildUrl, webhook, own, systemGuild, system] = urls.map((url, at) =>
        at < first ? null : url,
      )
      const context = world({
        members: [
          wren({
            guild: here({ avatar_url: guildUrl ?? null }),
            webhook_avatar_url: webhook ?? null,
            avatar_url: own ?? null,
          }),
        ],
        systemGuild: inGuild({ avatar_url: systemGuild ?? null }),
        system: { tag: null, avatar_url: system ?? null },
      })
      expect(proxied(context, { content: '[hi]' }).message.avatar_url).toBe(urls[first] ?? null)
    }
  })

  const file = 'attachments/123456789012345678/234567890123456789/wren.png'
  const small = `https://media.discordapp.net/${file}?width=256&height=256`
  test.each<[string, string]>([
    [`https://cdn.discordapp.com/${file}`, small],
    [`http://media.discordapp.net/${file}`, small],
    [`https://cdn.discordapp.com/${file}?`, small],
    [`https://cdn.discordapp.com/${file}?ex=1&hm=2`, `${small}&ex=1&hm=2`],
    ['https://cdn.discordapp.com/avatars/1/2.png', 'https://cdn.discordapp.com/avatars/1/2.png'],
    [`https://cdn.discordapp.com.x.test/${file}`, `https://cdn.discordapp.com.x.test/${file}`],
  ])('%s is made small if it is an attachment of Discord', (avatar_url, expected) => {
    const context = world({ members: [wren({ avatar_url })] })
    expect(proxied(context, { content: '[hi]' }).message.avatar_url).toBe(expected)
  })
})

describe('switching by proxy', () => {
  test.each<[Parameters<typeof switchEffect>, ReturnType<typeof switchEffect>]>([
    [['off', [], 1], { kind: 'none' }],
    [['off', [2], 1], { kind: 'none' }],
    [['new', [], 1], { kind: 'new', members: [1] }],
    [['new', [2], 1], { kind: 'new', members: [1] }],
    [['new', [2, 1], 1], { kind: 'none' }],
    [['add', [], 1], { kind: 'new', members: [1] }],
    [['add', [3, 2], 1], { kind: 'append', members: [3, 2, 1] }],
    [['add', [2, 1], 1], { kind: 'none' }],
  ])('%j', (given, expected) => {
    expect(switchEffect(...given)).toEqual(expected)
  })
})

describe('for any text', () => {
  // Few letters, so that tags meet texts; among them those that fold, grow, pair or are trimmed.
  const letter = fc.constantFrom(...'aAbσΣςİiı<>[] \uFE0F@:1', '𐐀', '𐐨', MENTION, '<:a:1>')
  const part = fc.option(fc.string({ unit: letter, maxLength: 4 }))
  const tag = fc
    .record({ prefix: part, suffix: part })
    .filter((tag) => lengthOf(tag) <= MAX_TAG_AFFIXES)
  const team = fc
    .array(fc.array(tag, { maxLength: 4 }), { maxLength: 4 })
    .map((lists) => people(Object.fromEntries(lists.map((tags, at) => [`m${at}`, tags]))))
  const units = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((codes) => String.fromCharCode(...codes))
  const words = fc.string({ unit: letter, maxLength: 12 })
  /** A team and a text, mostly one that somebody's tag is around, in its own case or another. */
  const scene = team.chain((members) => {
    const tags = members.flatMap((member) => member.proxy_tags)
    const meant = fc
      .record({
        tag: tags.length > 0 ? fc.constantFrom(...tags) : tag,
        inner: fc.string({ unit: letter, maxLength: 3 }),
        mention: fc.constantFrom('', MENTION),
        spell: fc.constantFrom((text: string) => text, swapCase),
      })
      .map(({ tag: { prefix, suffix }, inner, mention, spell }) =>
        mention.concat(spell(`${prefix ?? ''}${inner}${suffix ?? ''}`)),
      )
    return fc.tuple(fc.constant(members), fc.oneof(meant, meant, words, units), fc.boolean())
  })

  test('deciding never throws, and proxies only what fits', () => {
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
            world({ members, autoproxy: mode('latch', 1) }),
            said({ content, ...flags }),
          )
          if (decision.action !== 'proxy') return
          expect(decision.message.name.length).toBeLessThanOrEqual(80)
          expect(decision.message.content.length).toBeLessThanOrEqual(2000)
        },
      ),
    )
  })

  test('what a tag leaves is the text without it, and a mention stays in front', () => {
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
        const lost = body.trim() === prefix.trimEnd() + suffix.trimStart()
        expect(lost ? ['', between] : [between]).toContain(inner)
      }),
      { numRuns: 1000 },
    )
  })

  test('the longest of the tags that match alone wins, and the first among equals', () => {
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
      { numRuns: 1000 },
    )
  })

  test('a tag that matches with its case matches without it', () => {
    fc.assert(
      fc.property(scene, ([members, content]) => {
        for (const member of members)
          for (const tag of member.proxy_tags) {
            const alone = [{ ...member, proxy_tags: [tag] }]
            const match = matchTags(alone, content, true)
            if (match) expect(matchTags(alone, content, false)?.content).toBe(match.content)
          }
      }),
      { numRuns: 1000 },
    )
  })

  test('a tag that matches is found by its keys', () => {
    fc.assert(
      fc.property(scene, ([members, content, caseSensitive]) => {
        for (const member of members)
          for (const tag of member.proxy_tags)
            if (matchTags([{ ...member, proxy_tags: [tag] }], content, caseSensitive))
              expect(isFound(tag, content)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('keys', () => {
  test.each<[string, ProxyTag, string, boolean]>([
    ['a tag around the text is found', around('[', ']'), '[hi]', true],
    ['a tag of another case is found', around('W:'), 'w:hi', true],
    ['a tag behind a mention is found', around('w:'), `${MENTION}w:hi`, true],
    ['a tag that lost its spaces is found', around('{ ', ' }'), '{}', true],
    ['a tag of spaces is found for an empty text', around(' '), '', true],
    ['the longest prefix there can be is found', around('w'.repeat(95)), 'w'.repeat(99), true],
    [
      'the longest suffix there can be is found',
      around(null, 'w'.repeat(95)),
      'w'.repeat(99),
      true,
    ],
    ['a tag with half its parts is not found', around('[', ')'), '[hi]', false],
    ['another tag is not found', around('{', '}'), '[hi]', false],
    ['a tag in the middle is not found', around('w:'), 'hi w:hi', false],
  ])('%s', (_, tag, content, found) => {
    expect(isFound(tag, content)).toBe(found)
  })

  test('a text has short keys, however long it is', () => {
    const { head, tail, bare } = keysOfContent('ab'.repeat(2000), true)
    expect([head.length, tail.length, bare]).toEqual([MAX_TAG_AFFIXES, MAX_TAG_AFFIXES, null])
  })

  test('no key is half a letter', () => {
    const { head, tail } = keysOfContent(`a${'🐦'.repeat(100)}a`, true)
    expect([head, tail]).toEqual([`a${'🐦'.repeat(47)}`, `${'🐦'.repeat(47)}a`])
    expect(keysOfContent(`🐦${'a'.repeat(94)}🐦${'a'.repeat(94)}🐦`, true)).toMatchObject({
      head: `🐦${'a'.repeat(93)}`,
      tail: `${'a'.repeat(93)}🐦`,
    })
  })

  test.each([
    ['a zero', 'ab\0c\0de'],
    ['half a letter', 'ab\ud83dc\udc26de'],
  ])('no key has what no tag can have: %s', (_, content) => {
    expect(keysOfContent(content, true)).toMatchObject({ head: 'ab', tail: 'de', bare: null })
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

function people(tags: Record<string, ProxyTag[]>): ProxyMember[] {
  return Object.entries(tags).map(([name, proxy_tags], at) =>
    wren({ id: at + 1, uuid: name, name, proxy_tags }),
  )
}

function world(overrides: Partial<ProxyContext>): ProxyContext {
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

function loose(): Partial<ProxyContext> {
  return { settings: { ...world({}).settings, case_sensitive_proxy_tags: false } }
}

function guild(overrides: Partial<ProxyContext['guild']>): ProxyContext['guild'] {
  return { disabled_channels: [], require_system_tag: false, ...overrides }
}

function inGuild(overrides: Partial<SystemGuild>): SystemGuild {
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

function here(overrides: Partial<MemberGuild>): MemberGuild {
  return { display_name: null, avatar_url: null, keep_proxy: null, ...overrides }
}

function said(overrides: Partial<ProxyMessage>): ProxyMessage {
  return {
    platform: DISCORD,
    channel_id: CHANNEL,
    thread_id: null,
    content: 'hi',
    has_attachments: false,
    has_poll: false,
    is_edit: false,
    previous: null,
    limits: usualLimits,
    at: NOW,
    ...overrides,
  }
}

function proxied(context: ProxyContext, message: Partial<ProxyMessage>) {
  const decision = decide(context, said(message))
  if (decision.action !== 'proxy') throw new Error(`not proxied: ${JSON.stringify(decision)}`)
  return decision
}

function isFound(tag: ProxyTag, content: string): boolean {
  const { prefix_key, suffix_key, bare_key } = keysOfTag(tag)
  const { head, tail, bare, counts } = keysOfContent(content, false)
  const isAround = head.startsWith(prefix_key) && tail.endsWith(suffix_key)
  return (isAround && counts(prefix_key, suffix_key)) || bare === bare_key
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
