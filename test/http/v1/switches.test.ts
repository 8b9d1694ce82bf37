import { formatInstant, SECOND } from '../../../src/model/core/time'
import { insertSwitch } from '../../../src/store/front/switchChanges'
import {
  allCallers,
  at,
  createFixture,
  type ExpectedEvent,
  FIRST,
  type Fixture,
  LATEST,
  runScenarios,
  type Scenario,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

interface ListedSwitch {
  timestamp: string
  members: string[]
}

const history = [
  { timestamp: LATEST, members: ['<finch>'] },
  { timestamp: FIRST, members: ['<wren>', '<finch>'] },
]

describe('listing switches in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/s/{id}/switches returns times and short IDs, newest first': {
      as: allCallers,
      ask: 'GET /v1/s/<own>/switches',
      json: history,
    },
    'GET /v1/s/{id}/switches accepts any form of the short ID': {
      as: allCallers,
      ask: 'GET /v1/s/<own.upperDashed>/switches',
      json: history,
    },
    'GET /v1/s/{id}/switches returns switches before a time, excluding that time': {
      as: allCallers,
      ask: `GET /v1/s/<own>/switches?before=${LATEST}`,
      json: [history[1]],
    },
    'GET /v1/s/{id}/switches compares times by the microsecond': {
      ask: 'GET /v1/s/<own>/switches?before=2024-01-01T10:00:00.000002Z',
      json: [history[1]],
    },
    'GET /v1/s/{id}/switches returns an empty list before the first switch': {
      ask: `GET /v1/s/<own>/switches?before=${FIRST}`,
      json: [],
    },
    'GET /v1/s/{id}/switches accepts a time with an offset': {
      ask: 'GET /v1/s/<own>/switches?before=2024-01-02T12:00:00%2B02:00',
      json: [history[1]],
    },
    'GET /v1/s/{id}/switches ignores the parameters limit and order': {
      ask: 'GET /v1/s/<own>/switches?limit=1&order=oldest',
      json: history,
    },
    'GET /v1/s/{id}/switches returns 404 for an unknown system': {
      as: allCallers,
      ask: 'GET /v1/s/qqqqq/switches',
      status: 404,
      code: 20001,
    },
    'GET /v1/s/{id}/switches returns 404 for a UUID': {
      ask: 'GET /v1/s/<own.uuid>/switches',
      status: 404,
      code: 20001,
    },
    ...Object.fromEntries(
      ['', 'null', 'yesterday', '2024-02-30', '1704103200'].map((before) => [
        `GET /v1/s/{id}/switches refuses the time "${before}"`,
        {
          as: allCallers,
          ask: `GET /v1/s/<own>/switches?before=${before}`,
          status: 400,
          message: /before must/,
        },
      ]),
    ),
  })

  test('GET /v1/s/{id}/switches returns an empty list for a system without switches', async () => {
    const { hid } = await testApp.makeSystem()
    expect(await testApp.ask(`GET /v1/s/${hid}/switches`)).toMatchObject({ status: 200, json: [] })
  })

  test('GET /v1/s/{id}/switches returns pages of at most 100 switches', async () => {
    const fixture = await createFixture(testApp)
    const { owner, wren, finch, get } = fixture
    const start = at('2024-06-01T00:00:00Z')
    await testApp.deps.transact('new', async (tx) => {
      for (let count = 0; count < 203; count++)
        await insertSwitch(testApp.deps, tx, owner.id, start + count, [count % 2 ? wren : finch])
    })
    const pages: ListedSwitch[][] = []
    let line = 'GET /v1/s/<own>/switches'
    for (let page = 0; page < 4; page++) {
      const listed = await get<ListedSwitch[]>(line, 'anonymous')
      pages.push(listed)
      line = `GET /v1/s/<own>/switches?before=${listed.at(-1)?.timestamp}`
    }
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 5, 0])
    const times = pages.flat().map(({ timestamp }) => timestamp)
    const later = Array.from({ length: 203 }, (_, count) => formatInstant(start + 202 - count))
    expect(times).toEqual([...later, LATEST, FIRST])
  })
})

