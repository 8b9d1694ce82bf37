import { describe, expect, test } from 'bun:test'
import { createApp } from '../../../src/app'
import { createLog } from '../../../src/log'
import { versionOf, whileStopped } from '../../rawSql'
import { createTestApp, isOnFile } from '../../testApp'
import { type BotFixture, createBotFixtures, type Json } from './botFixture'
import { AUTOPROXY, autoproxy, sendMessage, settings, spoke } from './proxyScenarios'

const SAID = '2024-05-01T12:00:00.000001Z'

const here = createTestApp()
const makeStage = createBotFixtures(here)

const record = (stage: BotFixture, changes: Json = {}) =>
  stage.ask('POST /bot/messages', { ...(spoke('wren', SAID)[1] as Json), ...changes })

describe('the same message again', () => {
  test.each<[string, Json]>([
    ['as it was', {}],
    ['with its member by UUID', { member: '<wren.uuid>' }],
    ['with its time written otherwise', { timestamp: '2024-05-01T14:00:00.000001+02:00' }],
    ['without its time', { timestamp: undefined }],
    ['with null for its time', { timestamp: null }],
  ])('%s changes nothing', async (_, changes) => {
    const stage = await makeStage()
    await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    const first = await record(stage)
    await stage.told()
    const before = await versionOf(here.deps.db)
    const again = await record(stage, changes)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.json).toEqual(first.json)
    expect(await stage.told()).toEqual([])
    expect(await versionOf(here.deps.db)).toEqual(before)
  })

  test('changes nothing after others have spoken', async () => {
    const stage = await makeStage()
    await stage.doAll([autoproxy('latch'), spoke('wren', SAID)])
    await record(stage, { id: '9<said>', member: '<finch>' })
    expect((await record(stage)).status).toBe(200)
    const latch = stage.fill({ autoproxy_member: '<finch>' })
    expect(await stage.do(`GET ${AUTOPROXY}`)).toMatchObject(latch)
    expect(await stage.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
  })

  test('is still the same after its account was unlinked', async () => {
    const stage = await makeStage()
    await stage.doAll([spoke('wren', SAID), ['DELETE /bot/systems/<system>/accounts/<account>']])
    expect((await record(stage)).status).toBe(200)
    expect((await record(stage, { id: '9<said>' })).status).toBe(403)
  })

  test.each<[string, Json]>([
    ['another original', { original: '1' }],
    ['another sender', { sender: '<second>' }],
    ['another channel', { channel: '1' }],
    ['another guild', { guild: '1' }],
    ['no guild', { guild: null }],
    ['another member', { member: '<finch>' }],
    ['another time', { timestamp: '2024-05-01T12:00:00Z' }],
  ])('with %s is a conflict', async (_, changes) => {
    const stage = await makeStage()
    stage.names.second = `8${stage.fill('<said>')}`
    await stage.doAll([
      ['PUT /bot/systems/<system>/accounts/<second>'],
      autoproxy('latch'),
      settings({ proxy_switch: 'new' }),
      spoke('wren', SAID),
    ])
    const before = await versionOf(here.deps.db)
    const { status, json } = await record(stage, changes)
    expect({ status, code: json.code }).toEqual({ status: 409, code: 0 })
    expect(await versionOf(here.deps.db)).toEqual(before)
  })
})

