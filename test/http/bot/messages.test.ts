import { formatInstant, MINUTE, parseInstant } from '../../../src/model/core/time'
import { versionOf } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { type BotFixture, createBotFixtures, type Json, type Step } from './botFixture'
import { AUTOPROXY, autoproxy, customFront, recordMessageStep, settings } from './proxyScenarios'

const SENT_AT = '2024-05-01T12:00:00.000001Z'
const NOW = '2024-05-01T12:30:00Z'

let now = instantOf(NOW)
const testApp = createTestApp({ now: () => now })
const createBotFixture = createBotFixtures(testApp)

/** Logs a switch with a time before that of the message. */
const frontingBefore = (...names: string[]): Step => [
  'POST /v2/systems/@me/switches',
  { members: names.map((name) => `<${name}>`), timestamp: '2024-05-01T08:00:00Z' },
]
const message = (changes: Json = {}): Json => ({
  ...(recordMessageStep('wren', SENT_AT)[1] as Json),
  ...changes,
})
const record = (fixture: BotFixture, changes?: Json) =>
  fixture.ask('POST /bot/messages', message(changes))

describe('record of a message', () => {
  test('a record returns the message with its system and its member with the new count', async () => {
    const fixture = await createBotFixture()
    const { status, json } = await record(fixture)
    expect(status).toBe(201)
    const ids = { id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' }
    const member = { id: '<wren>', message_count: 1, last_message_timestamp: SENT_AT }
    const expected = { ...ids, guild: '<guild>', timestamp: SENT_AT }
    expect(json).toMatchObject(
      fixture.fill({
        ...expected,
        system: { id: '<system>', privacy: expect.any(Object) },
        member: { ...member, privacy: expect.any(Object) },
      }),
    )
    const shown = await testApp.ask(fixture.fill('GET /v2/messages/<sent>'))
    expect(shown.json).toMatchObject(
      fixture.fill({
        ...expected,
        system: { id: '<system>', privacy: null },
        member: { ...member, privacy: null },
      }),
    )
  })

  test('a record accepts the UUID of its member and needs no guild', async () => {
    const fixture = await createBotFixture()
    const { status, json } = await record(fixture, { member: '<wren.uuid>', guild: undefined })
    expect(status).toBe(201)
    expect(json).toMatchObject({ guild: null, member: { name: 'Wren' } })
  })

  test('a record without a time uses the current time for message, latch and switch', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    const { json } = await record(fixture, { timestamp: undefined })
    expect(json).toMatchObject({ timestamp: NOW, member: { last_message_timestamp: NOW } })
    expect(await fixture.do(`GET ${AUTOPROXY}`)).toHaveProperty('last_latch_timestamp', NOW)
    expect(await fixture.do('GET /v2/systems/@me/fronters')).toHaveProperty('timestamp', NOW)
  })

  test('a record emits one event per effect', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    await fixture.takeEvents()
    await record(fixture)
    expect(await fixture.takeEvents()).toEqual([
      'CREATE_MESSAGE',
      'UPDATE_AUTOPROXY',
      'CREATE_SWITCH',
    ])
  })

  test('a record counts the messages of its member only', async () => {
    const fixture = await createBotFixture()
    for (const id of ['1', '2', '3']) await record(fixture, { id: `${id}<sent>` })
    expect(await fixture.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 3)
    expect(await fixture.do('GET /v2/members/<finch>')).toMatchObject({
      message_count: 0,
      last_message_timestamp: null,
    })
  })
})

describe('latch after a message', () => {
  const unlatched = { autoproxy_member: null, last_latch_timestamp: null }
  const latched = { autoproxy_member: '<wren>', last_latch_timestamp: SENT_AT }
  const heron = { autoproxy_member: '<heron>', last_latch_timestamp: null }

  test.each<[string, Step[], Json, Json]>([
    ['latches the member of a recorded message', [autoproxy('latch')], {}, latched],
    [
      'replaces the latched member by the one of a recorded message',
      [autoproxy('latch', 'finch')],
      {},
      latched,
    ],
    ['does not latch while autoproxy is off', [], {}, unlatched],
    ['does not latch in front mode', [autoproxy('front')], {}, unlatched],
    ['does not replace the member of member mode', [autoproxy('member', 'heron')], {}, heron],
    [
      'does not latch for a message in another guild',
      [autoproxy('latch')],
      { guild: '1' },
      unlatched,
    ],
    [
      'does not latch for a message without a guild',
      [autoproxy('latch')],
      { guild: null },
      unlatched,
    ],
  ])('%s', async (_, given, changes, expected) => {
    const fixture = await createBotFixture()
    await fixture.doAll(given)
    await fixture.takeEvents()
    expect((await record(fixture, changes)).status).toBe(201)
    expect(await fixture.do(`GET ${AUTOPROXY}`)).toMatchObject(fixture.fill(expected))
    const isMoved = expected === latched
    expect(await fixture.takeEvents()).toEqual([
      'CREATE_MESSAGE',
      ...(isMoved ? ['UPDATE_AUTOPROXY'] : []),
    ])
  })
})

