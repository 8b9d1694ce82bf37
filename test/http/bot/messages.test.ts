import { describe, expect, test } from 'bun:test'
import { formatInstant, MINUTE, parseInstant } from '../../../src/model/time'
import { versionOf } from '../../rawSql'
import { createTestApp } from '../../testApp'
import { type BotFixture, createBotFixtures, type Json, type Step } from './botFixture'
import { AUTOPROXY, autoproxy, settings, spoke } from './proxyScenarios'

const SAID = '2024-05-01T12:00:00.000001Z'
const NOW = '2024-05-01T12:30:00Z'

let at = instantOf(NOW)
const here = createTestApp({ now: () => at })
const makeStage = createBotFixtures(here)

/** A switch that was logged before anybody spoke. */
const frontingBefore = (...names: string[]): Step => [
  'POST /v2/systems/@me/switches',
  { members: names.map((name) => `<${name}>`), timestamp: '2024-05-01T08:00:00Z' },
]
const message = (changes: Json = {}): Json => ({ ...(spoke('wren', SAID)[1] as Json), ...changes })
const record = (stage: BotFixture, changes?: Json) =>
  stage.ask('POST /bot/messages', message(changes))

describe('a record', () => {
  test('is answered with the message, its system and its member, counted already', async () => {
    const stage = await makeStage()
    const { status, json } = await record(stage)
    expect(status).toBe(201)
    const ids = { id: '<sent>', original: '<said>', sender: '<account>', channel: '<channel>' }
    const own = { id: '<wren>', message_count: 1, last_message_timestamp: SAID }
    const expected = { ...ids, guild: '<guild>', timestamp: SAID }
    expect(json).toMatchObject(
      stage.fill({
        ...expected,
        system: { id: '<system>', privacy: expect.any(Object) },
        member: { ...own, privacy: expect.any(Object) },
      }),
    )
    const shown = await here.ask(stage.fill('GET /v2/messages/<sent>'))
    expect(shown.json).toMatchObject(
      stage.fill({
        ...expected,
        system: { id: '<system>', privacy: null },
        member: { ...own, privacy: null },
      }),
    )
  })

  test('names its member by short ID or UUID, and needs no guild', async () => {
    const stage = await makeStage()
    const { status, json } = await record(stage, { member: '<wren.uuid>', guild: undefined })
    expect(status).toBe(201)
    expect(json).toMatchObject({ guild: null, member: { name: 'Wren' } })
  })

  test('is of now when it has no time, for the latch and the switch too', async () => {
    const stage = await makeStage()
    await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    const { json } = await record(stage, { timestamp: undefined })
    expect(json).toMatchObject({ timestamp: NOW, member: { last_message_timestamp: NOW } })
    expect(await stage.do(`GET ${AUTOPROXY}`)).toHaveProperty('last_latch_timestamp', NOW)
    expect(await stage.do('GET /v2/systems/@me/fronters')).toHaveProperty('timestamp', NOW)
  })

  test('tells each of its effects once', async () => {
    const stage = await makeStage()
    await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    await stage.told()
    await record(stage)
    expect(await stage.told()).toEqual(['CREATE_MESSAGE', 'UPDATE_AUTOPROXY', 'CREATE_SWITCH'])
  })

  test('counts every message of its member, and of nobody else', async () => {
    const stage = await makeStage()
    for (const id of ['1', '2', '3']) await record(stage, { id: `${id}<sent>` })
    expect(await stage.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 3)
    expect(await stage.do('GET /v2/members/<finch>')).toMatchObject({
      message_count: 0,
      last_message_timestamp: null,
    })
  })
})

