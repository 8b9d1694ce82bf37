import { describe, expect, test } from 'bun:test'
import { formatInstant, SECOND } from '../../../src/model/time'
import { insertSwitch } from '../../../src/service/switches'
import {
  at,
  createFixture,
  type ExpectedEvent,
  everyone,
  FIRST,
  type Fixture,
  LATEST,
  runScenarios,
  type Scenario,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const house = createTestApp()

interface Listed {
  timestamp: string
  members: string[]
}

const history = [
  { timestamp: LATEST, members: ['<finch>'] },
  { timestamp: FIRST, members: ['<wren>', '<finch>'] },
]

describe('a system’s switches', () => {
  runScenarios(house, {
    'are listed newest first, by time and short IDs alone': {
      as: everyone,
      ask: 'GET /v1/s/<own>/switches',
      json: history,
    },
    'are listed for any form of the short ID': {
      as: everyone,
      ask: 'GET /v1/s/<own.upperDashed>/switches',
      json: history,
    },
    'are listed before a time, but not at it': {
      as: everyone,
      ask: `GET /v1/s/<own>/switches?before=${LATEST}`,
      json: [history[1]],
    },
    'are told apart by a microsecond': {
      ask: 'GET /v1/s/<own>/switches?before=2024-01-01T10:00:00.000002Z',
      json: [history[1]],
    },
    'are none before the first': {
      ask: `GET /v1/s/<own>/switches?before=${FIRST}`,
      json: [],
    },
    'are listed before a time with an offset': {
      ask: 'GET /v1/s/<own>/switches?before=2024-01-02T12:00:00%2B02:00',
      json: [history[1]],
    },
    'know no other limit than their own': {
      ask: 'GET /v1/s/<own>/switches?limit=1&order=oldest',
      json: history,
    },
    'are missing with their system': {
      as: everyone,
      ask: 'GET /v1/s/qqqqq/switches',
      status: 404,
      code: 20001,
    },
    'are not listed by a UUID': { ask: 'GET /v1/s/<own.uuid>/switches', status: 404, code: 20001 },
    ...Object.fromEntries(
      ['', 'null', 'yesterday', '2024-02-30', '1704103200'].map((before) => [
        `are not listed before "${before}"`,
        {
          as: everyone,
          ask: `GET /v1/s/<own>/switches?before=${before}`,
          status: 400,
          message: /before must/,
        },
      ]),
    ),
  })

  test('are an empty list where there are none', async () => {
    const { hid } = await house.makeSystem()
    expect(await house.ask(`GET /v1/s/${hid}/switches`)).toMatchObject({ status: 200, json: [] })
  })

  test('are at most 100, and the rest follows before the last of them', async () => {
    const world = await createFixture(house)
    const { owner, wren, finch, get } = world
    const start = at('2024-06-01T00:00:00Z')
    await house.deps.transact('new', async (tx) => {
      for (let count = 0; count < 203; count++)
        await insertSwitch(house.deps, tx, owner.id, start + count, [count % 2 ? wren : finch])
    })
    const pages: Listed[][] = []
    let line = 'GET /v1/s/<own>/switches'
    for (let page = 0; page < 4; page++) {
      const listed = await get<Listed[]>(line, 'nobody')
      pages.push(listed)
      line = `GET /v1/s/<own>/switches?before=${listed.at(-1)?.timestamp}`
    }
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 5, 0])
    const times = pages.flat().map(({ timestamp }) => timestamp)
    const later = Array.from({ length: 203 }, (_, count) => formatInstant(start + 202 - count))
    expect(times).toEqual([...later, LATEST, FIRST])
  })
})

describe('a system’s fronters', () => {
  runScenarios(house, {
    'are the whole members of the latest switch': {
      ask: 'GET /v1/s/<own>/fronters',
      has: { members: [{ id: '<finch>', visibility: 'public' }] },
      after: async ({ get }, { json }) =>
        expect(json).toEqual({ timestamp: LATEST, members: [await get('GET /v1/m/<finch>')] }),
    },
    'are shown to others without their levels': {
      as: ['other', 'nobody'],
      ask: 'GET /v1/s/<own.upperDashed>/fronters',
      has: { timestamp: LATEST, members: [{ name: 'Finch', visibility: null, privacy: null }] },
    },
    'come in the order of the switch': {
      given: log(['<heron>', '<wren>', '<finch>']),
      as: everyone,
      ask: 'GET /v1/s/<own>/fronters',
      has: { members: [{ name: 'Heron' }, { name: 'Wren' }, { name: 'Finch' }] },
    },
    'are those of the latest time, not of the last word': {
      given: ({ do: write }) =>
        write('POST /v2/systems/@me/switches', { members: ['<heron>'], timestamp: FIRST_BUT_ONE }),
      ask: 'GET /v1/s/<own>/fronters',
      has: { timestamp: LATEST, members: [{ name: 'Finch' }] },
    },
    'are nobody after a switch-out': {
      given: log([]),
      as: everyone,
      ask: 'GET /v1/s/<own>/fronters',
      has: { members: [] },
    },
    'are missing with their system': {
      as: everyone,
      ask: 'GET /v1/s/qqqqq/fronters',
      status: 404,
      code: 20001,
    },
    'are not found by a UUID': { ask: 'GET /v1/s/<own.uuid>/fronters', status: 404, code: 20001 },
  })

  test('are missing where there are no switches', async () => {
    const owner = await house.makeSystem()
    for (const as of [owner, await house.makeSystem(), null]) {
      const { status, json } = await house.ask(`GET /v1/s/${owner.hid}/fronters`, { as })
      expect({ status, code: json.code }).toEqual({ status: 404, code: 0 })
    }
  })
})

