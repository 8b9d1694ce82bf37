import { DAY } from '../../../src/model/core/time'
import { deleteAllSwitches } from '../../../src/service/front/switches'
import { beginStaging } from '../../../src/service/systems/staging'
import { anyTime, anyUuid } from '../../tools/anyUuid'
import { execute } from '../../tools/rawSql'
import {
  at,
  createFixture,
  eventsSince,
  FIRST,
  type Fixture,
  type Json,
  LATEST,
  runScenarios,
  stateOf,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createRandom } from './random'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const NEW = '2f1a0b3c-4d5e-4f60-8a9b-0c1d2e3f4a5b'
const TIME = '2026-01-01T10:00:00.5Z'
const line = (uuid: string = crypto.randomUUID()) => `PUT /ext/v1/systems/@me/switches/${uuid}`

/** Makes the UUID of a switch that was logged by PUT available as `<put>`. */
async function withSwitch(fixture: Fixture): Promise<void> {
  const uuid = crypto.randomUUID()
  fixture.remember('put', uuid)
  await fixture.do(line(uuid), { members: ['<wren>', '<finch>'], timestamp: TIME })
}

describe('logging a switch under a chosen UUID', () => {
  runScenarios(testApp, {
    'stores the switch, statuses and the comment': {
      ask: line(NEW),
      body: {
        members: ['<heron>', { id: '<wren.uuid>', status: 'at work' }],
        timestamp: TIME,
        comment: 'Long day',
      },
      status: 201,
      has: { id: NEW, timestamp: TIME, members: [{ id: '<heron>' }, { id: '<wren>' }] },
      events: [
        ['CREATE_SWITCH', NEW, { timestamp: at(TIME), members: ['<heron.uuid>', '<wren.uuid>'] }],
        [
          'CREATE_FRONT_NOTE',
          anyUuid,
          {
            member: '<wren.uuid>',
            kind: 'status',
            at: TIME,
            keys: ['kind', 'member', 'at', 'text'],
          },
        ],
        [
          'CREATE_FRONT_NOTE',
          anyUuid,
          { member: null, kind: 'comment', at: TIME, keys: ['kind', 'at', 'text'] },
        ],
      ],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/systems/@me/front')).toMatchObject({
          switch: NEW,
          since: TIME,
          fronters: [{ status: null }, { status: 'at work', since: TIME, kind: 'member' }],
        })
        expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/front/notes')).toEqual([
          {
            id: anyUuid,
            kind: 'comment',
            member: null,
            at: TIME,
            text: 'Long day',
            by: null,
            author_name: null,
            created: anyTime,
            edited: null,
          },
          expect.objectContaining({ kind: 'status', text: 'at work', created: anyTime }),
        ])
      },
    },
    'the same request again changes nothing': {
      given: withSwitch,
      ask: 'PUT /ext/v1/systems/@me/switches/<put>',
      body: { members: ['<wren.uuid>', '<finch>'], timestamp: TIME, comment: 'ignored' },
      has: { id: '<put>', timestamp: TIME },
      events: [],
    },
    'the time need not be repeated, and the UUID may be upper case': {
      given: withSwitch,
      ask: 'PUT /ext/v1/systems/@me/switches/<put.upperUuid>',
      body: { members: [{ id: '<wren>', status: 'ignored' }, '<finch>'] },
      has: { id: '<put>', timestamp: TIME },
    },
    'other members are a conflict': {
      given: withSwitch,
      ask: 'PUT /ext/v1/systems/@me/switches/<put>',
      body: { members: ['<finch>', '<wren>'], timestamp: TIME },
      status: 409,
      message: '409: Conflict (this switch ID is already used)',
    },
    'another time is a conflict': {
      given: withSwitch,
      ask: 'PUT /ext/v1/systems/@me/switches/<put>',
      body: { members: ['<wren>', '<finch>'], timestamp: '2026-01-01T10:00:00Z' },
      status: 409,
    },
    'the UUID of another system is a conflict': {
      ask: 'PUT /ext/v1/systems/@me/switches/<otherSwitch>',
      body: { members: [] },
      status: 409,
      message: '409: Conflict (this switch ID is already used)',
    },
    'a switch may repeat the one before it': {
      ask: line(),
      body: { members: ['<finch>'] },
      status: 201,
      events: [['CREATE_SWITCH', anyUuid, expect.anything()]],
    },
    'the time of another switch is refused': {
      ask: line(),
      body: { members: ['<heron>'], timestamp: LATEST },
      status: 400,
      code: 40005,
    },
    'a member named twice is refused': {
      ask: line(),
      body: { members: ['<heron>', { id: '<heron.uuid>' }] },
      status: 400,
      code: 40003,
    },
    'an unknown member is named': {
      ask: line(),
      body: { members: ['zzzzz'] },
      status: 404,
      code: 20003,
    },
    'a member of another system is refused': {
      ask: line(),
      body: { members: [{ id: '<stray>', status: 'hi' }] },
      status: 403,
      code: 30008,
    },
    'all problems of a body are reported': {
      ask: line(),
      body: {
        members: [7, { status: 'x' }, { id: '<wren>', status: 'x'.repeat(101) }],
        timestamp: 'soon',
        comment: 'x'.repeat(4001),
      },
      status: 400,
      code: 40001,
      problems: ['members.0', 'members.1.id', 'members.2.status', 'timestamp', 'comment'],
    },
    'a body without members is refused': {
      ask: line(),
      body: {},
      status: 400,
      code: 40001,
      problems: ['members'],
    },
    'a UUID of another version is refused': {
      ask: line('2f1a0b3c-4d5e-1f60-8a9b-0c1d2e3f4a5b'),
      body: { members: [] },
      status: 400,
      code: 40006,
    },
    'an anonymous caller cannot log': {
      as: 'anonymous',
      ask: line(),
      body: { members: [] },
      status: 401,
    },
  })

  test('a hundred identical requests at once log one switch', async () => {
    const fixture = await createFixture(testApp)
    const { lastEvent } = await stateOf(testApp)
    const uuid = crypto.randomUUID()
    const body = { members: ['<wren>'], timestamp: TIME }
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => fixture.ask(line(uuid), body)),
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(99).fill(200), 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await eventsSince({ testApp }, lastEvent)).toHaveLength(1)
  })

  test('two systems that choose the same UUID at once log one switch', async () => {
    const fixture = await createFixture(testApp)
    const uuid = crypto.randomUUID()
    const answers = await Promise.all([
      fixture.ask(line(uuid), { members: [] }),
      fixture.ask(line(uuid), { members: [] }, 'other'),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test('two hundred requests in random order give the history of the right order', async () => {
    const random = createRandom(7)
    const histories: unknown[] = []
    const refs = ['<wren>', '<finch>', '<heron>']
    const made = Array.from({ length: 200 }, (_, minute) => ({
      uuid: crypto.randomUUID(),
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      members: refs
        .filter(() => random.below(2) === 0)
        .map((id) => (random.below(3) === 0 ? { id, status: `at ${minute}` } : id)),
    }))
    for (const order of [made, random.shuffle(made)]) {
      const fixture = await createFixture(testApp)
      const names = new Map(
        [fixture.wren, fixture.finch, fixture.heron].flatMap(({ uuid, hid, name }) => [
          [uuid, name],
          [hid, name],
        ]) as [string, string][],
      )
      for (const { timestamp, members } of order) await fixture.do(line(), { timestamp, members })
      const front = await fixture.get('GET /ext/v1/systems/@me/front')
      const pages = [
        await fixture.get<Json[]>('GET /v2/systems/@me/switches'),
        await fixture.get<Json[]>(`GET /v2/systems/@me/switches?before=${made[100]?.timestamp}`),
      ]
      const notes = await fixture.get<Json[]>('GET /ext/v1/systems/@me/front/notes?limit=1000')
      histories.push({
        switches: pages
          .flat()
          .map(({ timestamp, members }) => [
            timestamp,
            (members as string[]).map((hid) => names.get(hid)),
          ]),
        statuses: notes
          .map(({ at, member, text }) => `${at} ${names.get(String(member))} ${text}`)
          .toSorted(),
        front: (front.fronters as { since: string; status: string; member: Json }[]).map(
          ({ since, status, member }) => [member.name, since, status],
        ),
      })
    }
    expect(histories[1]).toEqual(histories[0])
  })
})

describe('deleting a switch by its UUID', () => {
  runScenarios(testApp, {
    'deletes the switch': {
      ask: 'DELETE /ext/v1/systems/@me/switches/<latest>',
      status: 204,
      events: [['DELETE_SWITCH', '<latest>', null]],
      after: async (fixture) => {
        const again = await fixture.ask('DELETE /ext/v1/systems/@me/switches/<latest>')
        expect(again.status).toBe(204)
        const put = await fixture.ask('PUT /ext/v1/systems/@me/switches/<latest>', { members: [] })
        expect(put).toMatchObject({ status: 410 })
        expect(put.json.message).toBe('410: Gone (this switch was deleted)')
      },
    },
    'records an unknown UUID, so that a late request does not create it': {
      ask: `DELETE /ext/v1/systems/@me/switches/${NEW.toUpperCase()}`,
      status: 204,
      after: async (fixture) => {
        expect((await fixture.ask(line(NEW), { members: [] })).status).toBe(410)
        const other = await fixture.ask(line(crypto.randomUUID()), { members: [] }, 'other')
        expect(other.status).toBe(201)
      },
    },
    'leaves a switch of another system': {
      ask: 'DELETE /ext/v1/systems/@me/switches/<otherSwitch>',
      status: 204,
      after: async (fixture) => {
        await fixture.get('GET /v2/systems/@me/switches/<otherSwitch>', 'other')
      },
    },
    'an invalid ID is refused': {
      ask: 'DELETE /ext/v1/systems/@me/switches/tuesday',
      status: 400,
      code: 40006,
    },
    'an anonymous caller is refused': {
      as: 'anonymous',
      ask: 'DELETE /ext/v1/systems/@me/switches/<latest>',
      status: 401,
    },
  })

  test('a switch that was deleted through version 2 cannot be created again', async () => {
    const fixture = await createFixture(testApp)
    await fixture.do('DELETE /v2/systems/@me/switches/<latest>')
    const put = () => fixture.ask(line(fixture.latest.uuid), { members: [] })
    expect((await put()).status).toBe(410)
    const old = testApp.deps.now() - 31 * DAY
    await write('update deleted_switches set at = :old where system_id = :id', fixture, { old })
    expect((await put()).status).toBe(201)
  })

  test('deleting all switches records no UUIDs', async () => {
    const fixture = await createFixture(testApp)
    await deleteAllSwitches(testApp.deps, { system: fixture.owner.id, platform: null })
    expect((await fixture.ask(line(fixture.latest.uuid), { members: [] })).status).toBe(201)
  })

  test('a switch that waits for deletion is gone, and one of an unfinished import is in use', async () => {
    const fixture = await createFixture(testApp)
    const mark = (last: number) =>
      write('update systems set deleted_through_switch_id = :last where id = :id', fixture, {
        last,
      })
    await mark(fixture.latest.id)
    expect((await fixture.ask(line(fixture.latest.uuid), { members: [] })).status).toBe(410)
    await mark(0)
    const { id: pending } = await beginStaging(testApp.deps, fixture.owner.id)
    const time = fixture.first.timestamp
    const hide =
      'update switches set import_id = :pending where system_id = :id and timestamp = :time'
    await write(hide, fixture, { pending, time })
    const same = { members: ['<wren>', '<finch>'], timestamp: FIRST }
    expect((await fixture.ask(line(fixture.first.uuid), same)).status).toBe(409)
  })
})

/** Changes rows of the owner. */
async function write(sql: string, { owner }: Fixture, values: Record<string, number>) {
  await testApp.deps.transact('new', async (tx) => {
    await execute(tx, sql, { ...values, id: owner.id })
  })
}
