import {
  createFixture,
  eventsSince,
  type Fixture,
  type Json,
  runScenarios,
  type Scenarios,
  stateOf,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const path = '/v2/systems/@me/autoproxy?guild_id=333'
const get = `GET ${path}`
const patch = `PATCH ${path}`

const off = { autoproxy_mode: 'off', autoproxy_member: null, last_latch_timestamp: null }
const someTime = expect.stringMatching(/^20.*Z$/)
const someInstant = expect.any(Number)

const set = (body: Json) => (fixture: Fixture) => fixture.do(patch, body)
const memberMode = set({ autoproxy_mode: 'member', autoproxy_member: '<wren>' })
const latchMode = set({ autoproxy_mode: 'latch', autoproxy_member: '<wren>' })

/** Event of a change in the guild. */
const updatedEvent = (data: Json): [string, null, Json] => [
  'UPDATE_AUTOPROXY',
  null,
  { guild_id: '333', ...data },
]

describe('query parameters of autoproxy', () => {
  const table: Scenarios = {
    'GET autoproxy requires a guild': {
      ask: 'GET /v2/systems/@me/autoproxy',
      status: 400,
      code: 50001,
      message: /^Unimplemented.*guild_id/,
    },
    'PATCH autoproxy requires a guild': {
      ask: 'PATCH /v2/systems/@me/autoproxy',
      body: { autoproxy_mode: 'off' },
      status: 400,
      code: 50001,
      message: /^Unimplemented.*guild_id/,
    },
    'GET autoproxy refuses a channel': {
      ask: 'GET /v2/systems/@me/autoproxy?channel_id=1',
      status: 400,
      code: 50001,
      message: /^Unimplemented.*channel/,
    },
    'GET autoproxy refuses a channel in a guild': {
      ask: `${get}&channel_id=1`,
      status: 400,
      code: 50001,
      message: /^Unimplemented.*channel/,
    },
    'PATCH autoproxy refuses a channel': {
      ask: `${patch}&channel_id=1`,
      body: { autoproxy_mode: 'off' },
      status: 400,
      code: 50001,
      message: /^Unimplemented.*channel/,
    },
    'GET autoproxy requires a token, whatever the query': {
      as: 'anonymous',
      ask: 'GET /v2/systems/@me/autoproxy',
      status: 401,
    },
    'GET autoproxy accepts the highest guild ID': {
      ask: 'GET /v2/systems/@me/autoproxy?guild_id=18446744073709551615',
      json: off,
    },
  }
  const wrong = ['', 'null', 'abc', '-1', '1.5', '1e3', '18446744073709551616', '1'.repeat(21)]
  for (const id of wrong)
    for (const query of [`guild_id=${id}`, `guild_id=333&channel_id=${id}`])
      for (const method of ['GET', 'PATCH'])
        table[`${method} autoproxy refuses the query ${query}`] = {
          ask: `${method} /v2/systems/@me/autoproxy?${query}`,
          ...(method === 'PATCH' && { body: { autoproxy_mode: 'off' } }),
          status: 400,
          code: 0,
        }
  table['GET autoproxy refuses two guilds'] = { ask: `${get}&guild_id=334`, status: 400 }
  runScenarios(testApp, table)
})

describe('autoproxy in a guild', () => {
  runScenarios(testApp, {
    'GET autoproxy returns off when it was never set': { ask: get, json: off },
    'PATCH autoproxy records no event when it was off and stays off': {
      ask: patch,
      body: { autoproxy_mode: 'off', autoproxy_member: null },
      json: off,
    },
    'PATCH autoproxy sets the front mode': {
      ask: patch,
      body: { autoproxy_mode: 'front' },
      json: { ...off, autoproxy_mode: 'front' },
      events: [updatedEvent({ autoproxy_mode: 'front' })],
      after: async (fixture) =>
        expect(await fixture.get(get)).toEqual({ ...off, autoproxy_mode: 'front' }),
    },
    'PATCH autoproxy sets the latch mode without a member': {
      ask: patch,
      body: { autoproxy_mode: 'latch' },
      json: { ...off, autoproxy_mode: 'latch' },
      events: [updatedEvent({ autoproxy_mode: 'latch' })],
    },
    'PATCH autoproxy sets the latch mode with a member and the current time': {
      ask: patch,
      body: { autoproxy_mode: 'latch', autoproxy_member: '<wren.uuid>' },
      json: {
        autoproxy_mode: 'latch',
        autoproxy_member: '<wren>',
        last_latch_timestamp: someTime,
      },
      events: [
        updatedEvent({
          autoproxy_mode: 'latch',
          autoproxy_member: '<wren.uuid>',
          last_latch_timestamp: someInstant,
        }),
      ],
    },
    'PATCH autoproxy sets the member mode, returns the short ID and records the UUID': {
      ask: patch,
      body: { autoproxy_mode: 'member', autoproxy_member: '<wren.upperDashed>' },
      json: { autoproxy_mode: 'member', autoproxy_member: '<wren>', last_latch_timestamp: null },
      events: [updatedEvent({ autoproxy_mode: 'member', autoproxy_member: '<wren.uuid>' })],
    },
    'PATCH autoproxy changes the member without repeating the mode': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_member: '<finch.upperUuid>' },
      has: { autoproxy_mode: 'member', autoproxy_member: '<finch>' },
      events: [updatedEvent({ autoproxy_member: '<finch.uuid>' })],
    },
    'PATCH autoproxy keeps the member when the member mode is repeated': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_mode: 'member' },
      has: { autoproxy_mode: 'member', autoproxy_member: '<wren>' },
    },
    'PATCH autoproxy keeps the latched member when the mode becomes member': {
      given: latchMode,
      ask: patch,
      body: { autoproxy_mode: 'member' },
      has: { autoproxy_mode: 'member', autoproxy_member: '<wren>' },
      events: [updatedEvent({ autoproxy_mode: 'member' })],
    },
    'PATCH autoproxy refuses the member mode without a member': {
      ask: patch,
      body: { autoproxy_mode: 'member' },
      status: 400,
      code: 40002,
    },
    'PATCH autoproxy refuses the member mode with null as member': {
      ask: patch,
      body: { autoproxy_mode: 'member', autoproxy_member: null },
      status: 400,
      code: 40002,
    },
    'PATCH autoproxy refuses to clear the member in member mode': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_member: null },
      status: 400,
      code: 40002,
    },
    'PATCH autoproxy clears the latched member when it is null': {
      given: latchMode,
      ask: patch,
      body: { autoproxy_member: null },
      json: { ...off, autoproxy_mode: 'latch' },
      events: [updatedEvent({ autoproxy_member: null, last_latch_timestamp: null })],
    },
    'PATCH autoproxy clears the latched member when it is an empty text': {
      given: latchMode,
      ask: patch,
      body: { autoproxy_member: '' },
      json: { ...off, autoproxy_mode: 'latch' },
      events: [updatedEvent({ autoproxy_member: null, last_latch_timestamp: null })],
    },
    'PATCH autoproxy ignores null as member when it is off': {
      ask: patch,
      body: { autoproxy_member: null },
      json: off,
    },
    'PATCH autoproxy ignores null as member in front mode': {
      given: set({ autoproxy_mode: 'front' }),
      ask: patch,
      body: { autoproxy_member: null },
      json: { ...off, autoproxy_mode: 'front' },
    },
    'PATCH autoproxy clears the member when the mode becomes off': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_mode: 'off' },
      json: off,
      events: [updatedEvent({ autoproxy_mode: 'off', autoproxy_member: null })],
      after: async (fixture) =>
        expect((await fixture.ask(patch, { autoproxy_mode: 'member' })).json.code).toBe(40002),
    },
    'PATCH autoproxy clears the latched member when the mode becomes front': {
      given: latchMode,
      ask: patch,
      body: { autoproxy_mode: 'front', autoproxy_member: null },
      json: { ...off, autoproxy_mode: 'front' },
      events: [
        updatedEvent({
          autoproxy_mode: 'front',
          autoproxy_member: null,
          last_latch_timestamp: null,
        }),
      ],
    },
    'PATCH autoproxy refuses a member together with the mode off': {
      ask: patch,
      body: { autoproxy_mode: 'off', autoproxy_member: '<wren>' },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    },
    'PATCH autoproxy refuses a member together with the front mode': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_mode: 'front', autoproxy_member: '<wren>' },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    },
    'PATCH autoproxy refuses a member while it is off': {
      ask: patch,
      body: { autoproxy_member: '<wren>' },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    },
    'PATCH autoproxy refuses an unknown member': {
      ask: patch,
      body: { autoproxy_mode: 'member', autoproxy_member: 'zzzzz' },
      json: {
        message: 'Error parsing JSON model',
        code: 40001,
        errors: { autoproxy_member: [{ message: 'Member not found.' }] },
      },
      status: 400,
      code: 40001,
    },
    'PATCH autoproxy refuses a member of another system': {
      ask: patch,
      body: { autoproxy_mode: 'latch', autoproxy_member: '<stray>' },
      status: 403,
      code: 30006,
    },
    'PATCH autoproxy refuses to change the latch time': {
      given: latchMode,
      ask: patch,
      body: { last_latch_timestamp: '2001-01-01T00:00:00Z' },
      status: 400,
      code: 0,
    },
    'PATCH autoproxy refuses a body without a valid key': {
      ask: patch,
      body: { guild_id: '1' },
      status: 400,
    },
    'PATCH autoproxy reports all problems at once': {
      ask: patch,
      body: { autoproxy_mode: 'sideways', autoproxy_member: 5 },
      status: 400,
      code: 40001,
      problems: ['autoproxy_mode', 'autoproxy_member'],
    },
  })

  const wrong: Scenarios = {}
  for (const mode of [null, '', 'OFF', 'Latch', 'none', 1, true, [], ['off'], {}])
    wrong[`PATCH autoproxy refuses the mode ${JSON.stringify(mode)}`] = {
      ask: patch,
      body: { autoproxy_mode: mode },
      status: 400,
      code: 40001,
      problems: ['autoproxy_mode'],
    }
  for (const member of [1, true, false, [], ['<wren>'], {}])
    wrong[`PATCH autoproxy refuses the member ${JSON.stringify(member)}`] = {
      ask: patch,
      body: { autoproxy_mode: 'latch', autoproxy_member: member },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    }
  for (const body of ['', '[]', 'null', '{'])
    wrong[`PATCH autoproxy refuses the body ${body || '(empty)'}`] = {
      ask: patch,
      body,
      status: 400,
    }
  runScenarios(testApp, wrong)

  test('PATCH autoproxy does not change other guilds or systems', async () => {
    const fixture = await createFixture(testApp)
    await memberMode(fixture)
    expect(await fixture.get('GET /v2/systems/@me/autoproxy?guild_id=334')).toEqual(off)
    expect(await fixture.get(get, 'other')).toEqual(off)
  })
})