describe('at the same time', () => {
  const times = Array.from({ length: 24 }, (_, at) => at)
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted()

  test('one message is recorded once, whoever else records it', async () => {
    const stage = await makeStage()
    await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
    await stage.told()
    const answers = await Promise.all(times.map(() => record(stage)))
    expect(statuses(answers)).toEqual([...times.slice(1).map(() => 200), 201])
    expect(await stage.told()).toEqual(['CREATE_MESSAGE', 'UPDATE_AUTOPROXY', 'CREATE_SWITCH'])
    expect(await stage.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
    expect(await stage.do('GET /v2/systems/@me/switches')).toHaveLength(1)
  })

  test('one message is only of one of those who claim it', async () => {
    const stage = await makeStage()
    const claims = ['<wren>', '<finch>', '<heron>'].map((member) => record(stage, { member }))
    expect(statuses(await Promise.all(claims))).toEqual([201, 409, 409])
    const members = await stage.do<Json[]>('GET /v2/systems/@me/members')
    expect(members.map(({ message_count }) => message_count).toSorted()).toEqual([0, 0, 1])
  })

  test('many messages are all counted, and each member fronts once', async () => {
    const stage = await makeStage()
    await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'add' })])
    await stage.told()
    const answers = await Promise.all(
      times.map((at) => {
        const member = ['<wren>', '<finch>', '<heron>'][at % 3]
        return record(stage, { id: String(1000 + at), member, timestamp: undefined })
      }),
    )
    expect(statuses(answers)).toEqual(times.map(() => 201))
    for (const member of ['<wren>', '<finch>', '<heron>'])
      expect(await stage.do(`GET /v2/members/${member}`)).toHaveProperty('message_count', 8)
    const [front, ...rest] = await stage.do<{ members: string[] }[]>('GET /v2/systems/@me/switches')
    expect(rest).toEqual([])
    expect(front?.members.toSorted()).toEqual(
      stage.fill(['<wren>', '<finch>', '<heron>']).toSorted(),
    )
    const told = await stage.told()
    const count = (type: string) => told.filter((other) => other === type).length
    expect(count('CREATE_MESSAGE')).toBe(24)
    expect(count('UPDATE_AUTOPROXY')).toBe(24)
    expect([count('CREATE_SWITCH'), count('UPDATE_SWITCH')]).toEqual([1, 2])
  })
})

describe('all or nothing', () => {
  const effects: [says: string, what: string, when?: string][] = [
    ['the record', 'insert on messages'],
    ['the count', 'update on members'],
    ['an event', 'insert on events', "new.type = 'CREATE_MESSAGE'"],
    ['the latch', 'update on autoproxy'],
    ['the switch', 'insert on switches'],
    ['a fronter', 'insert on switch_members'],
    ['the last event', 'insert on events', "new.type = 'CREATE_SWITCH'"],
  ]

  test.each(effects)(
    'when %s cannot be written, nothing is; then all of it',
    async (_, effect, when = 'true') => {
      const stage = await makeStage()
      await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
      await stage.told()
      await whileStopped(here.deps, effect, when, async () => {
        const before = await versionOf(here.deps.db)
        expect((await record(stage)).status).toBe(500)
        expect(await versionOf(here.deps.db)).toEqual(before)
      })
      expect((await record(stage)).status).toBe(201)
      expect(await stage.told()).toEqual(['CREATE_MESSAGE', 'UPDATE_AUTOPROXY', 'CREATE_SWITCH'])
      expect(await stage.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 1)
    },
  )
})

test('a message that was decided before a crash is recorded after it', async () => {
  const stage = await makeStage()
  await stage.doAll([autoproxy('latch'), settings({ proxy_switch: 'new' })])
  const decision = await sendMessage(stage, 'w:hello')
  const { member } = decision as { member: { id: string } }
  expect(await stage.do('GET /v2/members/<wren>')).toHaveProperty('message_count', 0)

  const log = createLog('error', 'json', () => {})
  const restarted = createApp({ ...here.config, DATABASE_URL: await leftByCrash() }, log)
  const ask = async (line: string, body?: unknown) => {
    const [method = '', path = ''] = stage.fill(line).split(' ')
    const headers = stage.fill({ authorization: 'Bot <key>', 'x-system': '<system>' })
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await restarted.handle(new Request(`http://localhost${path}`, init), '::1')
    return (await response.json()) as Json
  }
  const draft = { ...(spoke('wren', SAID)[1] as Json), member: member.id }
  for (const _ of ['once', 'again']) {
    const recorded = await ask('POST /bot/messages', stage.fill(draft))
    expect(recorded).toMatchObject({ timestamp: SAID, member: { message_count: 1 } })
  }
  const latch = stage.fill({ autoproxy_member: '<wren>', last_latch_timestamp: SAID })
  expect(await ask(`GET ${AUTOPROXY}`)).toMatchObject(latch)
  expect(await ask('GET /v2/systems/@me/switches')).toHaveLength(1)
  await restarted.stop()
})

/** What lies on the disk at this moment is what a crash leaves; a server does not go with it. */
async function leftByCrash(): Promise<string> {
  if (!isOnFile) return here.config.DATABASE_URL
  const left = `${here.folder}/crashed.db`
  await Bun.write(left, Bun.file(here.app.storage.location))
  await Bun.write(`${left}-wal`, Bun.file(`${here.app.storage.location}-wal`))
  return `file:${left}`
}
