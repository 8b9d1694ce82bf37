import { createInstants } from '../../../src/app/app'
import { SECOND } from '../../../src/model/core/time'
import { ignoreReasons } from '../../../src/model/proxy/decide'
import { systemClock } from '../../../src/runtime/timers/clock'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createBotFixtures } from './botFixture'
import {
  AUTOPROXY,
  account,
  autoproxy,
  customFront,
  fronting,
  guild,
  ignored,
  member,
  type ProxyScenarios,
  proxied,
  recordMessageStep,
  refused,
  runProxyScenarios,
  sendMessage,
  settings,
  systemInGuild,
} from './proxyScenarios'

let clock = createInstants(systemClock)
const testApp = createTestApp({ now: () => clock() })
const createBotFixture = createBotFixtures(testApp)

const LATCHED = '2024-05-01T12:00:00Z'
const latched = { autoproxy_mode: 'latch', autoproxy_member: '<finch>' }

const autoproxies: ProxyScenarios = {
  'a message without tags and without autoproxy is ignored': {
    message: 'hello',
    decision: ignored('no_match'),
  },
  'front mode proxies as the first member of the latest switch': {
    given: [fronting('wren'), fronting('heron', 'wren'), autoproxy('front')],
    message: 'hello',
    decision: proxied('heron', 'front', { content: 'hello' }),
  },
  'front mode ignores messages before the first switch': {
    given: [autoproxy('front')],
    message: 'hello',
    decision: ignored('nobody_fronting'),
  },
  'front mode ignores messages after a switch without members': {
    given: [fronting('wren'), fronting(), autoproxy('front')],
    message: 'hello',
    decision: ignored('nobody_fronting'),
  },
  'front mode ignores messages when the member has autoproxy disabled': {
    given: [
      fronting('wren', 'finch'),
      autoproxy('front'),
      member('wren', { autoproxy_enabled: false }),
    ],
    message: 'hello',
    decision: ignored('member_autoproxy_disabled'),
  },
  'front mode skips a custom front before a member': {
    given: [customFront('heron'), fronting('heron', 'wren'), autoproxy('front')],
    message: 'hello',
    decision: proxied('wren', 'front', { content: 'hello' }),
  },
  'front mode proxies as a member before a custom front': {
    given: [customFront('heron'), fronting('wren', 'heron'), autoproxy('front')],
    message: 'hello',
    decision: proxied('wren', 'front', { content: 'hello' }),
  },
  'front mode ignores messages when only a custom front is in front': {
    given: [customFront('heron'), fronting('heron'), autoproxy('front')],
    message: 'hello',
    decision: ignored('nobody_fronting'),
  },
  'front mode proxies as a former custom front': {
    given: [
      customFront('heron'),
      fronting('heron', 'wren'),
      autoproxy('front'),
      ['PATCH /ext/v1/members/<heron>', { kind: 'member' }],
    ],
    message: 'hello',
    decision: proxied('heron', 'front', { content: 'hello' }),
  },
  'tags of a custom front proxy as it': {
    given: [customFront('wren'), fronting('finch'), autoproxy('front')],
    message: 'w:hello',
    decision: proxied('wren', 'tags', { content: 'hello' }),
  },
  'member mode proxies as the chosen member whatever the front': {
    given: [fronting('wren'), autoproxy('member', 'heron')],
    message: 'hello',
    decision: proxied('heron', 'member', { content: 'hello' }),
  },
  'member mode proxies as a member that has autoproxy disabled': {
    given: [autoproxy('member', 'heron'), member('heron', { autoproxy_enabled: false })],
    message: 'hello',
    decision: proxied('heron', 'member'),
  },
  'member mode ignores messages when the chosen member was deleted': {
    given: [autoproxy('member', 'heron'), ['DELETE /v2/members/<heron>']],
    message: 'hello',
    decision: ignored('no_match'),
  },
  'latch mode ignores messages before the first proxied message': {
    given: [autoproxy('latch')],
    message: 'hello',
    decision: ignored('nothing_latched'),
  },
  'latch mode proxies as the member of the last message': {
    given: [autoproxy('latch'), recordMessageStep('finch')],
    message: 'hello',
    decision: proxied('finch', 'latch', { content: 'hello' }),
  },
  'latch mode ignores messages when the member has autoproxy disabled': {
    given: [
      autoproxy('latch'),
      recordMessageStep('finch'),
      member('finch', { autoproxy_enabled: false }),
    ],
    message: 'hello',
    decision: ignored('member_autoproxy_disabled'),
  },
  'tags take precedence over autoproxy': {
    given: [autoproxy('member', 'heron')],
    message: 'w:hello',
    decision: proxied('wren', 'tags', { content: 'hello' }),
  },
  'tags without content leave the whole text to autoproxy': {
    given: [autoproxy('member', 'heron')],
    message: '[ ]',
    decision: proxied('heron', 'member', { content: '[ ]' }),
  },
  'autoproxy of one guild does not apply in another': {
    given: [autoproxy('member', 'heron')],
    message: { content: 'hello', guild_id: '1' },
    decision: ignored('no_match'),
  },
  'an edited message is matched by its tags': {
    given: [autoproxy('member', 'heron')],
    message: { content: 'w:hello', is_edit: true },
    decision: proxied('wren', 'tags'),
  },
}