describe('reading fronters in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/s/{id}/fronters returns the complete members of the latest switch': {
      ask: 'GET /v1/s/<own>/fronters',
      has: { members: [{ id: '<finch>', visibility: 'public' }] },
      after: async ({ get }, { json }) =>
        expect(json).toEqual({ timestamp: LATEST, members: [await get('GET /v1/m/<finch>')] }),
    },
    'GET /v1/s/{id}/fronters returns no privacy levels to other callers': {
      as: ['other', 'anonymous'],
      ask: 'GET /v1/s/<own.upperDashed>/fronters',
      has: { timestamp: LATEST, members: [{ name: 'Finch', visibility: null, privacy: null }] },
    },
    'GET /v1/s/{id}/fronters keeps the order of the switch': {
      given: logSwitch(['<heron>', '<wren>', '<finch>']),
      as: allCallers,
      ask: 'GET /v1/s/<own>/fronters',
      has: { members: [{ name: 'Heron' }, { name: 'Wren' }, { name: 'Finch' }] },
    },
    'GET /v1/s/{id}/fronters returns the switch with the latest time, not the one logged last': {
      given: ({ do: write }) =>
        write('POST /v2/systems/@me/switches', { members: ['<heron>'], timestamp: BETWEEN }),
      ask: 'GET /v1/s/<own>/fronters',
      has: { timestamp: LATEST, members: [{ name: 'Finch' }] },
    },
    'GET /v1/s/{id}/fronters returns no members after a switch-out': {
      given: logSwitch([]),
      as: allCallers,
      ask: 'GET /v1/s/<own>/fronters',
      has: { members: [] },
    },
    'GET /v1/s/{id}/fronters returns 404 for an unknown system': {
      as: allCallers,
      ask: 'GET /v1/s/qqqqq/fronters',
      status: 404,
      code: 20001,
    },
    'GET /v1/s/{id}/fronters returns 404 for a UUID': {
      ask: 'GET /v1/s/<own.uuid>/fronters',
      status: 404,
      code: 20001,
    },
  })

  test('GET /v1/s/{id}/fronters returns 404 for a system without switches', async () => {
    const owner = await testApp.makeSystem()
    for (const as of [owner, await testApp.makeSystem(), null]) {
      const { status, json } = await testApp.ask(`GET /v1/s/${owner.hid}/fronters`, { as })
      expect({ status, code: json.code }).toEqual({ status: 404, code: 0 })
    }
  })
})

const BETWEEN = '2024-01-01T12:00:00Z'