describe('the latch', () => {
  const nobody = { autoproxy_member: null, last_latch_timestamp: null }
  const latched = { autoproxy_member: '<wren>', last_latch_timestamp: SAID }
  const heron = { autoproxy_member: '<heron>', last_latch_timestamp: null }

  test.each<[string, Step[], Json, Json]>([
    ['moves to whoever spoke', [autoproxy('latch')], {}, latched],
    ['moves on from whoever spoke before', [autoproxy('latch', 'finch')], {}, latched],
    ['stays away while autoproxy is off', [], {}, nobody],
    ['stays away from front', [autoproxy('front')], {}, nobody],
    ['stays away from a chosen member', [autoproxy('member', 'heron')], {}, heron],
    ['is of its guild only', [autoproxy('latch')], { guild: '1' }, nobody],
    ['knows nothing of messages without a guild', [autoproxy('latch')], { guild: null }, nobody],
  ])('%s', async (_, given, changes, expected) => {
    const stage = await makeStage()
    await stage.doAll(given)
    await stage.told()
    expect((await record(stage, changes)).status).toBe(201)
    expect(await stage.do(`GET ${AUTOPROXY}`)).toMatchObject(stage.fill(expected))
    const isMoved = expected === latched
    expect(await stage.told()).toEqual(['CREATE_MESSAGE', ...(isMoved ? ['UPDATE_AUTOPROXY'] : [])])
  })
})

describe('proxy_switch', () => {
  const EARLIER = '2024-05-01T08:00:00Z'

  /** The setting, who fronted before; who does then, since when, after how many switches. */
  test.each<[string, string[] | null, string[] | null, string | null, number]>([
    ['off', null, null, null, 0],
    ['off', ['finch'], ['finch'], EARLIER, 1],
    ['new', null, ['wren'], SAID, 1],
    ['new', [], ['wren'], SAID, 2],
    ['new', ['finch'], ['wren'], SAID, 2],
    ['new', ['finch', 'wren'], ['finch', 'wren'], EARLIER, 1],
    ['add', null, ['wren'], SAID, 1],
    ['add', [], ['wren'], SAID, 2],
    ['add', ['finch', 'heron'], ['finch', 'heron', 'wren'], EARLIER, 1],
    ['add', ['wren', 'finch'], ['wren', 'finch'], EARLIER, 1],
  ])('%s makes of %j the fronters %j', async (proxy_switch, before, after, since, count) => {
    const stage = await makeStage()
    await stage.doAll([settings({ proxy_switch }), ...(before ? [frontingBefore(...before)] : [])])
    await stage.told()
    expect((await record(stage)).status).toBe(201)
    const history = await stage.do<Json[]>('GET /v2/systems/@me/switches')
    expect(history).toHaveLength(count)
    const members = after?.map((name) => `<${name}>`)
    const isNew = count > (before ? 1 : 0)
    const isChanged = JSON.stringify(before) !== JSON.stringify(after)
    if (members) expect(history[0]).toMatchObject(stage.fill({ members, timestamp: since }))
    const told = isNew ? ['CREATE_SWITCH'] : isChanged ? ['UPDATE_SWITCH'] : []
    expect(await stage.told()).toEqual(['CREATE_MESSAGE', ...told])
  })

  test('two who speak in the same moment each get a switch', async () => {
    const stage = await makeStage()
    await stage.doAll([settings({ proxy_switch: 'new' })])
    await record(stage)
    expect((await record(stage, { id: '1', member: '<finch>' })).status).toBe(201)
    const history = await stage.do<Json[]>('GET /v2/systems/@me/switches')
    expect(history.map(({ members }) => members)).toEqual(stage.fill([['<finch>'], ['<wren>']]))
  })
})

describe('refused is', () => {
  const missing = ['channel', 'id', 'member', 'original', 'sender']

  test.each<[string, Json, number, number, string[]]>([
    ['a member that does not exist', { member: 'zzzzzz' }, 400, 40001, ['member']],
    ['a member by its name', { member: 'Wren!' }, 400, 40001, ['member']],
    ['a sender without a system', { sender: '1' }, 403, 30006, []],
    ['a sender of another system', { sender: '<stranger>' }, 403, 30006, []],
    ['a member of another system', { member: '<stray>' }, 403, 30006, []],
    [
      'a record of nothing',
      Object.fromEntries(missing.map((key) => [key, undefined])),
      400,
      40001,
      missing,
    ],
    [
      'a record of which all is wrong',
      { id: 1, original: '', sender: 'me', channel: '-1', guild: [], member: null, timestamp: 0 },
      400,
      40001,
      [...missing, 'guild', 'timestamp'],
    ],
  ])('%s', async (_, changes, status, code, problems) => {
    const [stage, other] = [await makeStage(), await makeStage()]
    Object.assign(stage.names, other.fill({ stranger: '<account>', stray: '<wren>' }))
    const before = await versionOf(here.deps.db)
    const answer = await record(stage, changes)
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code })
    expect(Object.keys(answer.json.errors ?? {}).toSorted()).toEqual(problems.toSorted())
    expect(await versionOf(here.deps.db)).toEqual(before)
  })
})

