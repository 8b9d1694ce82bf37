import { describe, expect } from 'bun:test'
import { at, type Fixture, type Json, runScenarios, type Scenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const post = 'POST /v2/systems/@me/switches'

/** What is told of a new switch of heron. */
const logged = (time: string): [string, string, Json] => [
  'CREATE_SWITCH',
  expect.any(String),
  { timestamp: at(time), members: ['<heron.uuid>'] },
]

describe('times', () => {
  const good: Record<string, string> = {
    '2024-03-01T10:20:30Z': '2024-03-01T10:20:30Z',
    '2024-03-01t10:20:30z': '2024-03-01T10:20:30Z',
    '2024-03-01T10:20:30.1Z': '2024-03-01T10:20:30.1Z',
    '2024-03-01T10:20:30.123456Z': '2024-03-01T10:20:30.123456Z',
    '2024-03-01T10:20:30.120000Z': '2024-03-01T10:20:30.12Z',
    '2024-03-01T10:20:30.000000Z': '2024-03-01T10:20:30Z',
    '2024-03-01T10:20:30.000001Z': '2024-03-01T10:20:30.000001Z',
    '2024-03-01T10:20:30.123456999Z': '2024-03-01T10:20:30.123456Z',
    '2024-03-01T10:20:30': '2024-03-01T10:20:30Z',
    '2024-03-01T10:20': '2024-03-01T10:20:00Z',
    '2024-03-01T10:20Z': '2024-03-01T10:20:00Z',
    '2024-03-01': '2024-03-01T00:00:00Z',
    '2024-03-01T10:20:30+02:00': '2024-03-01T08:20:30Z',
    '2024-03-01T10:20:30-0530': '2024-03-01T15:50:30Z',
    '2024-03-01T00:00:00.000001+14:00': '2024-02-29T10:00:00.000001Z',
    '2024-03-01T10:20:30+02': '2024-03-01T08:20:30Z',
    '1999-12-31T23:59:59.999999Z': '1999-12-31T23:59:59.999999Z',
    '1969-07-20T20:17:40.25Z': '1969-07-20T20:17:40.25Z',
  }
  const bad = [
    '',
    'now',
    '2024-02-30',
    '2023-02-29T00:00:00Z',
    '2024-13-01',
    '2024-03-01T25:00:00Z',
    '2024-03-01T10:60:00Z',
    '2024-03-01T10:20:30+25:00',
    '2024-03-01T10:20:30 Z',
    '01/03/2024',
    '1709287230',
    'Fri, 01 Mar 2024 10:20:30 GMT',
  ]

  const table: Scenarios = {}
  for (const [given, meant] of Object.entries(good)) {
    table[`${given} means ${meant} for a new switch`] = {
      ask: post,
      body: { members: ['<heron>'], timestamp: given },
      has: { timestamp: meant },
      events: [logged(meant)],
    }
    table[`${given} means ${meant} for a switch that moves`] = {
      ask: 'PATCH /v2/systems/@me/switches/<latest>',
      body: { timestamp: given },
      has: { timestamp: meant },
      events: [['UPDATE_SWITCH', '<latest>', { timestamp: at(meant) }]],
    }
    table[`${given} means ${meant} in a query, and is left out itself`] = {
      given: (world) => logAround(world, meant),
      ask: `GET /v2/systems/@me/switches?limit=1&before=${encodeURIComponent(given)}`,
      has: [{ timestamp: formatBefore(meant) }],
    }
  }
  for (const timestamp of [...bad, 0, 1709287230, true, {}, []]) {
    table[`${JSON.stringify(timestamp)} is no time for a new switch`] = {
      ask: post,
      body: { members: ['<heron>'], timestamp },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    }
    table[`${JSON.stringify(timestamp)} is no time to move a switch to`] = {
      ask: 'PATCH /v2/systems/@me/switches/<latest>',
      body: { timestamp },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    }
  }
  for (const before of bad)
    table[`${JSON.stringify(before)} is no time in a query`] = {
      ask: `GET /v2/systems/@me/switches?before=${encodeURIComponent(before)}`,
      status: 400,
    }
  runScenarios(place, table)
})

/** A switch at that very time, and one a microsecond earlier. */
async function logAround(world: Fixture, time: string): Promise<void> {
  await world.do(post, { members: ['<heron>'], timestamp: formatBefore(time) })
  await world.do(post, { members: ['<wren>'], timestamp: time })
}

function formatBefore(time: string): string {
  const micros = at(time) - 1
  const millis = Math.floor(micros / 1000)
  const rest = String(micros - millis * 1000).padStart(3, '0')
  return `${new Date(millis).toISOString().slice(0, 23)}${rest}`.replace(/\.?0+$/, '').concat('Z')
}