describe('logging a switch in version 1', () => {
  runScenarios(testApp, {
    'POST /v1/s/switches logs a switch and returns no content': {
      ...logRequest('<heron>', '<wren>'),
      status: 204,
      events: createdEvents(['<heron.uuid>', '<wren.uuid>']),
      after: (fixture) => expectFront(fixture, ['Heron', 'Wren']),
    },
    'POST /v1/s/switches accepts member IDs in every form': {
      ...logRequest('<heron.upper>', '<wren.dashed>', '<finch.upperDashed>'),
      status: 204,
      events: createdEvents(['<heron.uuid>', '<wren.uuid>', '<finch.uuid>']),
      after: (fixture) => expectFront(fixture, ['Heron', 'Wren', 'Finch']),
    },
    'POST /v1/s/switches accepts its key in any case': {
      ask: 'POST /v1/s/switches',
      body: { Members: ['<heron>'] },
      status: 204,
      events: createdEvents(['<heron.uuid>']),
      after: (fixture) => expectFront(fixture, ['Heron']),
    },
    'POST /v1/s/switches logs a switch-out when the list is empty': {
      ...logRequest(),
      status: 204,
      events: createdEvents([]),
      after: (fixture) => expectFront(fixture, []),
    },
    'POST /v1/s/switches uses the current time and ignores other keys': {
      ask: 'POST /v1/s/switches',
      body: { members: ['<heron>'], timestamp: 'garbage', id: 7 },
      status: 204,
      events: createdEvents(['<heron.uuid>']),
      after: async ({ get, testApp }) => {
        const [latest] = await get<ListedSwitch[]>('GET /v1/s/<own>/switches')
        expect(testApp.deps.now() - at(latest?.timestamp ?? '')).toBeLessThan(60 * SECOND)
      },
    },
    'POST /v1/s/switches accepts the current fronters in another order': {
      given: logSwitch(['<wren>', '<finch>']),
      ...logRequest('<finch>', '<wren>'),
      status: 204,
      events: createdEvents(['<finch.uuid>', '<wren.uuid>']),
    },
    'POST /v1/s/switches logs the switch for the system of the token': {
      as: 'other',
      ...logRequest(),
      status: 204,
      events: createdEvents([]),
      after: (fixture) => expectFront(fixture, ['Finch']),
    },
    'POST /v1/s/switches requires a token': {
      as: 'anonymous',
      ...logRequest('<heron>'),
      status: 401,
    },
    'POST /v1/s/switches refuses the same member twice': {
      ...logRequest('<wren>', '<heron>', '<wren.upperDashed>'),
      status: 400,
      code: 40003,
    },
    'POST /v1/s/switches refuses the current fronters': {
      ...logRequest('<finch.upper>'),
      status: 400,
      code: 40004,
    },
    'POST /v1/s/switches refuses a second switch-out': {
      given: logSwitch([]),
      ...logRequest(),
      status: 400,
      code: 40004,
    },
    'POST /v1/s/switches refuses an unknown member': {
      ...logRequest('<wren>', 'qqqqq'),
      status: 400,
      message: "400: Bad Request (Member 'qqqqq' not found.)",
    },
    'POST /v1/s/switches refuses a member of another system': {
      ...logRequest('<wren>', '<stray>'),
      status: 400,
      message: "400: Bad Request (Member '<stray>' is not part of your system.)",
    },
    'POST /v1/s/switches refuses more than 150 members': {
      ...logRequest(...Array.from({ length: 151 }, () => '<wren>')),
      status: 400,
      code: 40001,
      has: { errors: { members: [{ max_length: 150, actual_length: 151 }] } },
    },
    ...Object.fromEntries(
      [{}, { members: null }, { members: '<wren>' }, { members: [7] }, { members: {} }].map(
        (body) => [
          `POST /v1/s/switches refuses a body without a list of members: ${JSON.stringify(body)}`,
          { ask: 'POST /v1/s/switches', body, status: 400, code: 40001, problems: ['members'] },
        ],
      ),
    ),
    ...Object.fromEntries(
      ['', 'members', '{"members":', '[]', '["<wren>"]', 'null', '7'].map((body) => [
        `POST /v1/s/switches refuses a body that is not a JSON object: ${body}`,
        {
          ask: 'POST /v1/s/switches',
          body,
          status: 400,
          message: /not valid JSON|must be a JSON object/,
        },
      ]),
    ),
  })
})

function logRequest(...members: string[]): Pick<Scenario, 'ask' | 'body'> {
  return { ask: 'POST /v1/s/switches', body: { members } }
}

function logSwitch(members: string[]) {
  return ({ do: write }: Fixture) => write('POST /v1/s/switches', { members })
}

function createdEvents(members: string[]): ExpectedEvent[] {
  return [['CREATE_SWITCH', expect.any(String), { timestamp: expect.any(Number), members }]]
}

async function expectFront({ get }: Fixture, names: string[]): Promise<void> {
  const { members } = await get<{ members: { name: string }[] }>('GET /v1/s/<own>/fronters')
  expect(members.map(({ name }) => name)).toEqual(names)
}
