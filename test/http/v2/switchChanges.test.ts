import { formatInstant, HOUR } from '../../../src/model/core/time'
import {
  at,
  createFixture,
  FIRST,
  type Json,
  LATEST,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()
const TOMORROW = formatInstant(testApp.deps.now() + 23 * HOUR)

describe('moving a switch', () => {
  const patch = 'PATCH /v2/systems/@me/switches/<first>'
  runScenarios(testApp, {
    'moving a switch changes its time and keeps its members': {
      ask: patch,
      body: { timestamp: '2024-01-01T11:00:00.000002Z', members: [] },
      has: {
        id: '<first>',
        timestamp: '2024-01-01T11:00:00.000002Z',
        members: [{ name: 'Wren' }, { name: 'Finch' }],
      },
      events: [['UPDATE_SWITCH', '<first>', { timestamp: at('2024-01-01T11:00:00.000002Z') }]],
      after: async (fixture, { json }) =>
        expect(await fixture.get('GET /v2/systems/@me/switches/<first>')).toEqual(json),
    },
    'moving a switch past the latest one changes the fronters': {
      ask: patch,
      body: { timestamp: '2024-05-01T00:00:00Z' },
      events: [['UPDATE_SWITCH', '<first>', { timestamp: at('2024-05-01T00:00:00Z') }]],
      after: async (fixture) => {
        const { id } = await fixture.get('GET /v2/systems/@me/fronters')
        expect(id).toBe(fixture.first.uuid)
        const history = await fixture.get<Json[]>('GET /v2/systems/@me/switches')
        expect(history.map((past) => past.id)).toEqual([fixture.first.uuid, fixture.latest.uuid])
      },
    },
    'moving a switch to the time of another one is refused': {
      ask: patch,
      body: { timestamp: LATEST },
      status: 400,
      code: 40005,
    },
    'moving a switch to its own time is refused': {
      ask: patch,
      body: { timestamp: FIRST },
      status: 400,
      code: 40005,
    },
    'moving a switch to the time of a switch of another system is accepted': {
      as: 'other',
      ask: 'PATCH /v2/systems/@me/switches/<otherSwitch>',
      body: { timestamp: LATEST },
      events: [['UPDATE_SWITCH', '<otherSwitch>', { timestamp: at(LATEST) }]],
    },
    'moving a switch of another system is refused': {
      ask: 'PATCH /v2/systems/@me/switches/<otherSwitch>',
      body: { timestamp: '2024-05-01T00:00:00Z' },
      status: 404,
      code: 20008,
    },
    'moving a switch into the near future is accepted': {
      ask: patch,
      body: { timestamp: TOMORROW },
      has: { timestamp: TOMORROW },
      events: [['UPDATE_SWITCH', '<first>', { timestamp: at(TOMORROW) }]],
    },
    'moving a switch into the far future is refused': {
      ask: patch,
      body: { timestamp: formatInstant(testApp.deps.now() + 25 * HOUR) },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    },
    'moving a switch requires a timestamp': {
      ask: patch,
      body: {},
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    },
    'moving a switch refuses null as timestamp': {
      ask: patch,
      body: { timestamp: null },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    },
    'moving a switch refuses a list as body': { ask: patch, body: '[]', status: 400 },
  })

  test('only one of two switches that concurrently move to the same time is moved', async () => {
    const fixture = await createFixture(testApp)
    const body = { timestamp: '2024-05-01T00:00:00Z' }
    const answers = await Promise.all([
      fixture.ask('PATCH /v2/systems/@me/switches/<first>', body),
      fixture.ask('PATCH /v2/systems/@me/switches/<latest>', body),
    ])
    expect(answers.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40005])
  })
})

