import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createInserter } from '../../../../src/db/rows'
import { switches } from '../../../../src/db/tables'
import { insert } from '../../../rawSql'
import { createFixture, type Fixture, runScenarios } from '../../../scenarios'
import { createTestApp } from '../../../testApp'

const insertImport = createInserter('imports', ['place_id', 'system_id', 'until'])

const place = createTestApp()

const SPAN = 'since=2024-01-01T00:00:00Z&until=2024-01-03T00:00:00Z'
const paths = ['stints', 'totals', 'days', 'hours', 'pairs']
const none = Array.from({ length: 24 }, () => 0)

const closeHistory = ({ do: change }: Fixture) =>
  change('PATCH /v2/systems/@me', { privacy: { front_history_privacy: 'private' } })

const hide = (name: string) => (world: Fixture) =>
  world.do(`PATCH /v2/members/<${name}>`, { privacy: { visibility: 'private' } })

describe('what fronting answers', () => {
  runScenarios(place, {
    'stints are whole, newest first, and the last one lasts': {
      as: ['owner', 'other', 'nobody'],
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}`,
      has: { length: 2 },
      after: async ({ wren, finch }, { json }) => {
        const whole = [
          { member: wren.hid, to: '2024-01-02T10:00:00.5Z', open: false },
          { member: finch.hid, to: null, open: true },
        ]
        const from = '2024-01-01T10:00:00.000001Z'
        expect(json as unknown).toEqual(
          whole
            .sort((a, b) => (a.member < b.member ? -1 : 1))
            .map(({ member, to, open }) => ({ member, from, to, open })),
        )
      },
    },
    'totals are cut to the span': {
      ask: `GET /v2/systems/<own>/fronting/totals?${SPAN}`,
      json: {
        since: '2024-01-01T00:00:00Z',
        until: '2024-01-03T00:00:00Z',
        switches: 2,
        nobody: 0,
        hidden: null,
        members: [
          {
            member: '<finch>',
            time: 136799,
            share: 0.7917,
            stints: 1,
            longest: 136799,
            shortest: 136799,
            average: 136799,
            median: 136799,
            last: null,
          },
          {
            member: '<wren>',
            time: 86400,
            share: 0.5,
            stints: 1,
            longest: 86400,
            shortest: 86400,
            average: 86400,
            median: 86400,
            last: '2024-01-02T10:00:00.5Z',
          },
        ],
      },
    },
    'pairs say how long and how often': {
      ask: `GET /v2/systems/<own>/fronting/pairs?${SPAN}`,
      has: [{ time: 86400, times: 1 }],
    },
    'a system without switches has days, but nobody in them': {
      given: ({ home, owner }) =>
        home.deps.transact('new', (tx) =>
          tx
            .delete(switches)
            .where(eq(switches.system_id, owner.id))
            .then(() => undefined),
        ),
      ask: 'GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02',
      json: [
        {
          start: '2024-01-01T00:00:00Z',
          end: '2024-01-02T00:00:00Z',
          switches: 0,
          nobody: 0,
          hidden: null,
          members: {},
        },
      ],
    },
    'a span that lies ahead has no time': {
      ask: 'GET /v2/systems/<own>/fronting/totals?since=2250-01-01&until=2250-01-02',
      has: { switches: 0, nobody: 0, members: [] },
    },
    'a span of centuries is answered': {
      ask: 'GET /v2/systems/<own>/fronting/hours?since=1700-01-01&until=2250-01-01&zone=Europe/Berlin',
    },
    'of a member who was deleted nothing is told': {
      given: ({ ask }) => ask('DELETE /v2/members/<wren>'),
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}`,
      has: [{ member: '<finch>' }],
      lacks: ['<wren>'],
    },
    'what an unfinished import brings is not seen': {
      given: async ({ home, owner }) => {
        const system_id = owner.id
        await home.deps.transact('new', async (tx) => {
          const import_id = await insertImport(tx, { place_id: system_id, system_id, until: 9e15 })
          await insert(tx, 'switches', {
            uuid: crypto.randomUUID(),
            system_id,
            timestamp: Date.UTC(2024, 0, 1, 12) * 1000,
            import_id,
          })
        })
      },
      ask: `GET /v2/systems/<own>/fronting/totals?${SPAN}`,
      has: { switches: 2, nobody: 0 },
    },
    'days are the calendar of the owner’s zone for the owner': {
      given: ({ do: change }) =>
        change('PATCH /v2/systems/@me/settings', { timezone: 'Asia/Kathmandu' }),
      ask: `GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02`,
      has: [{ start: '2023-12-31T18:15:00Z' }, { end: '2024-01-02T18:15:00Z' }],
    },
    'days are UTC’s for others, who are not told the owner’s zone': {
      as: ['other', 'nobody'],
      given: ({ do: change }) =>
        change('PATCH /v2/systems/@me/settings', { timezone: 'Asia/Kathmandu' }),
      ask: `GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02`,
      has: [{ start: '2024-01-01T00:00:00Z', end: '2024-01-02T00:00:00Z' }],
    },
    'a zone with a plus that was not encoded is understood': {
      ask: 'GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02&zone=Etc/GMT+5',
      has: [{ start: '2023-12-31T05:00:00Z' }, {}],
    },
    'one member’s stints can be asked for by UUID': {
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}&member=<wren.uuid>`,
      has: [{ member: '<wren>' }],
      lacks: ['<finch>'],
    },
    'a limit above the largest is the largest': {
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}&limit=5000`,
      has: { length: 2 },
    },
    'four hundred days can be asked for': {
      ask: 'GET /v2/systems/<own>/fronting/days?since=2023-01-01&until=2024-02-05',
      has: { length: 400 },
    },
  })
})