describe('a look-up by the original', () => {
  test.each([
    ['finds a message of less than 30 minutes', -30 * MINUTE + 1, 200],
    ['finds a message whose clock is ahead', 5 * MINUTE, 200],
    ['does not find a message of 30 minutes', -30 * MINUTE, 404],
    ['does not find an old message that is recorded only now', -300 * MINUTE, 404],
  ])('%s', async (_, age, status) => {
    const stage = await makeStage()
    await record(stage, { timestamp: formatInstant(at + age) })
    const found = await stage.ask('GET /v2/messages/<said>')
    expect(found.status).toBe(status)
    if (status === 404) expect(found.json).toHaveProperty('code', 20006)
    expect((await stage.ask('GET /v2/messages/<sent>')).status).toBe(200)
  })

  test('ends 30 minutes after the message, by the clock', async () => {
    const stage = await makeStage()
    await record(stage, { timestamp: NOW })
    at += 30 * MINUTE - 1
    expect((await stage.ask('GET /v2/messages/<said>')).status).toBe(200)
    at += 1
    expect((await stage.ask('GET /v2/messages/<said>')).status).toBe(404)
    expect((await stage.ask('GET /v2/messages/<sent>')).status).toBe(200)
    at = instantOf(NOW)
  })
})

describe('forgetting', () => {
  test('a message leaves its count, its switch and no word', async () => {
    const stage = await makeStage()
    await stage.doAll([settings({ proxy_switch: 'new' }), spoke('wren', SAID)])
    await stage.told()
    for (const _ of ['once', 'again']) {
      const { status, text } = await stage.ask('DELETE /bot/messages/<sent>')
      expect({ status, text }).toEqual({ status: 204, text: '' })
    }
    for (const id of ['<sent>', '<said>'])
      expect((await stage.ask(`GET /v2/messages/${id}`)).json).toHaveProperty('code', 20006)
    expect(await stage.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
    expect(await stage.do('GET /v2/systems/@me/switches')).toHaveLength(1)
    expect(await stage.told()).toEqual([])
  })

  test('500 messages at once is possible, and leaves all others', async () => {
    const stage = await makeStage()
    for (const id of ['7<said>', '<sent>']) await record(stage, { id })
    const ids = ['<sent>', '<sent>', ...Array.from({ length: 498 }, (_, id) => String(id))]
    expect((await stage.ask('POST /bot/messages/delete', ids)).status).toBe(204)
    expect((await stage.ask('GET /v2/messages/<sent>')).status).toBe(404)
    expect((await stage.ask('GET /v2/messages/7<said>')).status).toBe(200)
  })

  test('nothing at all is possible', async () => {
    const stage = await makeStage()
    expect((await stage.ask('POST /bot/messages/delete', [])).status).toBe(204)
  })

  test.each<[string, unknown]>([
    ['more than 500 messages', Array.from({ length: 501 }, () => '<sent>')],
    ['what is no ID', ['<sent>', 'all']],
    ['a number', ['<sent>', 5]],
    ['an object', { ids: ['<sent>'] }],
  ])('%s is refused, and everything stays', async (_, body) => {
    const stage = await makeStage()
    await record(stage)
    const { status, json } = await stage.ask('POST /bot/messages/delete', body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: 0 })
    expect((await stage.ask('GET /v2/messages/<sent>')).status).toBe(200)
  })

  test('a message by what is no ID is refused', async () => {
    const stage = await makeStage()
    expect((await stage.ask('DELETE /bot/messages/all')).status).toBe(400)
  })
})

function instantOf(text: string): number {
  return parseInstant(text) ?? Number.NaN
}