describe('proxy_switch', () => {
  const EARLIER = '2024-05-01T08:00:00Z'

  /** Setting, previous fronters, expected fronters, their start, expected number of switches. */
  test.each<[string, string[] | null, string[] | null, string | null, number]>([
    ['off', null, null, null, 0],
    ['off', ['finch'], ['finch'], EARLIER, 1],
    ['new', null, ['wren'], SENT_AT, 1],
    ['new', [], ['wren'], SENT_AT, 2],
    ['new', ['finch'], ['wren'], SENT_AT, 2],
    ['new', ['finch', 'wren'], ['finch', 'wren'], EARLIER, 1],
    ['add', null, ['wren'], SENT_AT, 1],
    ['add', [], ['wren'], SENT_AT, 2],
    ['add', ['finch', 'heron'], ['finch', 'heron', 'wren'], EARLIER, 1],
    ['add', ['wren', 'finch'], ['wren', 'finch'], EARLIER, 1],
  ])(
    'proxy_switch %s changes the fronters %j to %j',
    async (proxy_switch, before, after, since, count) => {
      const fixture = await createBotFixture()
      await fixture.doAll([
        settings({ proxy_switch }),
        ...(before ? [frontingBefore(...before)] : []),
      ])
      await fixture.takeEvents()
      expect((await record(fixture)).status).toBe(201)
      const history = await fixture.do<Json[]>('GET /v2/systems/@me/switches')
      expect(history).toHaveLength(count)
      const members = after?.map((name) => `<${name}>`)
      const isNew = count > (before ? 1 : 0)
      const isChanged = JSON.stringify(before) !== JSON.stringify(after)
      if (members) expect(history[0]).toMatchObject(fixture.fill({ members, timestamp: since }))
      const events = isNew ? ['CREATE_SWITCH'] : isChanged ? ['UPDATE_SWITCH'] : []
      expect(await fixture.takeEvents()).toEqual(['CREATE_MESSAGE', ...events])
    },
  )

  /** Setting, custom fronts, previous fronters, expected fronters. */
  test.each<[string, string[], string[], string[]]>([
    ['new', ['finch'], ['finch'], ['wren']],
    ['new', ['finch'], ['finch', 'wren'], ['finch', 'wren']],
    ['new', ['wren'], ['finch'], ['wren']],
    ['add', ['finch'], ['finch'], ['finch', 'wren']],
    ['add', ['finch'], ['heron', 'finch'], ['heron', 'finch', 'wren']],
    ['add', ['wren'], ['finch'], ['finch', 'wren']],
    ['add', ['wren'], ['wren', 'finch'], ['wren', 'finch']],
  ])(
    'proxy_switch %s treats the custom fronts %j as members: fronters %j become %j',
    async (proxy_switch, customFronts, before, after) => {
      const fixture = await createBotFixture()
      await fixture.doAll([
        settings({ proxy_switch }),
        ...customFronts.map(customFront),
        frontingBefore(...before),
      ])
      expect((await record(fixture)).status).toBe(201)
      const [latest] = await fixture.do<Json[]>('GET /v2/systems/@me/switches')
      expect(latest?.members).toEqual(fixture.fill(after.map((name) => `<${name}>`)))
    },
  )

  test('two messages with the same time get a switch each', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([settings({ proxy_switch: 'new' })])
    await record(fixture)
    expect((await record(fixture, { id: '1', member: '<finch>' })).status).toBe(201)
    const history = await fixture.do<Json[]>('GET /v2/systems/@me/switches')
    expect(history.map(({ members }) => members)).toEqual(fixture.fill([['<finch>'], ['<wren>']]))
  })
})

