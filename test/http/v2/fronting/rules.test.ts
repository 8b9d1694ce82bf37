import { eq } from 'drizzle-orm'
import { createInserter } from '../../../../src/db/rows'
import { pendingImports, switches } from '../../../../src/db/tables'
import { drizzleOn } from '../../../tools/drizzle'
import { insert } from '../../../tools/rawSql'
import { createFixture, type Fixture, runScenarios } from '../../../tools/scenarios'
import { describe, expect, test } from '../../../tools/test'
import { createTestApp } from '../../../tools/testApp'

const insertImport = createInserter(pendingImports, [
  'staging_system_id',
  'system_id',
  'expires_at',
])

const testApp = createTestApp()

const SPAN = 'since=2024-01-01T00:00:00Z&until=2024-01-03T00:00:00Z'
const paths = ['stints', 'totals', 'days', 'hours', 'pairs']
const zeros = Array.from({ length: 24 }, () => 0)

const closeHistory = ({ do: change }: Fixture) =>
  change('PATCH /v2/systems/@me', { privacy: { front_history_privacy: 'private' } })

const hide = (name: string) => (fixture: Fixture) =>
  fixture.do(`PATCH /v2/members/<${name}>`, { privacy: { visibility: 'private' } })

describe('fronting statistics', () => {
  runScenarios(testApp, {
    'fronting/stints returns complete stints, newest first, with the current one open': {
      as: ['owner', 'other', 'anonymous'],
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}`,
      has: { length: 2 },
      after: async ({ wren, finch }, { json }) => {
        const expected = [
          { member: wren.hid, to: '2024-01-02T10:00:00.5Z', open: false },
          { member: finch.hid, to: null, open: true },
        ]
        const from = '2024-01-01T10:00:00.000001Z'
        expect(json as unknown).toEqual(
          expected
            .sort((a, b) => (a.member < b.member ? -1 : 1))
            .map(({ member, to, open }) => ({ member, from, to, open })),
        )
      },
    },
    'fronting/totals counts only time within the span': {
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
    'fronting/pairs returns time and number of times together': {
      ask: `GET /v2/systems/<own>/fronting/pairs?${SPAN}`,
      has: [{ time: 86400, times: 1 }],
    },
    'fronting/days returns empty days for a system without switches': {
      given: ({ testApp, owner }) =>
        testApp.deps.transact('new', (tx) =>
          drizzleOn(tx)
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
    'fronting/totals is empty for a span in the future': {
      ask: 'GET /v2/systems/<own>/fronting/totals?since=2250-01-01&until=2250-01-02',
      has: { switches: 0, nobody: 0, members: [] },
    },
    'fronting/hours accepts a span of centuries': {
      ask: 'GET /v2/systems/<own>/fronting/hours?since=1700-01-01&until=2250-01-01&zone=Europe/Berlin',
    },
    'fronting/stints leaves out deleted members': {
      given: ({ ask }) => ask('DELETE /v2/members/<wren>'),
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}`,
      has: [{ member: '<finch>' }],
      lacks: ['<wren>'],
    },
    'fronting/totals ignores switches of an unfinished import': {
      given: async ({ testApp, owner }) => {
        const system_id = owner.id
        await testApp.deps.transact('new', async (tx) => {
          const import_id = await insertImport(tx, {
            staging_system_id: system_id,
            system_id,
            expires_at: 9e15,
          })
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
    'fronting/days uses the time zone of the owner for the owner': {
      given: ({ do: change }) =>
        change('PATCH /v2/systems/@me/settings', { timezone: 'Asia/Kathmandu' }),
      ask: `GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02`,
      has: [{ start: '2023-12-31T18:15:00Z' }, { end: '2024-01-02T18:15:00Z' }],
    },
    'fronting/days uses UTC for other callers, because the time zone of the owner is private': {
      as: ['other', 'anonymous'],
      given: ({ do: change }) =>
        change('PATCH /v2/systems/@me/settings', { timezone: 'Asia/Kathmandu' }),
      ask: `GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02`,
      has: [{ start: '2024-01-01T00:00:00Z', end: '2024-01-02T00:00:00Z' }],
    },
    'fronting/days accepts a time zone whose plus is not encoded': {
      ask: 'GET /v2/systems/<own>/fronting/days?since=2024-01-01&until=2024-01-02&zone=Etc/GMT+5',
      has: [{ start: '2023-12-31T05:00:00Z' }, {}],
    },
    'fronting/stints filters by the UUID of a member': {
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}&member=<wren.uuid>`,
      has: [{ member: '<wren>' }],
      lacks: ['<finch>'],
    },
    'fronting/stints accepts a limit above the maximum': {
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}&limit=5000`,
      has: { length: 2 },
    },
    'fronting/days accepts a span of 400 days': {
      ask: 'GET /v2/systems/<own>/fronting/days?since=2023-01-01&until=2024-02-05',
      has: { length: 400 },
    },
  })
})

describe('fronting of hidden members', () => {
  runScenarios(testApp, {
    'fronting/totals counts hidden members for other callers without naming them': {
      as: ['other', 'anonymous'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/totals?${SPAN}`,
      has: { hidden: { time: 136799, stints: 1, members: 1 }, nobody: 0 },
      lacks: ['<finch>'],
    },
    'fronting/days counts hidden members for other callers without naming them': {
      as: ['other', 'anonymous'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/days?${SPAN}`,
      has: [
        { hidden: { time: 50399, stints: 1, members: 1 } },
        { hidden: { time: 86400, stints: 1, members: 1 }, nobody: 0 },
      ],
      lacks: ['<finch>'],
    },
    'fronting/totals counts zero hidden members when none is hidden': {
      as: ['other', 'anonymous'],
      ask: `GET /v2/systems/<own>/fronting/totals?${SPAN}`,
      has: { hidden: { time: 0, stints: 0, members: 0 } },
    },
    'fronting/stints leaves out hidden members for other callers': {
      as: ['other', 'anonymous'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}`,
      has: { length: 1 },
      lacks: ['<finch>'],
    },
    'fronting/stints filtered by a hidden member is empty for other callers': {
      as: ['other', 'anonymous'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/stints?${SPAN}&member=<finch>`,
      json: [],
    },
    'fronting/hours leaves out hidden members for other callers': {
      as: ['other', 'anonymous'],
      given: async (fixture) => [await hide('finch')(fixture), await hide('wren')(fixture)],
      ask: `GET /v2/systems/<own>/fronting/hours?${SPAN}`,
      json: { members: {}, weekdays: Array.from({ length: 7 }, () => zeros) },
    },
    'fronting/pairs leaves out hidden members for other callers': {
      as: ['other', 'anonymous'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting/pairs?${SPAN}`,
      json: [],
    },
    'fronting.ics leaves out hidden members for other callers': {
      as: ['other', 'anonymous'],
      given: hide('finch'),
      ask: `GET /v2/systems/<own>/fronting.ics?${SPAN}`,
      lacks: ['Finch', '<finch>'],
    },
    'fronting/totals returns hidden members to the owner': {
      given: hide('finch'),
      ask: `GET /v2/systems/@me/fronting/totals?${SPAN}`,
      has: { hidden: null, members: [{ member: '<finch>' }, {}] },
    },
  })
})

describe('refusals of fronting statistics', () => {
  for (const path of [...paths.map((one) => `fronting/${one}`), 'fronting.ics'])
    runScenarios(testApp, {
      [`${path} refuses a private history to other callers`]: {
        as: ['other', 'anonymous'],
        given: closeHistory,
        ask: `GET /v2/systems/<own>/${path}?${SPAN}`,
        status: 403,
        code: 30005,
      },
      [`${path} returns a private history to its owner`]: {
        given: closeHistory,
        ask: `GET /v2/systems/@me/${path}?${SPAN}`,
      },
      [`${path} returns 404 for an unknown system`]: {
        ask: `GET /v2/systems/zzzzz/${path}`,
        status: 404,
        code: 20001,
      },
      [`${path} requires a token for @me`]: {
        as: 'anonymous',
        ask: `GET /v2/systems/@me/${path}`,
        status: 401,
      },
      [`${path} refuses an empty span`]: {
        ask: `GET /v2/systems/@me/${path}?since=2024-01-01&until=2024-01-01`,
        status: 400,
        message: /since must be before until/,
      },
      [`${path} refuses a span that begins in the future without an end`]: {
        ask: `GET /v2/systems/@me/${path}?since=2250-01-01`,
        status: 400,
      },
      [`${path} refuses an invalid time`]: {
        ask: `GET /v2/systems/@me/${path}?since=yesterday`,
        status: 400,
      },
      [`${path} refuses an unknown time zone`]: {
        ask: `GET /v2/systems/@me/${path}?zone=Europe/Atlantis`,
        status: 400,
        message: /time zone name/,
      },
    })

  runScenarios(testApp, {
    'fronting/days refuses more than 400 days': {
      ask: 'GET /v2/systems/@me/fronting/days?since=2023-01-01&until=2024-02-05T00:00:00.000001Z',
      status: 400,
      message: /more than 400/,
    },
    'fronting/days refuses months of several centuries': {
      ask: 'GET /v2/systems/@me/fronting/days?since=1700-01-01&until=2250-01-01&by=month',
      status: 400,
    },
    'fronting/days refuses an unknown period': {
      ask: 'GET /v2/systems/@me/fronting/days?by=year',
      status: 400,
    },
    'fronting/stints refuses a limit of zero': {
      ask: 'GET /v2/systems/@me/fronting/stints?limit=0',
      status: 400,
    },
    'fronting/stints refuses a negative limit': {
      ask: 'GET /v2/systems/@me/fronting/stints?limit=-1',
      status: 400,
    },
    'fronting/stints refuses a limit that is not a number': {
      ask: 'GET /v2/systems/@me/fronting/stints?limit=ten',
      status: 400,
    },
    'fronting/stints refuses an invalid member reference': {
      ask: 'GET /v2/systems/@me/fronting/stints?member=x',
      status: 400,
    },
    'fronting/stints returns 404 for an unknown member': {
      ask: 'GET /v2/systems/@me/fronting/stints?member=zzzzz',
      status: 404,
      code: 20002,
    },
    'fronting/stints returns 404 for a member of another system': {
      ask: 'GET /v2/systems/@me/fronting/stints?member=<stray>',
      status: 404,
      code: 20002,
    },
  })
})

test('fronting/totals covers the last 720 hours when the query has no span', async () => {
  const { get } = await createFixture(testApp)
  const { since, until } = await get<{ since: string; until: string }>(
    'GET /v2/systems/@me/fronting/totals',
  )
  expect(Date.parse(until) - Date.parse(since)).toBe(720 * 3600 * 1000)
})
