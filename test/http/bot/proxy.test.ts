import { describe, expect, test } from 'bun:test'
import { ignoreReasons } from '../../../src/model/proxy/decide'
import { SECOND } from '../../../src/model/time'
import { createClock } from '../../../src/service/deps'
import { createTestApp } from '../../testApp'
import { createBotFixtures } from './botFixture'
import {
  AUTOPROXY,
  account,
  autoproxy,
  fronting,
  guild,
  ignored,
  member,
  type ProxyScenarios,
  proxied,
  runProxyScenarios,
  sendMessage,
  settings,
  spoke,
  systemInGuild,
} from './proxyScenarios'

let clock = createClock()
const here = createTestApp({ now: () => clock() })
const makeStage = createBotFixtures(here)

const LATCHED = '2024-05-01T12:00:00Z'
const latched = { autoproxy_mode: 'latch', autoproxy_member: '<finch>' }

const autoproxies: ProxyScenarios = {
  'without tags and autoproxy nobody is meant': { say: 'hello', is: ignored('no_match') },
  'front speaks as the first of the latest switch': {
    given: [fronting('wren'), fronting('heron', 'wren'), autoproxy('front')],
    say: 'hello',
    is: proxied('heron', 'front', { content: 'hello' }),
  },
  'front is nobody before the first switch': {
    given: [autoproxy('front')],
    say: 'hello',
    is: ignored('nobody_fronting'),
  },
  'front is nobody after a switch to nobody': {
    given: [fronting('wren'), fronting(), autoproxy('front')],
    say: 'hello',
    is: ignored('nobody_fronting'),
  },
  'front stays silent for a member that does not want it': {
    given: [
      fronting('wren', 'finch'),
      autoproxy('front'),
      member('wren', { autoproxy_enabled: false }),
    ],
    say: 'hello',
    is: ignored('member_autoproxy_disabled'),
  },
  'member speaks as the chosen one, whoever fronts': {
    given: [fronting('wren'), autoproxy('member', 'heron')],
    say: 'hello',
    is: proxied('heron', 'member', { content: 'hello' }),
  },
  'member speaks also for one that wants no autoproxy': {
    given: [autoproxy('member', 'heron'), member('heron', { autoproxy_enabled: false })],
    say: 'hello',
    is: proxied('heron', 'member'),
  },
  'a chosen member that is deleted leaves nobody': {
    given: [autoproxy('member', 'heron'), ['DELETE /v2/members/<heron>']],
    say: 'hello',
    is: ignored('no_match'),
  },
  'latch has nobody before anybody spoke': {
    given: [autoproxy('latch')],
    say: 'hello',
    is: ignored('nothing_latched'),
  },
  'latch speaks as whoever spoke last': {
    given: [autoproxy('latch'), spoke('finch')],
    say: 'hello',
    is: proxied('finch', 'latch', { content: 'hello' }),
  },
  'latch stays silent for a member that does not want it': {
    given: [autoproxy('latch'), spoke('finch'), member('finch', { autoproxy_enabled: false })],
    say: 'hello',
    is: ignored('member_autoproxy_disabled'),
  },
  'tags win over autoproxy': {
    given: [autoproxy('member', 'heron')],
    say: 'w:hello',
    is: proxied('wren', 'tags', { content: 'hello' }),
  },
  'tags around nothing leave the whole text to autoproxy': {
    given: [autoproxy('member', 'heron')],
    say: '[ ]',
    is: proxied('heron', 'member', { content: '[ ]' }),
  },
  'autoproxy of one guild says nothing in another': {
    given: [autoproxy('member', 'heron')],
    say: { content: 'hello', guild_id: '1' },
    is: ignored('no_match'),
  },
  'an edited message is matched by its tags': {
    given: [autoproxy('member', 'heron')],
    say: { content: 'w:hello', is_edit: true },
    is: proxied('wren', 'tags'),
  },
}