describe('refused records', () => {
  const missing = ['channel', 'id', 'member', 'original', 'sender']

  test.each<[string, Json, number, number, string[]]>([
    ['a member that does not exist', { member: 'zzzzzz' }, 400, 40001, ['member']],
    ['a member by its name', { member: 'Wren!' }, 400, 40001, ['member']],
    ['a sender without a system', { sender: '1' }, 403, 30006, []],
    ['a sender of another system', { sender: '<stranger>' }, 403, 30006, []],
    ['a member of another system', { member: '<stray>' }, 403, 30006, []],
    ['no keys', Object.fromEntries(missing.map((key) => [key, undefined])), 400, 40001, missing],
    [
      'invalid values for all keys',
      { id: 1, original: '', sender: 'me', channel: '-1', guild: [], member: null, timestamp: 0 },
      400,
      40001,
      [...missing, 'guild', 'timestamp'],
    ],
  ])('refuses a record with %s', async (_, changes, status, code, problems) => {
    const [fixture, other] = [await createBotFixture(), await createBotFixture()]
    Object.assign(fixture.names, other.fill({ stranger: '<account>', stray: '<wren>' }))
    const before = await versionOf(testApp.deps.db)
    const response = await record(fixture, changes)
    expect({ status: response.status, code: response.json.code }).toEqual({ status, code })
    expect(Object.keys(response.json.errors ?? {}).toSorted()).toEqual(problems.toSorted())
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })
})

describe('lookup by the original ID', () => {
  test.each([
    ['finds by its original ID a message of less than 30 minutes ago', -30 * MINUTE + 1, 200],
    ['finds by its original ID a message with a time in the future', 5 * MINUTE, 200],
    ['does not find by its original ID a message of 30 minutes ago', -30 * MINUTE, 404],
    [
      'does not find by its original ID an old message that was recorded just now',
      -300 * MINUTE,
      404,
    ],
  ])('%s', async (_, age, status) => {
    const fixture = await createBotFixture()
    await record(fixture, { timestamp: formatInstant(now + age) })
    const found = await fixture.ask('GET /v2/messages/<said>')
    expect(found.status).toBe(status)
    if (status === 404) expect(found.json).toHaveProperty('code', 20006)
    expect((await fixture.ask('GET /v2/messages/<sent>')).status).toBe(200)
  })

  test('the lookup by the original ID ends 30 minutes after the message', async () => {
    const fixture = await createBotFixture()
    await record(fixture, { timestamp: NOW })
    now += 30 * MINUTE - 1
    expect((await fixture.ask('GET /v2/messages/<said>')).status).toBe(200)
    now += 1
    expect((await fixture.ask('GET /v2/messages/<said>')).status).toBe(404)
    expect((await fixture.ask('GET /v2/messages/<sent>')).status).toBe(200)
    now = instantOf(NOW)
  })
})

describe('deletion of messages', () => {
  test('deleting a message keeps its count and its switch and records no event', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([settings({ proxy_switch: 'new' }), recordMessageStep('wren', SENT_AT)])
    await fixture.takeEvents()
    for (const _ of ['once', 'again']) {
      const { status, text } = await fixture.ask('DELETE /bot/messages/<sent>')
      expect({ status, text }).toEqual({ status: 204, text: '' })
    }
    for (const id of ['<sent>', '<said>'])
      expect((await fixture.ask(`GET /v2/messages/${id}`)).json).toHaveProperty('code', 20006)
    expect(await fixture.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
    expect(await fixture.do('GET /v2/systems/@me/switches')).toHaveLength(1)
    expect(await fixture.takeEvents()).toEqual([])
  })

  test('deletes up to 500 messages at once and keeps all others', async () => {
    const fixture = await createBotFixture()
    for (const id of ['7<said>', '<sent>']) await record(fixture, { id })
    const ids = ['<sent>', '<sent>', ...Array.from({ length: 498 }, (_, id) => String(id))]
    expect((await fixture.ask('POST /bot/messages/delete', ids)).status).toBe(204)
    expect((await fixture.ask('GET /v2/messages/<sent>')).status).toBe(404)
    expect((await fixture.ask('GET /v2/messages/7<said>')).status).toBe(200)
  })

  test('accepts an empty list of messages to delete', async () => {
    const fixture = await createBotFixture()
    expect((await fixture.ask('POST /bot/messages/delete', [])).status).toBe(204)
  })

  test.each<[string, unknown]>([
    ['more than 500 messages', Array.from({ length: 501 }, () => '<sent>')],
    ['an invalid ID', ['<sent>', 'all']],
    ['a number', ['<sent>', 5]],
    ['an object', { ids: ['<sent>'] }],
  ])('refuses to delete %s and deletes nothing', async (_, body) => {
    const fixture = await createBotFixture()
    await record(fixture)
    const { status, json } = await fixture.ask('POST /bot/messages/delete', body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: 0 })
    expect((await fixture.ask('GET /v2/messages/<sent>')).status).toBe(200)
  })

  test('refuses to delete a message by an invalid ID', async () => {
    const fixture = await createBotFixture()
    expect((await fixture.ask('DELETE /bot/messages/all')).status).toBe(400)
  })
})

function instantOf(text: string): number {
  return parseInstant(text) ?? Number.NaN
}
