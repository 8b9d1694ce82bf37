import { formatInstant } from '../../../src/model/core/time'
import { insertSwitch } from '../../../src/store/front/switchChanges'
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

const list = 'GET /v2/systems/<own>/switches'

describe('the history of switches', () => {
  runScenarios(testApp, {
    'the switch history is newest first, with short IDs in the order of logging': {
      as: ['owner', 'other', 'anonymous'],
      ask: list,
      json: [
        { id: '<latest>', timestamp: LATEST, members: ['<finch>'] },
        { id: '<first>', timestamp: FIRST, members: ['<wren>', '<finch>'] },
      ],
    },
    'the switch history of a system without switches is empty': {
      as: 'other',
      given: (fixture) =>
        fixture.do('DELETE /v2/systems/@me/switches/<otherSwitch>', undefined, 'other'),
      ask: 'GET /v2/systems/@me/switches',
      json: [],
    },
    'the parameter before excludes a switch at exactly that time': {
      ask: `${list}?before=${LATEST}`,
      has: [{ id: '<first>' }],
    },
    'the parameter before compares microseconds': {
      ask: `${list}?before=2024-01-02T10:00:00.500001Z`,
      has: [{ id: '<latest>' }, { id: '<first>' }],
    },
    'the parameter before keeps a microsecond that Date would lose': {
      ask: `${list}?before=2024-01-01T10:00:00.000002Z`,
      has: [{ id: '<first>' }],
    },
    'the switch history before the first switch is empty': {
      ask: `${list}?before=${FIRST}`,
      json: [],
    },
    'the parameter before accepts an offset': {
      ask: `${list}?before=2024-01-02T12:00:00.500001%2B02:00`,
      has: [{ id: '<latest>' }, { id: '<first>' }],
    },
    'the parameter before accepts an offset whose plus is not encoded': {
      ask: `${list}?before=2024-01-02T12:00:00.500001+02:00`,
      has: [{ id: '<latest>' }, { id: '<first>' }],
    },
    'the parameter before accepts a short offset whose plus is not encoded': {
      ask: `${list}?before=2024-01-02T12:00:00.5+02`,
      has: [{ id: '<first>' }],
    },
    'the parameter before accepts a negative offset': {
      ask: `${list}?before=2024-01-02T05:00:00.5-05:00`,
      has: [{ id: '<first>' }],
    },
    'the parameter before accepts a space between date and time': {
      ask: `${list}?before=2024-01-02%2010:00`,
      has: [{ id: '<first>' }],
    },
    'the parameter before parses a date as its midnight': {
      ask: `${list}?before=2024-01-02`,
      has: [{ id: '<first>' }],
    },
    'the parameter limit limits the number of switches': {
      ask: `${list}?limit=1`,
      has: [{ id: '<latest>' }],
    },
    'the parameters limit and before can be combined': {
      ask: `${list}?limit=1&before=${LATEST}`,
      has: [{ id: '<first>' }],
    },
    'the switch history ignores unknown parameters': {
      ask: `${list}?after=2024-01-01&limit=1`,
      has: [{ id: '<latest>' }],
    },
    'the switch history of an unknown system returns 404': {
      ask: 'GET /v2/systems/zzzzz/switches?limit=5',
      status: 404,
      code: 20001,
    },
  })

  const refused: Scenarios = {}
  const queries = [
    ...[
      '',
      'null',
      'NULL',
      '0',
      '00',
      '-1',
      'abc',
      '1.5',
      '1e2',
      '0x10',
      '+5',
      '5,6',
      '%205',
      '[5]',
    ],
  ].map((limit) => `limit=${limit}`)
  queries.push('limit', 'before', 'before=', 'before=null', 'before=Null', 'before=yesterday')
  queries.push('limit=5&limit=5', 'limit=&limit=5', 'limit=5&limit=')
  queries.push(`before=${LATEST}&before=${FIRST}`, 'before=2024-02-30', 'before=1704189600')
  for (const query of queries)
    refused[`the switch history refuses the query ?${query}`] = {
      as: ['owner', 'anonymous'],
      ask: `${list}?${query}`,
      status: 400,
    }
  runScenarios(testApp, refused)

  test('a page of the switch history has at most 100 switches, whatever the limit', async () => {
    const fixture = await createFixture(testApp)
    await testApp.deps.transact('new', async (tx) => {
      for (let number = 0; number < 120; number++)
        await insertSwitch(testApp.deps, tx, fixture.owner.id, at('2024-03-01') + number, [])
    })
    const sizes: Record<string, number> = {}
    for (const query of [
      '',
      '?limit=99',
      '?limit=100',
      '?limit=101',
      '?limit=1000',
      `?limit=${'9'.repeat(30)}`,
    ])
      sizes[query] = (await fixture.get<Json[]>(`${list}${query}`)).length
    expect(Object.values(sizes)).toEqual([100, 99, 100, 100, 100, 100])
    const page = await fixture.get<Json[]>(list)
    const newest = at('2024-03-01') + 119
    expect(page.map(({ timestamp }) => timestamp)).toEqual(
      page.map((_, number) => formatInstant(newest - number)),
    )
    const before = page.at(-1)?.timestamp
    expect(await fixture.get<Json[]>(`${list}?before=${before}`)).toHaveLength(22)
  })
})

