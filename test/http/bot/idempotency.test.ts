import { createApp } from '../../../src/app/app'
import { createLog } from '../../../src/runtime/log'
import { versionOf, withFailingTrigger } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, isSqlite } from '../../tools/testApp'
import { type BotFixture, createBotFixtures, type Json } from './botFixture'
import { AUTOPROXY, autoproxy, recordMessageStep, sendMessage, settings } from './proxyScenarios'

const SENT_AT = '2024-05-01T12:00:00.000001Z'

const testApp = createTestApp()
const createBotFixture = createBotFixtures(testApp)

const record = (fixture: BotFixture, changes: Json = {}) =>
  fixture.ask('POST /bot/messages', {
    ...(recordMessageStep('wren', SENT_AT)[1] as Json),
    ...changes,
  })

describe('repeated record of a message', () => {
  test.each<[string, Json]>([
    ['unchanged', {}],
    ['with its member by UUID', { member: '<wren.uuid>' }],
    ['with its time in another offset', { timestamp: '2024-05-01T14:00:00.000001+02:00' }],
    ['without its time', { timestamp: undefined }],
    ['with null for its time', { timestamp: null }],
  ])('recording a message again %s changes nothing', async (_, changes) => {
    const fixture = await createBotFixture()
    await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    const first = await record(fixture)
    await fixture.takeEvents()
    const before = await versionOf(testApp.deps.db)
    const again = await record(fixture, changes)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.json).toEqual(first.json)
    expect(await fixture.takeEvents()).toEqual([])
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })

  test('recording a message again changes nothing after messages of other members', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([autoproxy('latch'), recordMessageStep('wren', SENT_AT)])
    await record(fixture, { id: '9<said>', member: '<finch>' })
    expect((await record(fixture)).status).toBe(200)
    const latch = fixture.fill({ autoproxy_member: '<finch>' })
    expect(await fixture.do(`GET ${AUTOPROXY}`)).toMatchObject(latch)
    expect(await fixture.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
  })

  test('recording a message again succeeds after its account was unlinked', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([
      recordMessageStep('wren', SENT_AT),
      ['DELETE /bot/systems/<system>/accounts/<account>'],
    ])
    expect((await record(fixture)).status).toBe(200)
    expect((await record(fixture, { id: '9<said>' })).status).toBe(403)
  })

  test.each<[string, Json]>([
    ['another original', { original: '1' }],
    ['another sender', { sender: '<second>' }],
    ['another channel', { channel: '1' }],
    ['another guild', { guild: '1' }],
    ['no guild', { guild: null }],
    ['another member', { member: '<finch>' }],
    ['another time', { timestamp: '2024-05-01T12:00:00Z' }],
  ])('recording a message again with %s is a conflict', async (_, changes) => {
    const fixture = await createBotFixture()
    fixture.names.second = `8${fixture.fill('<said>')}`
    await fixture.doAll([
      ['PUT /bot/systems/<system>/accounts/<second>'],
      autoproxy('latch'),
      settings({ proxy_switch: 'new' }),
      recordMessageStep('wren', SENT_AT),
    ])
    const before = await versionOf(testApp.deps.db)
    const { status, json } = await record(fixture, changes)
    expect({ status, code: json.code }).toEqual({ status: 409, code: 0 })
    expect(await versionOf(testApp.deps.db)).toEqual(before)
  })
})

