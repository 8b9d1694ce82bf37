import { describe, expect, test } from 'bun:test'
import {
  createFixture,
  eventsSince,
  type Fixture,
  type Json,
  runScenarios,
  type Scenarios,
  stateOf,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const path = '/v2/systems/@me/autoproxy?guild_id=333'
const get = `GET ${path}`
const patch = `PATCH ${path}`

const off = { autoproxy_mode: 'off', autoproxy_member: null, last_latch_timestamp: null }
const someTime = expect.stringMatching(/^20.*Z$/)
const someInstant = expect.any(Number)

const set = (body: Json) => (world: Fixture) => world.do(patch, body)
const memberMode = set({ autoproxy_mode: 'member', autoproxy_member: '<wren>' })
const latched = set({ autoproxy_mode: 'latch', autoproxy_member: '<wren>' })

/** What is told of a change in the guild. */
const told = (data: Json): [string, null, Json] => [
  'UPDATE_AUTOPROXY',
  null,
  { guild_id: '333', ...data },
]

describe('which autoproxy is meant', () => {
  const table: Scenarios = {
    'needs a guild': {
      ask: 'GET /v2/systems/@me/autoproxy',
      status: 400,
      code: 50001,
      message: /^Unimplemented.*guild_id/,
    },
    'needs a guild to be changed': {
      ask: 'PATCH /v2/systems/@me/autoproxy',
      body: { autoproxy_mode: 'off' },
      status: 400,
      code: 50001,
      message: /^Unimplemented.*guild_id/,
    },
    'cannot be that of a channel': {
      ask: 'GET /v2/systems/@me/autoproxy?channel_id=1',
      status: 400,
      code: 50001,
      message: /^Unimplemented.*channel/,
    },
    'cannot be that of a channel in a guild': {
      ask: `${get}&channel_id=1`,
      status: 400,
      code: 50001,
      message: /^Unimplemented.*channel/,
    },
    'cannot be changed for a channel': {
      ask: `${patch}&channel_id=1`,
      body: { autoproxy_mode: 'off' },
      status: 400,
      code: 50001,
      message: /^Unimplemented.*channel/,
    },
    'is nobody’s without a token, whatever the query says': {
      as: 'nobody',
      ask: 'GET /v2/systems/@me/autoproxy',
      status: 401,
    },
    'may be in the highest of guilds': {
      ask: 'GET /v2/systems/@me/autoproxy?guild_id=18446744073709551615',
      json: off,
    },
  }
  const wrong = ['', 'null', 'abc', '-1', '1.5', '1e3', '18446744073709551616', '1'.repeat(21)]
  for (const id of wrong)
    for (const query of [`guild_id=${id}`, `guild_id=333&channel_id=${id}`])
      for (const method of ['GET', 'PATCH'])
        table[`cannot be told by ${method} ${query}`] = {
          ask: `${method} /v2/systems/@me/autoproxy?${query}`,
          ...(method === 'PATCH' && { body: { autoproxy_mode: 'off' } }),
          status: 400,
          code: 0,
        }
  table['cannot be told by two guilds'] = { ask: `${get}&guild_id=334`, status: 400 }
  runScenarios(place, table)
})

describe('autoproxy in a guild', () => {
  runScenarios(place, {
    'is off where it was never set': { ask: get, json: off },
    'goes off, which tells nothing when it was': {
      ask: patch,
      body: { autoproxy_mode: 'off', autoproxy_member: null },
      json: off,
    },
    'follows the front': {
      ask: patch,
      body: { autoproxy_mode: 'front' },
      json: { ...off, autoproxy_mode: 'front' },
      events: [told({ autoproxy_mode: 'front' })],
      after: async (world) =>
        expect(await world.get(get)).toEqual({ ...off, autoproxy_mode: 'front' }),
    },
    'latches, onto nobody at first': {
      ask: patch,
      body: { autoproxy_mode: 'latch' },
      json: { ...off, autoproxy_mode: 'latch' },
      events: [told({ autoproxy_mode: 'latch' })],
    },
    'latches onto a member': {
      ask: patch,
      body: { autoproxy_mode: 'latch', autoproxy_member: '<wren.uuid>' },
      json: {
        autoproxy_mode: 'latch',
        autoproxy_member: '<wren>',
        last_latch_timestamp: someTime,
      },
      events: [
        told({
          autoproxy_mode: 'latch',
          autoproxy_member: '<wren.uuid>',
          last_latch_timestamp: someInstant,
        }),
      ],
    },
    'chooses a member, which is shown by its short ID and told by its UUID': {
      ask: patch,
      body: { autoproxy_mode: 'member', autoproxy_member: '<wren.upperDashed>' },
      json: { autoproxy_mode: 'member', autoproxy_member: '<wren>', last_latch_timestamp: null },
      events: [told({ autoproxy_mode: 'member', autoproxy_member: '<wren.uuid>' })],
    },
    'chooses another member without repeating the mode': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_member: '<finch.upperUuid>' },
      has: { autoproxy_mode: 'member', autoproxy_member: '<finch>' },
      events: [told({ autoproxy_member: '<finch.uuid>' })],
    },
    'keeps the member that is stored when the mode is repeated': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_mode: 'member' },
      has: { autoproxy_mode: 'member', autoproxy_member: '<wren>' },
    },
    'keeps the latched member as the chosen one': {
      given: latched,
      ask: patch,
      body: { autoproxy_mode: 'member' },
      has: { autoproxy_mode: 'member', autoproxy_member: '<wren>' },
      events: [told({ autoproxy_mode: 'member' })],
    },
    'needs a member in member mode': {
      ask: patch,
      body: { autoproxy_mode: 'member' },
      status: 400,
      code: 40002,
    },
    'needs a member in member mode, and null is none': {
      ask: patch,
      body: { autoproxy_mode: 'member', autoproxy_member: null },
      status: 400,
      code: 40002,
    },
    'does not let go of the chosen member': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_member: null },
      status: 400,
      code: 40002,
    },
    'lets go of the latched member': {
      given: latched,
      ask: patch,
      body: { autoproxy_member: null },
      json: { ...off, autoproxy_mode: 'latch' },
      events: [told({ autoproxy_member: null, last_latch_timestamp: null })],
    },
    'lets go of the latched member for an empty text too': {
      given: latched,
      ask: patch,
      body: { autoproxy_member: '' },
      json: { ...off, autoproxy_mode: 'latch' },
      events: [told({ autoproxy_member: null, last_latch_timestamp: null })],
    },
    'says nothing by null when it is off': {
      ask: patch,
      body: { autoproxy_member: null },
      json: off,
    },
    'says nothing by null when it follows the front': {
      given: set({ autoproxy_mode: 'front' }),
      ask: patch,
      body: { autoproxy_member: null },
      json: { ...off, autoproxy_mode: 'front' },
    },
    'forgets the chosen member when it goes off': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_mode: 'off' },
      json: off,
      events: [told({ autoproxy_mode: 'off', autoproxy_member: null })],
      after: async (world) =>
        expect((await world.ask(patch, { autoproxy_mode: 'member' })).json.code).toBe(40002),
    },
    'forgets the latched member when it follows the front': {
      given: latched,
      ask: patch,
      body: { autoproxy_mode: 'front', autoproxy_member: null },
      json: { ...off, autoproxy_mode: 'front' },
      events: [
        told({ autoproxy_mode: 'front', autoproxy_member: null, last_latch_timestamp: null }),
      ],
    },
    'has no member when it goes off': {
      ask: patch,
      body: { autoproxy_mode: 'off', autoproxy_member: '<wren>' },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    },
    'has no member when it follows the front': {
      given: memberMode,
      ask: patch,
      body: { autoproxy_mode: 'front', autoproxy_member: '<wren>' },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    },
    'has no member while it is off': {
      ask: patch,
      body: { autoproxy_member: '<wren>' },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    },
    'does not know an unknown member': {
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
    'does not take somebody else’s member': {
      ask: patch,
      body: { autoproxy_mode: 'latch', autoproxy_member: '<stray>' },
      status: 403,
      code: 30006,
    },
    'does not move its latch time by hand': {
      given: latched,
      ask: patch,
      body: { last_latch_timestamp: '2001-01-01T00:00:00Z' },
      status: 400,
      code: 0,
    },
    'says nothing valid with nothing': { ask: patch, body: { guild_id: '1' }, status: 400 },
    'tells every problem at once': {
      ask: patch,
      body: { autoproxy_mode: 'sideways', autoproxy_member: 5 },
      status: 400,
      code: 40001,
      problems: ['autoproxy_mode', 'autoproxy_member'],
    },
  })

  const wrong: Scenarios = {}
  for (const mode of [null, '', 'OFF', 'Latch', 'none', 1, true, [], ['off'], {}])
    wrong[`has no mode ${JSON.stringify(mode)}`] = {
      ask: patch,
      body: { autoproxy_mode: mode },
      status: 400,
      code: 40001,
      problems: ['autoproxy_mode'],
    }
  for (const member of [1, true, false, [], ['<wren>'], {}])
    wrong[`has no member ${JSON.stringify(member)}`] = {
      ask: patch,
      body: { autoproxy_mode: 'latch', autoproxy_member: member },
      status: 400,
      code: 40001,
      problems: ['autoproxy_member'],
    }
  for (const body of ['', '[]', 'null', '{'])
    wrong[`is not changed by ${body || 'nothing'}`] = { ask: patch, body, status: 400 }
  runScenarios(place, wrong)

  test('is its own in each guild and each system', async () => {
    const world = await createFixture(place)
    await memberMode(world)
    expect(await world.get('GET /v2/systems/@me/autoproxy?guild_id=334')).toEqual(off)
    expect(await world.get(get, 'other')).toEqual(off)
  })
})