describe('fronters', () => {
  runScenarios(testApp, {
    'GET fronters returns the members of the latest switch without their system': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/systems/<own>/fronters',
      has: {
        id: '<latest>',
        timestamp: LATEST,
        members: [{ id: '<finch>', uuid: '<finch.uuid>', name: 'Finch' }],
      },
      lacks: ['"system"', 'Wren'],
    },
    'GET fronters returns 204 for a system without switches': {
      as: 'other',
      given: (fixture) =>
        fixture.do('DELETE /v2/systems/@me/switches/<otherSwitch>', undefined, 'other'),
      ask: 'GET /v2/systems/@me/fronters',
      status: 204,
    },
    'GET fronters returns no members after a switch-out': {
      as: 'anonymous',
      given: (fixture) => fixture.do('POST /v2/systems/@me/switches', { members: [] }),
      ask: 'GET /v2/systems/<own>/fronters',
      has: { members: [] },
    },
  })
})

describe('one switch', () => {
  runScenarios(testApp, {
    'GET of one switch returns its members as objects, in order': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/systems/<own>/switches/<first>',
      has: {
        id: '<first>',
        timestamp: FIRST,
        members: [{ id: '<wren>', name: 'Wren' }, { name: 'Finch' }],
      },
      lacks: ['"system"'],
    },
    'GET of one switch accepts its UUID in upper case': {
      ask: 'GET /v2/systems/@me/switches/<first.upperUuid>',
      has: { id: '<first>' },
    },
  })

  const single: Scenarios = {}
  const methods: [string, unknown][] = [
    ['GET', undefined],
    ['DELETE', undefined],
    ['PATCH', { timestamp: '2024-06-01' }],
  ]
  const paths = methods.map(([method, body]) => ({ method, body, tail: '' }))
  paths.push({ method: 'PATCH', body: ['<wren>'], tail: '/members' })
  const notUuids = ['abcde', '<wren>', '1', '@me', '00000000-0000-4000-8000-00000000000', '%00']
  for (const { method, body, tail } of paths) {
    const ask = (ref: string) => `${method} /v2/systems/@me/switches/${ref}${tail}`
    for (const ref of notUuids)
      single[`${method} switches/{id}${tail} refuses ${ref}, which is not a UUID`] = {
        ask: ask(ref),
        body,
        status: 400,
        code: 40006,
      }
    for (const ref of ['<otherSwitch>', '00000000-0000-4000-8000-000000000000', '<wren.uuid>'])
      single[`${method} switches/{id}${tail} returns 404 for ${ref}`] = {
        ask: ask(ref),
        body,
        status: 404,
        code: 20008,
      }
  }
  runScenarios(testApp, {
    ...single,
    'GET of one switch returns 404 through another system': {
      ask: 'GET /v2/systems/<other>/switches/<first>',
      as: ['owner', 'other', 'anonymous'],
      status: 404,
      code: 20008,
    },
  })
})
