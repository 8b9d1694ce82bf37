import { describe, expect, test } from 'bun:test'
import { formatInstant, HOUR } from '../../../src/model/time'
import {
  at,
  createFixture,
  FIRST,
  type Json,
  LATEST,
  runScenarios,
  type Scenarios,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()
const TOMORROW = formatInstant(place.deps.now() + 23 * HOUR)

describe('moving a switch', () => {
  const patch = 'PATCH /v2/systems/@me/switches/<first>'
  runScenarios(place, {
    'a switch moves to another time and keeps its members': {
      ask: patch,
      body: { timestamp: '2024-01-01T11:00:00.000002Z', members: [] },
      has: {
        id: '<first>',
        timestamp: '2024-01-01T11:00:00.000002Z',
        members: [{ name: 'Wren' }, { name: 'Finch' }],
      },
      events: [['UPDATE_SWITCH', '<first>', { timestamp: at('2024-01-01T11:00:00.000002Z') }]],
      after: async (world, { json }) =>
        expect(await world.get('GET /v2/systems/@me/switches/<first>')).toEqual(json),
    },
    'a switch that moves past the latest is who fronts': {
      ask: patch,
      body: { timestamp: '2024-05-01T00:00:00Z' },
      events: [['UPDATE_SWITCH', '<first>', { timestamp: at('2024-05-01T00:00:00Z') }]],
      after: async (world) => {
        const { id } = await world.get('GET /v2/systems/@me/fronters')
        expect(id).toBe(world.first.uuid)
        const history = await world.get<Json[]>('GET /v2/systems/@me/switches')
        expect(history.map((past) => past.id)).toEqual([world.first.uuid, world.latest.uuid])
      },
    },
    'a time that another switch has is taken': {
      ask: patch,
      body: { timestamp: LATEST },
      status: 400,
      code: 40005,
    },
    'a time that the switch itself has is taken': {
      ask: patch,
      body: { timestamp: FIRST },
      status: 400,
      code: 40005,
    },
    'a time that a switch of another system has is free': {
      as: 'other',
      ask: 'PATCH /v2/systems/@me/switches/<theirs>',
      body: { timestamp: LATEST },
      events: [['UPDATE_SWITCH', '<theirs>', { timestamp: at(LATEST) }]],
    },
    'a switch may move into the near future': {
      ask: patch,
      body: { timestamp: TOMORROW },
      has: { timestamp: TOMORROW },
      events: [['UPDATE_SWITCH', '<first>', { timestamp: at(TOMORROW) }]],
    },
    'a switch does not move into the far future': {
      ask: patch,
      body: { timestamp: formatInstant(place.deps.now() + 25 * HOUR) },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    },
    'the time must be said': {
      ask: patch,
      body: {},
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    },
    'no time is no time': {
      ask: patch,
      body: { timestamp: null },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    },
    'a list is no time': { ask: patch, body: '[]', status: 400 },
  })

  test('switches that move to the same time at once do not meet', async () => {
    const world = await createFixture(place)
    const body = { timestamp: '2024-05-01T00:00:00Z' }
    const answers = await Promise.all([
      world.ask('PATCH /v2/systems/@me/switches/<first>', body),
      world.ask('PATCH /v2/systems/@me/switches/<latest>', body),
    ])
    expect(answers.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40005])
  })
})

describe('changing who is in a switch', () => {
  const patch = 'PATCH /v2/systems/@me/switches/<first>/members'
  const changed = (...names: string[]): [string, string, Json] => [
    'UPDATE_SWITCH',
    '<first>',
    { members: names.map((name) => `<${name}.uuid>`) },
  ]
  const refused: Scenarios = {}
  for (const body of ['', '{}', 'null', '{"members": []}', '[1]', '[null]', '["<wren>", 5]', '['])
    refused[`${body || 'nothing'} is no list of members`] = { ask: patch, body, status: 400 }

  runScenarios(place, {
    ...refused,
    'others take the place of those who were in it': {
      ask: patch,
      body: ['<heron.upper>', '<wren.uuid>'],
      has: {
        id: '<first>',
        timestamp: FIRST,
        members: [{ name: 'Heron', autoproxy_enabled: true }, { name: 'Wren' }],
      },
      lacks: ['"system"'],
      events: [changed('heron', 'wren')],
      after: async (world, { json }) =>
        expect(await world.get('GET /v2/systems/@me/switches/<first>')).toEqual(json),
    },
    'the same members in another order are a change': {
      ask: patch,
      body: ['<finch>', '<wren>'],
      has: { members: [{ name: 'Finch' }, { name: 'Wren' }] },
      events: [changed('finch', 'wren')],
    },
    'nobody may be in it': {
      ask: patch,
      body: [],
      has: { members: [] },
      events: [changed()],
    },
    'the same members in the same order are refused': {
      ask: patch,
      body: ['<wren.uuid>', '<finch.dashed>'],
      status: 400,
      code: 40004,
    },
    'the same member twice is refused': {
      ask: patch,
      body: ['<heron>', '<heron.uuid>'],
      status: 400,
      code: 40003,
    },
    'it may be like the switch beside it': {
      ask: patch,
      body: ['<finch>'],
      has: { members: [{ name: 'Finch' }] },
      events: [changed('finch')],
    },
    'an unknown member is named, and nobody is changed': {
      ask: patch,
      body: ['<heron>', 'zzzzz'],
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
    },
    'somebody else’s member is named, and nobody is changed': {
      ask: patch,
      body: ['<heron>', '<stray>'],
      status: 403,
      code: 30008,
      message: "Member '<stray>' is not part of your system.",
    },
  })
})

describe('deleting a switch', () => {
  runScenarios(place, {
    'a deleted switch is gone, and the one before it is who fronts': {
      ask: 'DELETE /v2/systems/@me/switches/<latest.upperUuid>',
      status: 204,
      events: [['DELETE_SWITCH', '<latest>', null]],
      after: async (world) => {
        const path = '/v2/systems/@me/switches/<latest>'
        expect((await world.ask(`GET ${path}`)).json.code).toBe(20008)
        expect((await world.ask(`DELETE ${path}`)).json.code).toBe(20008)
        const { id } = await world.get('GET /v2/systems/@me/fronters')
        expect(id).toBe(world.first.uuid)
      },
    },
    'its members stay': {
      ask: 'DELETE /v2/systems/@me/switches/<latest>',
      status: 204,
      events: [['DELETE_SWITCH', '<latest>', null]],
      after: (world) => world.get('GET /v2/members/<finch>'),
    },
  })

  test('a switch is deleted once, and what comes at the same moment finds it whole or gone', async () => {
    const path = '/v2/systems/@me/switches/<latest>'
    const requests = [
      [`DELETE ${path}`],
      [`PATCH ${path}`, { timestamp: '2024-05-01T00:00:00Z' }],
      [`PATCH ${path}/members`, ['<heron>']],
    ] as const
    for (const [line, body] of requests) {
      const world = await createFixture(place)
      const answers = await Promise.all([world.ask(`DELETE ${path}`), world.ask(line, body)])
      const statuses = answers.map(({ status }) => status)
      // Of two who delete it either may be the first.
      const [gone, late] = line === requests[0][0] ? statuses.toSorted() : statuses
      expect(gone).toBe(204)
      expect([200, 404], line).toContain(late as number)
    }
  })
})