describe('what a stranger is told of hidden members', () => {
  runScenarios(place, {
    'in totals they are counted, not named': {
      as: ['other', 'nobody'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/totals?${SPAN}`,
      has: { hidden: { time: 136799, stints: 1, members: 1 }, nobody: 0 },
      lacks: ['<finch>'],
    },
    'in days they are counted, not named': {
      as: ['other', 'nobody'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/days?${SPAN}`,
      has: [
        { hidden: { time: 50399, stints: 1, members: 1 } },
        { hidden: { time: 86400, stints: 1, members: 1 }, nobody: 0 },
      ],
      lacks: ['<finch>'],
    },
    'there are zeros where nobody is hidden': {
      as: ['other', 'nobody'],
      ask: `GET /v2/systems/<own>/fronting/totals?${SPAN}`,
      has: { hidden: { time: 0, stints: 0, members: 0 } },
    },
    'their stints are left out': {
      as: ['other', 'nobody'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}`,
      has: { length: 1 },
      lacks: ['<finch>'],
    },
    'asked for by ID, there are none': {
      as: ['other', 'nobody'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}&member=<finch>`,
      json: [],
    },
    'their hours are nobody’s': {
      as: ['other', 'nobody'],
      given: async (world) => [await hide('finch')(world), await hide('wren')(world)],
      ask: `GET /v2/systems/<own>/fronting/hours?${SPAN}`,
      json: { members: {}, weekdays: Array.from({ length: 7 }, () => none) },
    },
    'they are in no pair': {
      as: ['other', 'nobody'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/pairs?${SPAN}`,
      json: [],
    },
    'they have no event in the calendar': {
      as: ['other', 'nobody'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting.ics?${SPAN}`,
      lacks: ['Finch', '<finch>'],
    },
    'the owner sees them as ever': {
      given: hide('finch'),
      ask: `GET /v2/systems/@me/fronting/totals?${SPAN}`,
      has: { hidden: null, members: [{ member: '<finch>' }, {}] },
    },
  })
})

describe('what fronting refuses', () => {
  for (const path of [...paths.map((one) => `fronting/${one}`), 'fronting.ics'])
    runScenarios(place, {
      [`${path}: a closed history to everyone but its owner`]: {
        as: ['other', 'nobody'],
        given: closeHistory,
        ask: `GET /v2/systems/<own>/${path}?${SPAN}`,
        status: 403,
        code: 30005,
      },
      [`${path}: not to its owner`]: {
        given: closeHistory,
        ask: `GET /v2/systems/@me/${path}?${SPAN}`,
      },
      [`${path}: a system that is not there`]: {
        ask: `GET /v2/systems/zzzzz/${path}`,
        status: 404,
        code: 20001,
      },
      [`${path}: @me of nobody`]: { as: 'nobody', ask: `GET /v2/systems/@me/${path}`, status: 401 },
      [`${path}: a span that ends where it begins`]: {
        ask: `GET /v2/systems/@me/${path}?since=2024-01-01&until=2024-01-01`,
        status: 400,
        message: /since must be before until/,
      },
      [`${path}: a beginning behind now`]: {
        ask: `GET /v2/systems/@me/${path}?since=2250-01-01`,
        status: 400,
      },
      [`${path}: a time that is none`]: {
        ask: `GET /v2/systems/@me/${path}?since=yesterday`,
        status: 400,
      },
      [`${path}: a zone that is unknown`]: {
        ask: `GET /v2/systems/@me/${path}?zone=Europe/Atlantis`,
        status: 400,
        message: /time zone name/,
      },
    })

  runScenarios(place, {
    'more than four hundred days': {
      ask: 'GET /v2/systems/@me/fronting/days?since=2023-01-01&until=2024-02-05T00:00:00.000001Z',
      status: 400,
      message: /more than 400/,
    },
    'days of all times, at once': {
      ask: 'GET /v2/systems/@me/fronting/days?since=1700-01-01&until=2250-01-01&by=month',
      status: 400,
    },
    'another period': { ask: 'GET /v2/systems/@me/fronting/days?by=year', status: 400 },
    'a limit of zero': { ask: 'GET /v2/systems/@me/fronting/stints?limit=0', status: 400 },
    'a negative limit': { ask: 'GET /v2/systems/@me/fronting/stints?limit=-1', status: 400 },
    'a limit in words': { ask: 'GET /v2/systems/@me/fronting/stints?limit=ten', status: 400 },
    'a member that cannot be': {
      ask: 'GET /v2/systems/@me/fronting/stints?member=x',
      status: 400,
    },
    'a member that is unknown': {
      ask: 'GET /v2/systems/@me/fronting/stints?member=zzzzz',
      status: 404,
      code: 20002,
    },
    'a member of another system': {
      ask: 'GET /v2/systems/@me/fronting/stints?member=<stray>',
      status: 404,
      code: 20002,
    },
  })
})

test('what was not asked for as well: the last 720 hours', async () => {
  const { get } = await createFixture(place)
  const { since, until } = await get<{ since: string; until: string }>(
    'GET /v2/systems/@me/fronting/totals',
  )
  expect(Date.parse(until) - Date.parse(since)).toBe(720 * 3600 * 1000)
})
