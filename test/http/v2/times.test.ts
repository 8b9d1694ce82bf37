import { at, type Fixture, type Json, runScenarios, type Scenarios } from '../../tools/scenarios'
import { describe, expect } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const post = 'POST /v2/systems/@me/switches'

/** Event of a new switch of heron. */
const createdEvent = (time: string): [string, string, Json] => [
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
  for (const [sent, parsed] of Object.entries(good)) {
    table[`logging a switch parses ${sent} as ${parsed}`] = {
      ask: post,
      body: { members: ['<heron>'], timestamp: sent },
      has: { timestamp: parsed },
      events: [createdEvent(parsed)],
    }
    table[`moving a switch parses ${sent} as ${parsed}`] = {
      ask: 'PATCH /v2/systems/@me/switches/<latest>',
      body: { timestamp: sent },
      has: { timestamp: parsed },
      events: [['UPDATE_SWITCH', '<latest>', { timestamp: at(parsed) }]],
    }
    table[`the query parameter before parses ${sent} as ${parsed} and excludes that time`] = {
      given: (fixture) => logAround(fixture, parsed),
      ask: `GET /v2/systems/@me/switches?limit=1&before=${encodeURIComponent(sent)}`,
      has: [{ timestamp: microsecondBefore(parsed) }],
    }
  }
  for (const timestamp of [...bad, 0, 1709287230, true, {}, []]) {
    table[`logging a switch refuses the time ${JSON.stringify(timestamp)}`] = {
      ask: post,
      body: { members: ['<heron>'], timestamp },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    }
    table[`moving a switch refuses the time ${JSON.stringify(timestamp)}`] = {
      ask: 'PATCH /v2/systems/@me/switches/<latest>',
      body: { timestamp },
      status: 400,
      code: 40001,
      problems: ['timestamp'],
    }
  }
  for (const before of bad)
    table[`the query parameter before refuses the time ${JSON.stringify(before)}`] = {
      ask: `GET /v2/systems/@me/switches?before=${encodeURIComponent(before)}`,
      status: 400,
    }
  runScenarios(testApp, table)
})

/** Logs a switch at this time, and one a microsecond earlier. */
async function logAround(fixture: Fixture, time: string): Promise<void> {
  await fixture.do(post, { members: ['<heron>'], timestamp: microsecondBefore(time) })
  await fixture.do(post, { members: ['<wren>'], timestamp: time })
}

function microsecondBefore(time: string): string {
  const micros = at(time) - 1
  const millis = Math.floor(micros / 1000)
  const rest = String(micros - millis * 1000).padStart(3, '0')
  return `${new Date(millis).toISOString().slice(0, 23)}${rest}`.replace(/\.?0+$/, '').concat('Z')
}