describe('changing the members of a switch', () => {
  const patch = 'PATCH /v2/systems/@me/switches/<first>/members'
  const updatedEvent = (...names: string[]): [string, string, Json] => [
    'UPDATE_SWITCH',
    '<first>',
    { members: names.map((name) => `<${name}.uuid>`) },
  ]
  const refused: Scenarios = {}
  for (const body of ['', '{}', 'null', '{"members": []}', '[1]', '[null]', '["<wren>", 5]', '['])
    refused[`changing the members of a switch refuses the body ${body || '(empty)'}`] = {
      ask: patch,
      body,
      status: 400,
    }

  runScenarios(testApp, {
    ...refused,
    'changing the members of a switch replaces them': {
      ask: patch,
      body: ['<heron.upper>', '<wren.uuid>'],
      has: {
        id: '<first>',
        timestamp: FIRST,
        members: [{ name: 'Heron', autoproxy_enabled: true }, { name: 'Wren' }],
      },
      lacks: ['"system"'],
      events: [updatedEvent('heron', 'wren')],
      after: async (fixture, { json }) =>
        expect(await fixture.get('GET /v2/systems/@me/switches/<first>')).toEqual(json),
    },
    'changing the members of a switch accepts another order': {
      ask: patch,
      body: ['<finch>', '<wren>'],
      has: { members: [{ name: 'Finch' }, { name: 'Wren' }] },
      events: [updatedEvent('finch', 'wren')],
    },
    'changing the members of a switch accepts an empty list': {
      ask: patch,
      body: [],
      has: { members: [] },
      events: [updatedEvent()],
    },
    'changing the members of a switch refuses the same members in the same order': {
      ask: patch,
      body: ['<wren.uuid>', '<finch.dashed>'],
      status: 400,
      code: 40004,
    },
    'changing the members of a switch refuses the same member twice': {
      ask: patch,
      body: ['<heron>', '<heron.uuid>'],
      status: 400,
      code: 40003,
    },
    'changing the members of a switch accepts the members of the next switch': {
      ask: patch,
      body: ['<finch>'],
      has: { members: [{ name: 'Finch' }] },
      events: [updatedEvent('finch')],
    },
    'changing the members of a switch names an unknown member and changes nothing': {
      ask: patch,
      body: ['<heron>', 'zzzzz'],
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
    },
    'changing the members of a switch of another system is refused': {
      ask: 'PATCH /v2/systems/@me/switches/<otherSwitch>/members',
      body: ['<heron>'],
      status: 404,
      code: 20008,
    },
    'changing the members of a switch names a member of another system and changes nothing': {
      ask: patch,
      body: ['<heron>', '<stray>'],
      status: 403,
      code: 30008,
      message: "Member '<stray>' is not part of your system.",
    },
  })
})

describe('deleting a switch', () => {
  runScenarios(testApp, {
    'deleting the latest switch makes the one before it current': {
      ask: 'DELETE /v2/systems/@me/switches/<latest.upperUuid>',
      status: 204,
      events: [['DELETE_SWITCH', '<latest>', null]],
      after: async (fixture) => {
        const path = '/v2/systems/@me/switches/<latest>'
        expect((await fixture.ask(`GET ${path}`)).json.code).toBe(20008)
        expect((await fixture.ask(`DELETE ${path}`)).json.code).toBe(20008)
        const { id } = await fixture.get('GET /v2/systems/@me/fronters')
        expect(id).toBe(fixture.first.uuid)
      },
    },
    'deleting a switch of another system is refused': {
      ask: 'DELETE /v2/systems/@me/switches/<otherSwitch>',
      status: 404,
      code: 20008,
    },
    'deleting a switch keeps its members': {
      ask: 'DELETE /v2/systems/@me/switches/<latest>',
      status: 204,
      events: [['DELETE_SWITCH', '<latest>', null]],
      after: (fixture) => fixture.get('GET /v2/members/<finch>'),
    },
  })

  test('a request concurrent with the deletion of a switch succeeds or returns 404', async () => {
    const path = '/v2/systems/@me/switches/<latest>'
    const requests = [
      [`DELETE ${path}`],
      [`PATCH ${path}`, { timestamp: '2024-05-01T00:00:00Z' }],
      [`PATCH ${path}/members`, ['<heron>']],
    ] as const
    for (const [line, body] of requests) {
      const fixture = await createFixture(testApp)
      const answers = await Promise.all([fixture.ask(`DELETE ${path}`), fixture.ask(line, body)])
      const statuses = answers.map(({ status }) => status)
      // Either of two deletions may be the first.
      const [deletion, other] = line === requests[0][0] ? statuses.toSorted() : statuses
      expect(deletion).toBe(204)
      expect([200, 404], line).toContain(other as number)
    }
  })
})