const FIRST_BUT_ONE = '2024-01-01T12:00:00Z'

describe('logging a switch', () => {
  runScenarios(house, {
    'is done without a word': {
      ...logging('<heron>', '<wren>'),
      status: 204,
      events: told(['<heron.uuid>', '<wren.uuid>']),
      after: (world) => expectFront(world, ['Heron', 'Wren']),
    },
    'takes IDs in every form': {
      ...logging('<heron.upper>', '<wren.dashed>', '<finch.upperDashed>'),
      status: 204,
      events: told(['<heron.uuid>', '<wren.uuid>', '<finch.uuid>']),
      after: (world) => expectFront(world, ['Heron', 'Wren', 'Finch']),
    },
    'takes its key in any case': {
      ask: 'POST /v1/s/switches',
      body: { Members: ['<heron>'] },
      status: 204,
      events: told(['<heron.uuid>']),
      after: (world) => expectFront(world, ['Heron']),
    },
    'of nobody is a switch-out': {
      ...logging(),
      status: 204,
      events: told([]),
      after: (world) => expectFront(world, []),
    },
    'is now, and looks at no other key': {
      ask: 'POST /v1/s/switches',
      body: { members: ['<heron>'], timestamp: 'garbage', id: 7 },
      status: 204,
      events: told(['<heron.uuid>']),
      after: async ({ get, home }) => {
        const [latest] = await get<Listed[]>('GET /v1/s/<own>/switches')
        expect(home.deps.now() - at(latest?.timestamp ?? '')).toBeLessThan(60 * SECOND)
      },
    },
    'of the same members in another order is another switch': {
      given: log(['<wren>', '<finch>']),
      ...logging('<finch>', '<wren>'),
      status: 204,
      events: told(['<finch.uuid>', '<wren.uuid>']),
    },
    'belongs to the system of the token': {
      as: 'other',
      ...logging(),
      status: 204,
      events: told([]),
      after: (world) => expectFront(world, ['Finch']),
    },
    'needs a token': { as: 'nobody', ...logging('<heron>'), status: 401 },
    'refuses the same member twice': {
      ...logging('<wren>', '<heron>', '<wren.upperDashed>'),
      status: 400,
      code: 40003,
    },
    'refuses who fronts already': { ...logging('<finch.upper>'), status: 400, code: 40004 },
    'refuses a second switch-out': { given: log([]), ...logging(), status: 400, code: 40004 },
    'refuses a member that nobody knows': {
      ...logging('<wren>', 'qqqqq'),
      status: 400,
      message: "400: Bad Request (Member 'qqqqq' not found.)",
    },
    'refuses a member of another system': {
      ...logging('<wren>', '<stray>'),
      status: 400,
      message: "400: Bad Request (Member '<stray>' is not part of your system.)",
    },
    'refuses more than 150 members': {
      ...logging(...Array.from({ length: 151 }, () => '<wren>')),
      status: 400,
      code: 40001,
      has: { errors: { members: [{ max_length: 150, actual_length: 151 }] } },
    },
    ...Object.fromEntries(
      [{}, { members: null }, { members: '<wren>' }, { members: [7] }, { members: {} }].map(
        (body) => [
          `needs a list of members, unlike ${JSON.stringify(body)}`,
          { ask: 'POST /v1/s/switches', body, status: 400, code: 40001, problems: ['members'] },
        ],
      ),
    ),
    ...Object.fromEntries(
      ['', 'members', '{"members":', '[]', '["<wren>"]', 'null', '7'].map((body) => [
        `is refused where the body is no JSON object: ${body}`,
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

function logging(...members: string[]): Pick<Scenario, 'ask' | 'body'> {
  return { ask: 'POST /v1/s/switches', body: { members } }
}

function log(members: string[]) {
  return ({ do: write }: Fixture) => write('POST /v1/s/switches', { members })
}

function told(members: string[]): ExpectedEvent[] {
  return [['CREATE_SWITCH', expect.any(String), { timestamp: expect.any(Number), members }]]
}

async function expectFront({ get }: Fixture, names: string[]): Promise<void> {
  const { members } = await get<{ members: { name: string }[] }>('GET /v1/s/<own>/fronters')
  expect(members.map(({ name }) => name)).toEqual(names)
}
