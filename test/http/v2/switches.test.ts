import { formatInstant, HOUR } from '../../../src/model/core/time'
import { insertMember } from '../../../src/service/members/members'
import { anyUuid } from '../../tools/anyUuid'
import {
  at,
  createFixture,
  type Json,
  LATEST,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const post = 'POST /v2/systems/@me/switches'
/** Accepted, because clocks differ. */
const TOMORROW = formatInstant(testApp.deps.now() + 23 * HOUR)
/** Refused, because it is too far in the future. */
const DAY_AFTER = formatInstant(testApp.deps.now() + 25 * HOUR)

/** Event of a new switch. */
const createdEvent = (time: string, ...members: string[]): [string, string, Json] => [
  'CREATE_SWITCH',
  anyUuid,
  { timestamp: at(time), members: members.map((name) => `<${name}.uuid>`) },
]

describe('logging a switch', () => {
  runScenarios(testApp, {
    'logging a switch returns complete members in order, without their system': {
      ask: post,
      body: { members: ['<heron>', '<wren>'], timestamp: '2024-02-01T00:00:00Z' },
      has: {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4/),
        timestamp: '2024-02-01T00:00:00Z',
        members: [
          { id: '<heron>', name: 'Heron', privacy: { visibility: 'public' } },
          { id: '<wren>', name: 'Wren', autoproxy_enabled: true },
        ],
      },
      lacks: ['"system"'],
      events: [createdEvent('2024-02-01T00:00:00Z', 'heron', 'wren')],
      after: async (fixture, { json }) => {
        expect(await fixture.get('GET /v2/systems/@me/fronters')).toEqual(json)
        expect(await fixture.get(`GET /v2/systems/@me/switches/${json.id}`)).toEqual(json)
        const [newest] = await fixture.get<Json[]>('GET /v2/systems/@me/switches')
        expect(newest).toEqual({ ...json, members: [fixture.heron.hid, fixture.wren.hid] })
      },
    },
    'logging a switch accepts every form of member reference': {
      ask: post,
      body: {
        members: ['<heron.upperDashed>', '<wren.upperUuid>', '<finch.dashed>'],
        timestamp: '2024-02-01T00:00:00Z',
      },
      has: { members: [{ name: 'Heron' }, { name: 'Wren' }, { name: 'Finch' }] },
      events: [createdEvent('2024-02-01T00:00:00Z', 'heron', 'wren', 'finch')],
    },
    'logging a switch without members is a switch-out': {
      ask: post,
      body: { members: [], timestamp: '2024-02-01T00:00:00Z' },
      has: { members: [] },
      events: [createdEvent('2024-02-01T00:00:00Z')],
    },
    'logging a switch for another system is refused': {
      ask: 'POST /v2/systems/<other>/switches',
      body: { members: ['<wren>'] },
      status: 403,
    },
    'logging a switch in the past does not change the fronters': {
      ask: post,
      body: { members: ['<heron>'], timestamp: '2023-01-01T00:00:00Z' },
      has: { members: [{ name: 'Heron' }] },
      events: [createdEvent('2023-01-01T00:00:00Z', 'heron')],
      after: async (fixture) =>
        expect(await fixture.get('GET /v2/systems/@me/fronters')).toMatchObject({
          id: fixture.latest.uuid,
        }),
    },
    'logging a switch in the near future changes the fronters': {
      ask: post,
      body: { members: ['<heron>'], timestamp: TOMORROW },
      has: { members: [{ name: 'Heron' }] },
      events: [createdEvent(TOMORROW, 'heron')],
      after: async (fixture) =>
        expect(await fixture.get('GET /v2/systems/@me/fronters')).toMatchObject({
          timestamp: TOMORROW,
        }),
    },
    'logging a switch in the far future is refused together with all other problems': {
      ask: post,
      body: { members: 'heron', timestamp: DAY_AFTER },
      status: 400,
      code: 40001,
      problems: ['members', 'timestamp'],
    },
    'logging a switch accepts keys in any case': {
      ask: post,
      body: { Members: ['<heron>'], TIMESTAMP: '2024-02-01T00:00:00Z' },
      has: { timestamp: '2024-02-01T00:00:00Z', members: [{ name: 'Heron' }] },
      events: [createdEvent('2024-02-01T00:00:00Z', 'heron')],
    },
    'logging a switch prefers a key in its exact case': {
      ask: post,
      body: { members: ['<heron>'], Members: ['<wren>'], timestamp: '2024-02-01T00:00:00Z' },
      has: { members: [{ name: 'Heron' }] },
      events: [createdEvent('2024-02-01T00:00:00Z', 'heron')],
    },
    'logging a switch reports a problem under the exact key, whatever its case': {
      ask: post,
      body: { MEMBERS: 'heron', Timestamp: 'noon' },
      status: 400,
      code: 40001,
      problems: ['members', 'timestamp'],
    },
    'logging a switch refuses the same member twice': {
      ask: post,
      body: { members: ['<wren>', '<heron>', '<wren>'] },
      status: 400,
      code: 40003,
    },
    'logging a switch refuses the short ID and the UUID of the same member': {
      ask: post,
      body: { members: ['<wren.upper>', '<wren.uuid>'] },
      status: 400,
      code: 40003,
    },
    'logging a switch refuses the current fronters': {
      ask: post,
      body: { members: ['<finch.uuid>'] },
      status: 400,
      code: 40004,
    },
    'logging a switch refuses the current fronters at a later time': {
      ask: post,
      body: { members: ['<finch>'], timestamp: '2024-01-02T10:00:00.500001Z' },
      status: 400,
      code: 40004,
    },
    'logging a switch refuses the fronters of a latest switch in the future': {
      given: (fixture) => fixture.do(post, { members: ['<heron>'], timestamp: TOMORROW }),
      ask: post,
      body: { members: ['<heron>'] },
      status: 400,
      code: 40004,
    },
    'logging a switch refuses a second switch-out': {
      given: (fixture) => fixture.do(post, { members: [] }),
      ask: post,
      body: { members: [] },
      status: 400,
      code: 40004,
    },
    'logging a switch accepts the current fronters at an earlier time': {
      ask: post,
      body: { members: ['<finch>'], timestamp: '2023-01-01T00:00:00Z' },
      has: { members: [{ name: 'Finch' }] },
      events: [createdEvent('2023-01-01T00:00:00Z', 'finch')],
    },
    'logging a switch accepts the current fronters in another order': {
      given: (fixture) => fixture.do(post, { members: ['<wren>', '<finch>'] }),
      ask: post,
      body: { members: ['<finch>', '<wren>'], timestamp: TOMORROW },
      events: [createdEvent(TOMORROW, 'finch', 'wren')],
    },
    'logging a switch refuses the time of another switch': {
      ask: post,
      body: { members: ['<heron>'], timestamp: LATEST },
      status: 400,
      code: 40005,
    },
    'logging a switch refuses the time of another switch in another time zone': {
      ask: post,
      body: { members: ['<heron>'], timestamp: '2024-01-02T12:00:00.5000009+02:00' },
      status: 400,
      code: 40005,
    },
    'logging a switch accepts the time of a switch of another system': {
      as: 'other',
      ask: post,
      body: { members: [], timestamp: LATEST },
      events: [createdEvent(LATEST)],
    },
    'logging a switch names an unknown member and logs nothing': {
      ask: post,
      body: { members: ['<wren>', 'zzzzz'] },
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
    },
    'logging a switch names a member of another system and logs nothing': {
      ask: post,
      body: { members: ['<wren>', '<stray>'] },
      status: 403,
      code: 30008,
      message: "Member '<stray>' is not part of your system.",
    },
    'logging a switch requires members': {
      ask: post,
      body: { timestamp: '2024-02-01T00:00:00Z' },
      status: 400,
      code: 40001,
      problems: ['members'],
    },
    'logging a switch reports all problems at once': {
      ask: post,
      body: { members: 'wren', timestamp: 'noon' },
      status: 400,
      code: 40001,
      problems: ['members', 'timestamp'],
    },
  })

  test('logging a switch uses the current time when the timestamp is missing or null', async () => {
    const fixture = await createFixture(testApp)
    const before = testApp.deps.now()
    const first = await fixture.do(post, { members: ['<heron>'] })
    const second = await fixture.do(post, { members: ['<wren>'], timestamp: null, mood: 'fine' })
    const times = [first, second].map(({ timestamp }) => at(String(timestamp)))
    const all = [before, ...times, testApp.deps.now()]
    expect(all).toEqual(all.toSorted((a, b) => a - b))
  })

  test('logging a switch accepts at most 150 members', async () => {
    const fixture = await createFixture(testApp)
    const uuids = await testApp.deps.transact('new', async (tx) => {
      const rows = []
      for (let number = 0; number < 151; number++)
        rows.push(await insertMember(tx, fixture.owner.id, { name: `Bee ${number}` }))
      return rows.map(({ uuid }) => uuid)
    })
    const logged = await fixture.do(post, { members: uuids.slice(0, 150) })
    expect((logged.members as Json[]).map(({ uuid }) => uuid)).toEqual(uuids.slice(0, 150))
    const line = 'PATCH /v2/systems/@me/switches/<first>/members'
    for (const answer of [
      await fixture.ask(post, { members: uuids }),
      await fixture.ask(line, uuids),
    ])
      expect(answer).toMatchObject({
        status: 400,
        json: { code: 40001, errors: { members: [{ max_length: 150, actual_length: 151 }] } },
      })
  })

  test('concurrent requests log only one of several identical or simultaneous switches', async () => {
    const fixture = await createFixture(testApp)
    const same = await Promise.all(
      Array.from({ length: 4 }, () => fixture.ask(post, { members: ['<heron>'] })),
    )
    expect(same.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40004, 40004, 40004])
    const timestamp = '2024-02-01T00:00:00Z'
    const sameTime = await Promise.all(
      ['<heron>', '<wren>', '<finch>'].map((ref) =>
        fixture.ask(post, { members: [ref], timestamp }),
      ),
    )
    expect(sameTime.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40005, 40005])
  })

  const notMembers = [null, 'x', 1, true, {}, [1], [null], ['<wren>', 5], [['<wren>']]]
  const refused: Scenarios = {}
  for (const members of notMembers)
    refused[`logging a switch refuses the members ${JSON.stringify(members)}`] = {
      ask: post,
      body: { members },
      status: 400,
      code: 40001,
      problems: ['members'],
    }
  for (const body of ['', '{', '[]', 'null', '["<wren>"]'])
    refused[`logging a switch refuses the body ${body || '(empty)'}`] = {
      ask: post,
      body,
      status: 400,
    }
  runScenarios(testApp, refused)
})