/** Timeout of the system, and time of a message after a latch of 12:00. */
const timeouts: [timeout: number | null, at: string, isHeld: boolean][] = [
  [null, '2024-05-01T18:00:00Z', true],
  [null, '2024-05-01T18:00:00.000001Z', false],
  [60, '2024-05-01T12:01:00Z', true],
  [60, '2024-05-01T12:01:00.000001Z', false],
  [60, '2024-05-01T14:01:00+02:00', true],
  [0, '2044-05-01T12:00:00Z', true],
  [60, '2024-05-01T11:00:00Z', true],
]
const latches: ProxyScenarios = Object.fromEntries(
  timeouts.map(([latch_timeout, at, isHeld]) => [
    `a latch with a timeout of ${latch_timeout ?? 'default'} seconds ${isHeld ? 'holds' : 'expires'} at ${at}`,
    {
      given: [settings({ latch_timeout }), autoproxy('latch'), recordMessageStep('finch', LATCHED)],
      message: { content: 'hello', at },
      decision: isHeld ? proxied('finch', 'latch') : ignored('latch_expired'),
      after: [AUTOPROXY, { ...latched, last_latch_timestamp: LATCHED }],
    },
  ]),
)

const ignoredMessages: ProxyScenarios = {
  'ignores an account without a system': {
    message: { content: 'w:hello', account_id: '1' },
    decision: ignored('no_system'),
  },
  'ignores an unlinked account': {
    given: [['DELETE /bot/systems/<system>/accounts/<account>']],
    message: 'w:hello',
    decision: ignored('no_system'),
  },
  'ignores a disabled channel': {
    given: [
      guild({ disabled_channels: ['1', '<channel>'] }),
      systemInGuild({ proxying_enabled: false }),
    ],
    message: 'w:hello',
    decision: ignored('channel_disabled'),
  },
  'ignores a disabled thread': {
    given: [guild({ disabled_channels: ['77'] })],
    message: { content: 'w:hello', thread_id: '77' },
    decision: ignored('channel_disabled'),
  },
  'ignores a thread of a disabled channel': {
    given: [guild({ disabled_channels: ['<channel>'] })],
    message: { content: 'w:hello', thread_id: '77' },
    decision: ignored('channel_disabled'),
  },
  'proxies in a channel that another guild has disabled': {
    given: [['PATCH /bot/guilds/1', { disabled_channels: ['<channel>'] }]],
    message: 'w:hello',
    decision: proxied('wren', 'tags'),
  },
  'ignores a guild where the system has disabled proxying': {
    given: [systemInGuild({ proxying_enabled: false })],
    message: { content: ' ' },
    decision: ignored('proxying_disabled'),
  },
  'ignores a message of white space': {
    given: [autoproxy('member', 'heron')],
    message: ' \n',
    decision: ignored('empty'),
  },
  'ignores a message with null as content': {
    given: [autoproxy('member', 'heron')],
    message: { content: null },
    decision: ignored('empty'),
  },
  ...Object.fromEntries(
    ['has_attachments', 'has_poll'].map((key) => [
      `proxies a message without text that ${key.replace('_', ' ')}`,
      {
        given: [autoproxy('member', 'heron')],
        message: { content: null, [key]: true },
        decision: proxied('heron', 'member', { content: '' }),
      },
    ]),
  ),
}