describe('concurrent records', () => {
  const indexes = Array.from({ length: 24 }, (_, at) => at)
  const statuses = (responses: { status: number }[]) =>
    responses.map(({ status }) => status).toSorted()

  test('concurrent records of one message store it once', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    await fixture.takeEvents()
    const responses = await Promise.all(indexes.map(() => record(fixture)))
    expect(statuses(responses)).toEqual([...indexes.slice(1).map(() => 200), 201])
    expect(await fixture.takeEvents()).toEqual([
      'CREATE_MESSAGE',
      'UPDATE_AUTOPROXY',
      'CREATE_SWITCH',
    ])
    expect(await fixture.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
    expect(await fixture.do('GET /v2/systems/@me/switches')).toHaveLength(1)
  })

  test('concurrent records of one message for several members store one of them', async () => {
    const fixture = await createBotFixture()
    const claims = ['<wren>', '<finch>', '<heron>'].map((member) => record(fixture, { member }))
    expect(statuses(await Promise.all(claims))).toEqual([201, 409, 409])
    const members = await fixture.do<Json[]>('GET /v2/systems/@me/members')
    expect(members.map(({ message_count }) => message_count).toSorted()).toEqual([0, 0, 1])
  })

  test('concurrent messages are all counted, and each member fronts once', async () => {
    const fixture = await createBotFixture()
    await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'add' })])
    await fixture.takeEvents()
    const responses = await Promise.all(
      indexes.map((at) => {
        const member = ['<wren>', '<finch>', '<heron>'][at % 3]
        return record(fixture, { id: String(1000 + at), member, timestamp: undefined })
      }),
    )
    expect(statuses(responses)).toEqual(indexes.map(() => 201))
    for (const member of ['<wren>', '<finch>', '<heron>'])
      expect(await fixture.do(`GET /v2/members/${member}`)).toHaveProperty('message_count', 8)
    const [front, ...rest] = await fixture.do<{ members: string[] }[]>(
      'GET /v2/systems/@me/switches',
    )
    expect(rest).toEqual([])
    expect(front?.members.toSorted()).toEqual(
      fixture.fill(['<wren>', '<finch>', '<heron>']).toSorted(),
    )
    const events = await fixture.takeEvents()
    const count = (type: string) => events.filter((other) => other === type).length
    expect(count('CREATE_MESSAGE')).toBe(24)
    expect(count('UPDATE_AUTOPROXY')).toBe(24)
    expect([count('CREATE_SWITCH'), count('UPDATE_SWITCH')]).toEqual([1, 2])
  })
})

describe('atomic records', () => {
  const effects: [title: string, effect: string, when?: string][] = [
    ['the record', 'insert on messages'],
    ['the count', 'update on members'],
    ['an event', 'insert on events', "new.type = 'CREATE_MESSAGE'"],
    ['the latch', 'update on autoproxy'],
    ['the switch', 'insert on switches'],
    ['a fronter', 'insert on switch_members'],
    ['the last event', 'insert on events', "new.type = 'CREATE_SWITCH'"],
  ]

  test.each(effects)(
    'a record writes nothing when %s cannot be written, and everything when retried',
    async (_, effect, when = 'true') => {
      const fixture = await createBotFixture()
      await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
      await fixture.takeEvents()
      await withFailingTrigger(testApp.deps, effect, when, async () => {
        const before = await versionOf(testApp.deps.db)
        expect((await record(fixture)).status).toBe(500)
        expect(await versionOf(testApp.deps.db)).toEqual(before)
      })
      expect((await record(fixture)).status).toBe(201)
      expect(await fixture.takeEvents()).toEqual([
        'CREATE_MESSAGE',
        'UPDATE_AUTOPROXY',
        'CREATE_SWITCH',
      ])
      expect(await fixture.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
    },
  )
})

test('records a message after a crash between decision and record', async () => {
  const fixture = await createBotFixture()
  await fixture.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
  const decision = await sendMessage(fixture, 'w:hello')
  const { member } = decision as { member: { id: string } }
  expect(await fixture.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 0)

  const log = createLog('error', 'json', () => {})
  const restarted = createApp({ ...testApp.config, DATABASE_URL: await copyAfterCrash() }, { log })
  const ask = async (line: string, body?: unknown) => {
    const [method = '', path = ''] = fixture.fill(line).split(' ')
    const headers = fixture.fill({ authorization: 'Bot <key>', 'x-system': '<system>' })
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await restarted.handle(new Request(`http://localhost${path}`, init), '::1')
    return (await response.json()) as Json
  }
  const draft = { ...(recordMessageStep('wren', SENT_AT)[1] as Json), member: member.id }
  for (const _ of ['once', 'again']) {
    const recorded = await ask('POST /bot/messages', fixture.fill(draft))
    expect(recorded).toMatchObject({ timestamp: SENT_AT, member: { message_count: 1 } })
  }
  const latch = fixture.fill({ autoproxy_member: '<wren>', last_latch_timestamp: SENT_AT })
  expect(await ask(`GET ${AUTOPROXY}`)).toMatchObject(latch)
  expect(await ask('GET /v2/systems/@me/switches')).toHaveLength(1)
  await restarted.stop()
})

/**
 * Copies the SQLite file in the state that a crash would leave it in. On PostgreSQL nothing is
 * copied, because the database server does not crash with the process.
 */
async function copyAfterCrash(): Promise<string> {
  if (!isSqlite) return testApp.config.DATABASE_URL
  const copy = `${testApp.folder}/crashed.db`
  await Bun.write(copy, Bun.file(testApp.app.storage.location))
  await Bun.write(`${copy}-wal`, Bun.file(`${testApp.app.storage.location}-wal`))
  return `file:${copy}`
}
