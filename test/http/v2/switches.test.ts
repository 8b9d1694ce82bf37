import { describe, expect, test } from 'bun:test'
import { formatInstant, HOUR } from '../../../src/model/time'
import { insertMember } from '../../../src/service/members'
import { at, createFixture, type Json, LATEST, runScenarios, type Scenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const post = 'POST /v2/systems/@me/switches'
const some = expect.any(String)
/** Clocks differ: so far ahead is fine. */
const TOMORROW = formatInstant(place.deps.now() + 23 * HOUR)
const DAY_AFTER = formatInstant(place.deps.now() + 25 * HOUR)

/** What is told of a new switch. */
const logged = (time: string, ...members: string[]): [string, string, Json] => [
  'CREATE_SWITCH',
  some,
  { timestamp: at(time), members: members.map((name) => `<${name}.uuid>`) },
]

describe('logging a switch', () => {
  runScenarios(place, {
    'a switch answers whole members in their order, without their system': {
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
      events: [logged('2024-02-01T00:00:00Z', 'heron', 'wren')],
      after: async (world, { json }) => {
        expect(await world.get('GET /v2/systems/@me/fronters')).toEqual(json)
        expect(await world.get(`GET /v2/systems/@me/switches/${json.id}`)).toEqual(json)
        const [newest] = await world.get<Json[]>('GET /v2/systems/@me/switches')
        expect(newest).toEqual({ ...json, members: [world.heron.hid, world.wren.hid] })
      },
    },
    'members are named in every form': {
      ask: post,
      body: {
        members: ['<heron.upperDashed>', '<wren.upperUuid>', '<finch.dashed>'],
        timestamp: '2024-02-01T00:00:00Z',
      },
      has: { members: [{ name: 'Heron' }, { name: 'Wren' }, { name: 'Finch' }] },
      events: [logged('2024-02-01T00:00:00Z', 'heron', 'wren', 'finch')],
    },
    'an empty list is a switch-out': {
      ask: post,
      body: { members: [], timestamp: '2024-02-01T00:00:00Z' },
      has: { members: [] },
      events: [logged('2024-02-01T00:00:00Z')],
    },
    'nobody logs a switch for another system': {
      ask: 'POST /v2/systems/<other>/switches',
      body: { members: ['<wren>'] },
      status: 403,
    },
    'a switch in the past does not change who fronts': {
      ask: post,
      body: { members: ['<heron>'], timestamp: '2023-01-01T00:00:00Z' },
      has: { members: [{ name: 'Heron' }] },
      events: [logged('2023-01-01T00:00:00Z', 'heron')],
      after: async (world) =>
        expect(await world.get('GET /v2/systems/@me/fronters')).toMatchObject({
          id: world.latest.uuid,
        }),
    },
    'a switch in the future is accepted, and is who fronts': {
      ask: post,
      body: { members: ['<heron>'], timestamp: TOMORROW },
      has: { members: [{ name: 'Heron' }] },
      events: [logged(TOMORROW, 'heron')],
      after: async (world) =>
        expect(await world.get('GET /v2/systems/@me/fronters')).toMatchObject({
          timestamp: TOMORROW,
        }),
    },
    'a switch in the far future is refused, with all other problems': {
      ask: post,
      body: { members: 'heron', timestamp: DAY_AFTER },
      status: 400,
      code: 40001,
      problems: ['members', 'timestamp'],
    },
    'keys count in any case': {
      ask: post,
      body: { Members: ['<heron>'], TIMESTAMP: '2024-02-01T00:00:00Z' },
      has: { timestamp: '2024-02-01T00:00:00Z', members: [{ name: 'Heron' }] },
      events: [logged('2024-02-01T00:00:00Z', 'heron')],
    },
    'a key in its own case counts before others': {
      ask: post,
      body: { members: ['<heron>'], Members: ['<wren>'], timestamp: '2024-02-01T00:00:00Z' },
      has: { members: [{ name: 'Heron' }] },
      events: [logged('2024-02-01T00:00:00Z', 'heron')],
    },
    'a problem is told of the key, whatever its case': {
      ask: post,
      body: { MEMBERS: 'heron', Timestamp: 'noon' },
      status: 400,
      code: 40001,
      problems: ['members', 'timestamp'],
    },
    'the same member twice is refused': {
      ask: post,
      body: { members: ['<wren>', '<heron>', '<wren>'] },
      status: 400,
      code: 40003,
    },
    'the same member by short ID and by UUID is the same member': {
      ask: post,
      body: { members: ['<wren.upper>', '<wren.uuid>'] },
      status: 400,
      code: 40003,
    },
    'who fronts already cannot be logged again': {
      ask: post,
      body: { members: ['<finch.uuid>'] },
      status: 400,
      code: 40004,
    },
    'nor later than the latest switch': {
      ask: post,
      body: { members: ['<finch>'], timestamp: '2024-01-02T10:00:00.500001Z' },
      status: 400,
      code: 40004,
    },
    'nor while the latest switch lies in the future': {
      given: (world) => world.do(post, { members: ['<heron>'], timestamp: TOMORROW }),
      ask: post,
      body: { members: ['<heron>'] },
      status: 400,
      code: 40004,
    },
    'a switch-out after a switch-out is the same as well': {
      given: (world) => world.do(post, { members: [] }),
      ask: post,
      body: { members: [] },
      status: 400,
      code: 40004,
    },
    'who fronts now may have fronted before': {
      ask: post,
      body: { members: ['<finch>'], timestamp: '2023-01-01T00:00:00Z' },
      has: { members: [{ name: 'Finch' }] },
      events: [logged('2023-01-01T00:00:00Z', 'finch')],
    },
    'another order is another front': {
      given: (world) => world.do(post, { members: ['<wren>', '<finch>'] }),
      ask: post,
      body: { members: ['<finch>', '<wren>'], timestamp: TOMORROW },
      events: [logged(TOMORROW, 'finch', 'wren')],
    },
    'a time that the system has already is refused': {
      ask: post,
      body: { members: ['<heron>'], timestamp: LATEST },
      status: 400,
      code: 40005,
    },
    'the same time in another zone is the same time': {
      ask: post,
      body: { members: ['<heron>'], timestamp: '2024-01-02T12:00:00.5000009+02:00' },
      status: 400,
      code: 40005,
    },
    'a time that another system has is free': {
      as: 'other',
      ask: post,
      body: { members: [], timestamp: LATEST },
      events: [logged(LATEST)],
    },
    'an unknown member is named, and nothing is logged': {
      ask: post,
      body: { members: ['<wren>', 'zzzzz'] },
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
    },
    'somebody else’s member is named, and nothing is logged': {
      ask: post,
      body: { members: ['<wren>', '<stray>'] },
      status: 403,
      code: 30008,
      message: "Member '<stray>' is not part of your system.",
    },
    'members must be said': {
      ask: post,
      body: { timestamp: '2024-02-01T00:00:00Z' },
      status: 400,
      code: 40001,
      problems: ['members'],
    },
    'every problem is told at once': {
      ask: post,
      body: { members: 'wren', timestamp: 'noon' },
      status: 400,
      code: 40001,
      problems: ['members', 'timestamp'],
    },
  })

  test('without a time, or with null, it is now', async () => {
    const world = await createFixture(place)
    const before = place.deps.now()
    const first = await world.do(post, { members: ['<heron>'] })
    const second = await world.do(post, { members: ['<wren>'], timestamp: null, mood: 'fine' })
    const times = [first, second].map(({ timestamp }) => at(String(timestamp)))
    const all = [before, ...times, place.deps.now()]
    expect(all).toEqual(all.toSorted((a, b) => a - b))
  })

  test('at most 150 members front at once', async () => {
    const world = await createFixture(place)
    const made = await place.deps.transact('new', async (tx) => {
      const rows = []
      for (let number = 0; number < 151; number++)
        rows.push(await insertMember(tx, world.owner.id, { name: `Bee ${number}` }))
      return rows.map(({ uuid }) => uuid)
    })
    const most = await world.do(post, { members: made.slice(0, 150) })
    expect((most.members as Json[]).map(({ uuid }) => uuid)).toEqual(made.slice(0, 150))
    const line = 'PATCH /v2/systems/@me/switches/<first>/members'
    for (const answer of [await world.ask(post, { members: made }), await world.ask(line, made)])
      expect(answer).toMatchObject({
        status: 400,
        json: { code: 40001, errors: { members: [{ max_length: 150, actual_length: 151 }] } },
      })
  })

  test('clients at once log one switch of a kind', async () => {
    const world = await createFixture(place)
    const same = await Promise.all(
      Array.from({ length: 4 }, () => world.ask(post, { members: ['<heron>'] })),
    )
    expect(same.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40004, 40004, 40004])
    const timestamp = '2024-02-01T00:00:00Z'
    const sameTime = await Promise.all(
      ['<heron>', '<wren>', '<finch>'].map((ref) => world.ask(post, { members: [ref], timestamp })),
    )
    expect(sameTime.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40005, 40005])
  })

  const notMembers = [null, 'x', 1, true, {}, [1], [null], ['<wren>', 5], [['<wren>']]]
  const refused: Scenarios = {}
  for (const members of notMembers)
    refused[`members cannot be ${JSON.stringify(members)}`] = {
      ask: post,
      body: { members },
      status: 400,
      code: 40001,
      problems: ['members'],
    }
  for (const body of ['', '{', '[]', 'null', '["<wren>"]'])
    refused[`a switch cannot be ${body || 'nothing'}`] = { ask: post, body, status: 400 }
  runScenarios(place, refused)
})