/** All reasons to ignore an autoproxied message at once, to test which is checked first. */
const allReasons = [
  account({ autoproxy_enabled: false }),
  settings({ latch_timeout: 1 }),
  autoproxy('latch'),
  recordMessageStep('finch', LATCHED),
  member('finch', { autoproxy_enabled: false }),
]
const edit = { content: '\\hello', is_edit: true }
const order: ProxyScenarios = {
  'the reason no_match is checked before edited': {
    given: [...allReasons, autoproxy('off')],
    message: edit,
    decision: ignored('no_match'),
  },
  'the reason edited is checked before account_autoproxy_disabled': {
    given: allReasons,
    message: edit,
    decision: ignored('edited'),
  },
  'the reason account_autoproxy_disabled is checked before escaped': {
    given: allReasons,
    message: '\\hello',
    decision: ignored('account_autoproxy_disabled'),
  },
  'the reason escaped is checked before nothing_latched': {
    given: [autoproxy('latch')],
    message: '\\hello',
    decision: ignored('escaped'),
  },
  'the reason escaped is checked before nobody_fronting': {
    given: [autoproxy('front')],
    message: '\\hello',
    decision: ignored('escaped'),
  },
  'the reason member_autoproxy_disabled is checked before latch_expired': {
    given: [...allReasons, account({ autoproxy_enabled: true })],
    message: 'hello',
    decision: ignored('member_autoproxy_disabled'),
  },
  'an account with autoproxy disabled is still matched by tags': {
    given: allReasons,
    message: 'w:hello',
    decision: proxied('wren', 'tags'),
  },
}

/** Expected decision to proxy as a named member. */
const proxiedAs = (name: string, message: object) => ({
  ...proxied(name, 'as', { ...message }),
  matched: { by: 'as', tag: null, mode: null },
})

const named: ProxyScenarios = {
  'a named member is proxied without tags and without autoproxy': {
    message: { content: 'hello', as: '<heron>' },
    decision: proxiedAs('heron', { content: 'hello', plain_name: 'Heron' }),
  },
  'a named member is proxied whatever autoproxy and the account say': {
    given: [fronting('wren'), autoproxy('front'), account({ autoproxy_enabled: false })],
    message: { content: 'hello', as: '<heron.uuid>', is_edit: true },
    decision: proxiedAs('heron', { content: 'hello' }),
  },
  'the tags of another member are removed for a named member': {
    message: { content: '[hello]', as: '<heron>' },
    decision: proxiedAs('heron', { content: 'hello' }),
  },
  'tags around nothing are kept for a named member': {
    message: { content: '[]', as: '<heron>' },
    decision: proxiedAs('heron', { content: '[]' }),
  },
  'a named member that keeps its tags gets its own first tags': {
    given: [member('wren', { keep_proxy: true })],
    message: { content: '[hello]', as: '<wren>' },
    decision: proxiedAs('wren', { content: 'w:hello' }),
  },
  'backslash commands are text for a named member': {
    given: [autoproxy('latch', 'finch')],
    message: { content: '\\\\\\ hello', as: '<wren>' },
    decision: proxiedAs('wren', { content: '\\\\\\ hello' }),
    after: [AUTOPROXY, { autoproxy_mode: 'latch', autoproxy_member: '<finch>' }],
  },
  'an attachment without text is proxied as a named member': {
    message: { content: null, as: '<wren>', has_attachments: true },
    decision: proxiedAs('wren', { content: '' }),
  },
  'a named member is not proxied in a disabled channel': {
    given: [guild({ disabled_channels: ['<channel>'] })],
    message: { content: 'hello', as: '<wren>' },
    decision: ignored('channel_disabled'),
  },
  'a named member is not proxied where its system has disabled proxying': {
    given: [systemInGuild({ proxying_enabled: false })],
    message: { content: 'hello', as: '<wren>' },
    decision: ignored('proxying_disabled'),
  },
  'an empty message is not proxied as a named member': {
    message: { content: ' ', as: '<wren>' },
    decision: ignored('empty'),
  },
  'a named member of a system without a required tag is refused': {
    given: [guild({ require_system_tag: true })],
    message: { content: 'hello', as: '<wren>' },
    decision: refused('tag_required'),
  },
}