describe('autoproxy of a deleted member', () => {
  async function deleteWren(world: Fixture) {
    const { lastEvent } = await stateOf(place)
    await world.do('DELETE /v2/members/<wren>')
    return eventsSince(world, lastEvent)
  }

  test('goes off where it was chosen, and that is told', async () => {
    const world = await createFixture(place)
    await memberMode(world)
    expect(await deleteWren(world)).toEqual([
      told({ autoproxy_mode: 'off', autoproxy_member: null }),
      ['DELETE_MEMBER', world.wren.uuid, null],
    ])
    expect(await world.get(get)).toEqual(off)
  })

  test('lets go where it was latched, and that is told', async () => {
    const world = await createFixture(place)
    await latched(world)
    expect(await deleteWren(world)).toEqual([
      told({ autoproxy_member: null, last_latch_timestamp: null }),
      ['DELETE_MEMBER', world.wren.uuid, null],
    ])
    expect(await world.get(get)).toEqual({ ...off, autoproxy_mode: 'latch' })
  })

  test('stays where another is chosen', async () => {
    const world = await createFixture(place)
    await world.do(patch, { autoproxy_mode: 'member', autoproxy_member: '<finch>' })
    expect(await deleteWren(world)).toEqual([['DELETE_MEMBER', world.wren.uuid, null]])
    expect(await world.get(get)).toMatchObject({ autoproxy_member: world.finch.hid })
  })
})