describe('autoproxy of a deleted member', () => {
  async function deleteWren(fixture: Fixture) {
    const { lastEvent } = await stateOf(testApp)
    await fixture.do('DELETE /v2/members/<wren>')
    return eventsSince(fixture, lastEvent)
  }

  test('deleting the member of the member mode turns autoproxy off and records that', async () => {
    const fixture = await createFixture(testApp)
    await memberMode(fixture)
    expect(await deleteWren(fixture)).toEqual([
      updatedEvent({ autoproxy_mode: 'off', autoproxy_member: null }),
      ['DELETE_MEMBER', fixture.wren.uuid, null],
    ])
    expect(await fixture.get(get)).toEqual(off)
  })

  test('deleting the latched member clears the latch and records that', async () => {
    const fixture = await createFixture(testApp)
    await latchMode(fixture)
    expect(await deleteWren(fixture)).toEqual([
      updatedEvent({ autoproxy_member: null, last_latch_timestamp: null }),
      ['DELETE_MEMBER', fixture.wren.uuid, null],
    ])
    expect(await fixture.get(get)).toEqual({ ...off, autoproxy_mode: 'latch' })
  })

  test('deleting a member keeps autoproxy with another member', async () => {
    const fixture = await createFixture(testApp)
    await fixture.do(patch, { autoproxy_mode: 'member', autoproxy_member: '<finch>' })
    expect(await deleteWren(fixture)).toEqual([['DELETE_MEMBER', fixture.wren.uuid, null]])
    expect(await fixture.get(get)).toMatchObject({ autoproxy_member: fixture.finch.hid })
  })
})