/** A latch of 12 o'clock, the time-out that the system has set, and the time of the message. */
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
    `a latch of ${latch_timeout ?? 'the usual'} seconds ${isHeld ? 'holds' : 'lets go'} at ${at}`,
    {
      given: [settings({ latch_timeout }), autoproxy('latch'), spoke('finch', LATCHED)],
      say: { content: 'hello', at },
      is: isHeld ? proxied('finch', 'latch') : ignored('latch_expired'),
      leaves: [AUTOPROXY, { ...latched, last_latch_timestamp: LATCHED }],
    },
  ]),
)

const silences: ProxyScenarios = {
  'an account without a system is left alone': {
    say: { content: 'w:hello', account_id: '1' },
    is: ignored('no_system'),
  },
  'an unlinked account is left alone': {
    given: [['DELETE /bot/systems/<system>/accounts/<account>']],
    say: 'w:hello',
    is: ignored('no_system'),
  },
  'a disabled channel is left alone': {
    given: [
      guild({ disabled_channels: ['1', '<channel>'] }),
      systemInGuild({ proxying_enabled: false }),
    ],
    say: 'w:hello',
    is: ignored('channel_disabled'),
  },
  'a disabled thread is left alone': {
    given: [guild({ disabled_channels: ['77'] })],
    say: { content: 'w:hello', thread_id: '77' },
    is: ignored('channel_disabled'),
  },
  'a thread of a disabled channel is left alone': {
    given: [guild({ disabled_channels: ['<channel>'] })],
    say: { content: 'w:hello', thread_id: '77' },
    is: ignored('channel_disabled'),
  },
  'a disabled channel of another guild does not matter': {
    given: [['PATCH /bot/guilds/1', { disabled_channels: ['<channel>'] }]],
    say: 'w:hello',
    is: proxied('wren', 'tags'),
  },
  'a guild where the system wants no proxying is left alone': {
    given: [systemInGuild({ proxying_enabled: false })],
    say: { content: ' ' },
    is: ignored('proxying_disabled'),
  },
  'nothing said is left alone': {
    given: [autoproxy('member', 'heron')],
    say: ' \n',
    is: ignored('empty'),
  },
  'null counts as nothing said': {
    given: [autoproxy('member', 'heron')],
    say: { content: null },
    is: ignored('empty'),
  },
  ...Object.fromEntries(
    ['has_attachments', 'has_poll'].map((what) => [
      `a message that only ${what.replace('_', ' ')} is spoken`,
      {
        given: [autoproxy('member', 'heron')],
        say: { content: null, [what]: true },
        is: proxied('heron', 'member', { content: '' }),
      },
    ]),
  ),
}

/** Everything that keeps autoproxy away at once: each in turn is the first that holds. */
const everything = [
  account({ autoproxy_enabled: false }),
  settings({ latch_timeout: 1 }),
  autoproxy('latch'),
  spoke('finch', LATCHED),
  member('finch', { autoproxy_enabled: false }),
]
const edit = { content: '\\hello', is_edit: true }
const order: ProxyScenarios = {
  'no_match comes before edited': {
    given: [...everything, autoproxy('off')],
    say: edit,
    is: ignored('no_match'),
  },
  'edited comes before account_autoproxy_disabled': {
    given: everything,
    say: edit,
    is: ignored('edited'),
  },
  'account_autoproxy_disabled comes before escaped': {
    given: everything,
    say: '\\hello',
    is: ignored('account_autoproxy_disabled'),
  },
  'escaped comes before nothing_latched': {
    given: [autoproxy('latch')],
    say: '\\hello',
    is: ignored('escaped'),
  },
  'escaped comes before nobody_fronting': {
    given: [autoproxy('front')],
    say: '\\hello',
    is: ignored('escaped'),
  },
  'member_autoproxy_disabled comes before latch_expired': {
    given: [...everything, account({ autoproxy_enabled: true })],
    say: 'hello',
    is: ignored('member_autoproxy_disabled'),
  },
  'an account without autoproxy is still matched by tags': {
    given: everything,
    say: 'w:hello',
    is: proxied('wren', 'tags'),
  },
}