const repeated: ProxyScenarios = {
  'a message whose proxied message is recorded is ignored': {
    given: [recordMessageStep('wren', LATCHED)],
    message: { content: 'w:hello', original: '<said>' },
    decision: ignored('already_proxied'),
  },
  'a message that was proxied is ignored even if its account has no system': {
    given: [recordMessageStep('wren')],
    message: { account_id: '1', content: 'w:hello', original: '<said>' },
    decision: ignored('already_proxied'),
  },
  'a command in a message that was proxied has no effect': {
    given: [autoproxy('latch', 'finch'), recordMessageStep('finch')],
    message: { content: '\\\\\\', original: '<said>' },
    decision: ignored('already_proxied'),
    after: [AUTOPROXY, { autoproxy_mode: 'latch' }],
  },
  'a message of which no proxied message is recorded is proxied': {
    given: [recordMessageStep('wren')],
    message: { content: 'w:hello', original: '<sent>' },
    decision: proxied('wren', 'tags'),
  },
  'a message whose record was deleted is proxied again': {
    given: [recordMessageStep('wren'), ['DELETE /bot/messages/<sent>']],
    message: { content: 'w:hello', original: '<said>' },
    decision: proxied('wren', 'tags'),
  },
}

describe('named members', () => {
  runProxyScenarios(testApp, createBotFixture, named)

  test('a named member must exist and belong to the system of the account', async () => {
    const [fixture, other] = [await createBotFixture(), await createBotFixture()]
    const ask = (as: string) =>
      fixture.ask('POST /bot/proxy', { ...minimalRequest(), content: 'hi', as })
    const missing = await ask('zzzzzz')
    expect([missing.status, missing.json.code]).toEqual([400, 40001])
    expect(Object.keys(missing.json.errors ?? {})).toEqual(['as'])
    const foreign = await ask(other.fill('<wren>'))
    expect([foreign.status, foreign.json.code]).toEqual([403, 30006])
  })

  test('a named member is ignored for an account without a system', async () => {
    const fixture = await createBotFixture()
    const message = { account_id: '1', content: 'hi', as: '<wren>' }
    expect(await sendMessage(fixture, message)).toEqual(ignored('no_system'))
  })
})
describe('repeated messages', () => runProxyScenarios(testApp, createBotFixture, repeated))
describe('autoproxy', () => runProxyScenarios(testApp, createBotFixture, autoproxies))
describe('latch timeout', () => runProxyScenarios(testApp, createBotFixture, latches))
describe('ignored messages', () => runProxyScenarios(testApp, createBotFixture, ignoredMessages))
describe('order of reasons', () => runProxyScenarios(testApp, createBotFixture, order))

test('every reason to ignore a message has a scenario', () => {
  const scenarios = Object.values({
    ...autoproxies,
    ...latches,
    ...ignoredMessages,
    ...order,
    ...repeated,
  })
  // Only the operator can disable a system; `test/http/server/disabled.test.ts` tests this reason.
  const covered = new Set([...scenarios.map(({ decision }) => decision.reason), 'system_disabled'])
  expect(ignoreReasons.filter((reason) => !covered.has(reason))).toEqual([])
})

test('a decision does not read the clock when the request has a time', async () => {
  const fixture = await createBotFixture()
  await fixture.doAll([autoproxy('latch'), recordMessageStep('finch', LATCHED)])
  const running = clock
  clock = () => {
    throw new Error('the clock was read')
  }
  try {
    for (const [at, expected] of [
      ['2024-05-01T12:00:00Z', proxied('finch', 'latch')],
      ['2024-05-02T12:00:00Z', ignored('latch_expired')],
      ['2024-05-01T12:00:00Z', proxied('finch', 'latch')],
    ] as const)
      expect(await sendMessage(fixture, { content: 'hello', at })).toMatchObject(
        fixture.fill(expected),
      )
  } finally {
    clock = running
  }
})

test('a decision uses the current time when the request has none', async () => {
  const fixture = await createBotFixture()
  await fixture.doAll([
    settings({ latch_timeout: 60 }),
    autoproxy('latch'),
    recordMessageStep('finch'),
  ])
  expect(await sendMessage(fixture, 'hello')).toMatchObject(fixture.fill(proxied('finch', 'latch')))
  const running = clock
  clock = () => running() + 61 * SECOND
  expect(await sendMessage(fixture, 'hello')).toEqual(ignored('latch_expired'))
  clock = running
})

/** Bodies and their invalid keys; null if the body is not an object. */
const bodies: [string, unknown, string[] | null][] = [
  ['no keys', {}, ['account_id', 'guild_id', 'channel_id', 'content']],
  [
    'everything wrong',
    {
      account_id: 5,
      guild_id: 'here',
      channel_id: null,
      thread_id: true,
      content: 7,
      has_attachments: 'yes',
      has_poll: 1,
      is_edit: null,
      previous: 'Wren',
      at: 'soon',
      as: 7,
      original: 'that',
      dry_run: 'no',
    },
    'account_id guild_id channel_id thread_id content has_attachments has_poll is_edit'
      .split(' ')
      .concat('previous', 'at', 'as', 'original', 'dry_run'),
  ],
  [
    'an ID beyond 64 bits',
    { ...minimalRequest(), account_id: '18446744073709551616' },
    ['account_id'],
  ],
  ['no content', { ...minimalRequest(), content: undefined }, ['content']],
  [
    'a previous message without a name',
    { ...minimalRequest(), previous: { member: null } },
    ['previous'],
  ],
  [
    'a previous member by its short ID',
    { ...minimalRequest(), previous: { name: 'Wren', member: '<wren>' } },
    ['previous'],
  ],
  ['a day that does not exist', { ...minimalRequest(), at: '2024-02-30T00:00:00Z' }, ['at']],
  ['a list', [], null],
  ['invalid JSON', '{', null],
]

test.each(bodies)(
  'refuses a proxy request with %s and lists every problem',
  async (_, body, problems) => {
    const fixture = await createBotFixture()
    const { status, json } = await fixture.ask('POST /bot/proxy', body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: problems ? 40001 : 0 })
    expect(Object.keys(json.errors ?? {}).toSorted()).toEqual((problems ?? []).toSorted())
  },
)

test('a proxy request needs only account, guild, channel and content', async () => {
  const fixture = await createBotFixture()
  const extremes = {
    ...minimalRequest(),
    account_id: '18446744073709551615',
    thread_id: null,
    previous: null,
  }
  for (const body of [minimalRequest(), extremes, { ...minimalRequest(), more: 'unknown' }])
    expect(await fixture.do('POST /bot/proxy', body)).toHaveProperty('action', 'ignore')
})

function minimalRequest() {
  return { account_id: '<account>', guild_id: '<guild>', channel_id: '<channel>', content: '' }
}