describe('autoproxy', () => runProxyScenarios(here, makeStage, autoproxies))
describe('the time-out', () => runProxyScenarios(here, makeStage, latches))
describe('left alone', () => runProxyScenarios(here, makeStage, silences))
describe('of several reasons', () => runProxyScenarios(here, makeStage, order))

test('every reason to leave a message alone has its scene', () => {
  const scenes = Object.values({ ...autoproxies, ...latches, ...silences, ...order })
  // Only the operator can disable a system: its scene is in `test/http/disabled.test.ts`.
  const named = new Set([...scenes.map(({ is }) => is.reason), 'system_disabled'])
  expect(ignoreReasons.filter((reason) => !named.has(reason))).toEqual([])
})

test('a decision asks no clock when it is told the time', async () => {
  const stage = await makeStage()
  await stage.doAll([autoproxy('latch'), spoke('finch', LATCHED)])
  const running = clock
  clock = () => {
    throw new Error('somebody asked for the time')
  }
  try {
    for (const [at, is] of [
      ['2024-05-01T12:00:00Z', proxied('finch', 'latch')],
      ['2024-05-02T12:00:00Z', ignored('latch_expired')],
      ['2024-05-01T12:00:00Z', proxied('finch', 'latch')],
    ] as const)
      expect(await sendMessage(stage, { content: 'hello', at })).toMatchObject(stage.fill(is))
  } finally {
    clock = running
  }
})

test('a message without a time is of now', async () => {
  const stage = await makeStage()
  await stage.doAll([settings({ latch_timeout: 60 }), autoproxy('latch'), spoke('finch')])
  expect(await sendMessage(stage, 'hello')).toMatchObject(stage.fill(proxied('finch', 'latch')))
  const running = clock
  clock = () => running() + 61 * SECOND
  expect(await sendMessage(stage, 'hello')).toEqual(ignored('latch_expired'))
  clock = running
})

/** Bodies, and the keys that have a problem; none where the body is not even an object. */
const bodies: [string, unknown, string[] | null][] = [
  ['nothing', {}, ['account_id', 'guild_id', 'channel_id', 'content']],
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
      dry_run: 'no',
    },
    'account_id guild_id channel_id thread_id content has_attachments has_poll is_edit'
      .split(' ')
      .concat('previous', 'at', 'dry_run'),
  ],
  ['an ID beyond 64 bits', { ...place(), account_id: '18446744073709551616' }, ['account_id']],
  ['no content', { ...place(), content: undefined }, ['content']],
  ['a previous message without a name', { ...place(), previous: { member: null } }, ['previous']],
  [
    'a previous member by its short ID',
    { ...place(), previous: { name: 'Wren', member: '<wren>' } },
    ['previous'],
  ],
  ['a day that does not exist', { ...place(), at: '2024-02-30T00:00:00Z' }, ['at']],
  ['a list', [], null],
  ['no JSON', '{', null],
]

test.each(bodies)('a message of %s is refused with every problem', async (_, body, problems) => {
  const stage = await makeStage()
  const { status, json } = await stage.ask('POST /bot/proxy', body)
  expect({ status, code: json.code }).toEqual({ status: 400, code: problems ? 40001 : 0 })
  expect(Object.keys(json.errors ?? {}).toSorted()).toEqual((problems ?? []).toSorted())
})

test('a message needs no more than its account, its place and its content', async () => {
  const stage = await makeStage()
  const most = { ...place(), account_id: '18446744073709551615', thread_id: null, previous: null }
  for (const body of [place(), most, { ...place(), more: 'unknown' }])
    expect(await stage.do('POST /bot/proxy', body)).toHaveProperty('action', 'ignore')
})

function place() {
  return { account_id: '<account>', guild_id: '<guild>', channel_id: '<channel>', content: '' }
}
