import { describe, expect, test } from 'bun:test'
import type { Message } from '../../../src/model/message'
import { type Instant, MINUTE, SECOND } from '../../../src/model/time'
import { insertMessage } from '../../../src/service/messages'
import { deleteSystem } from '../../operatorActions'
import {
  at,
  createFixture,
  type Fixture,
  type Json,
  runScenarios,
  SAID,
  type Scenarios,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

let clock: Instant = at(SAID)
const place = createTestApp({ now: () => clock })

const said = (passed: Instant) => async () => {
  clock = at(SAID) + passed
}

const byId = 'GET /v2/messages/<message>'
const byOriginal = 'GET /v2/messages/<original>'

const message = {
  timestamp: SAID,
  id: '<message>',
  original: '<original>',
  sender: '<account>',
  channel: '222',
  guild: '333',
}

describe('a proxied message', () => {
  const strangers: Scenarios = {}
  for (const id of [
    'abc',
    '-1',
    '1.5',
    '1e3',
    '%20',
    'null',
    '@me',
    '18446744073709551616',
    '1'.repeat(21),
  ])
    strangers[`is not called ${id}`] = { ask: `GET /v2/messages/${id}`, status: 400 }
  for (const id of ['0', '222', '333', '<account>', '18446744073709551615'])
    strangers[`is not found as ${id}`] = {
      as: ['owner', 'nobody'],
      ask: `GET /v2/messages/${id}`,
      status: 404,
      code: 20006,
    }

  runScenarios(place, {
    ...strangers,
    'is found by its own ID, with system and member': {
      as: ['owner', 'other', 'nobody'],
      given: said(0),
      ask: byId,
      has: {
        ...message,
        system: { id: '<own>', name: 'Lantern Hill' },
        member: { id: '<wren>', name: 'Wren' },
      },
    },
    'is found by its own ID years later': {
      given: said(10 * 365 * 24 * 60 * MINUTE),
      ask: byId,
      has: message,
    },
    'is found by the message that triggered it': {
      as: ['owner', 'nobody'],
      given: said(SECOND),
      ask: byOriginal,
      has: message,
    },
    'is found so until half an hour has passed': {
      given: said(30 * MINUTE - 1),
      ask: byOriginal,
      has: message,
    },
    'is not found so when half an hour has passed': {
      given: said(30 * MINUTE),
      ask: byOriginal,
      status: 404,
      code: 20006,
    },
    'is not found so a day later, not even by its owner': {
      as: ['owner', 'nobody'],
      given: said(24 * 60 * MINUTE),
      ask: byOriginal,
      status: 404,
      code: 20006,
    },
  })

  test('shows its owner what it hides from others', async () => {
    const world = await createFixture(place)
    const shown = await world.get<{ system: Json; member: Json }>(byId)
    expect(shown.system.privacy).toMatchObject({ name_privacy: 'public' })
    expect(shown.member.privacy).toMatchObject({ visibility: 'public' })
    expect(shown.system).toHaveProperty('webhook_url')
    expect(shown.member).not.toHaveProperty('system')
    for (const who of ['other', 'nobody'] as const) {
      const { system, member } = await world.get<{ system: Json; member: Json }>(byId, who)
      expect([system.privacy, member.privacy, member.autoproxy_enabled]).toEqual([null, null, null])
      expect(system).not.toHaveProperty('webhook_url')
    }
  })

  test('has exactly the keys of the interface', async () => {
    const world = await createFixture(place)
    const keys = Object.keys(await world.get(byId))
    expect(keys).toEqual([...Object.keys(message), 'system', 'member'])
  })

  test('outlives its member, and then names neither member nor system', async () => {
    const world = await createFixture(place)
    await world.do('DELETE /v2/members/<wren>')
    for (const who of ['owner', 'other', 'nobody'] as const)
      expect(await world.get(byId, who)).toEqual({
        ...world.fill(message),
        system: null,
        member: null,
      })
  })

  test('goes with its system', async () => {
    const world = await createFixture(place)
    await deleteSystem(place.deps, world.owner.id)
    expect((await world.ask(byId, undefined, 'nobody')).json.code).toBe(20006)
  })

  test('may be of no guild, and has IDs beyond the numbers of JavaScript', async () => {
    const world = await createFixture(place)
    await record(world, { id: '18446744073709551614', original: '9007199254740993', guild: null })
    const found = await world.ask('GET /v2/messages/18446744073709551614')
    expect(found.json).toMatchObject({
      id: '18446744073709551614',
      original: '9007199254740993',
      guild: null,
    })
    const neighbour = await world.ask('GET /v2/messages/9007199254740992')
    expect(neighbour.json.code).toBe(20006)
  })

  test('is the newest of those that one message triggered', async () => {
    const world = await createFixture(place)
    await record(world, { id: '71', original: '61', timestamp: at(SAID) - MINUTE })
    await record(world, { id: '72', original: '61', timestamp: at(SAID) })
    await record(world, { id: '73', original: '61', timestamp: at(SAID) - 2 * MINUTE })
    await said(0)()
    expect(await world.get('GET /v2/messages/61')).toMatchObject({ id: '72' })
  })

  test('is found by its own ID before it is found as a trigger', async () => {
    const world = await createFixture(place)
    await record(world, { id: '81', original: '82' })
    await record(world, { id: '82', original: '83' })
    await said(0)()
    expect(await world.get('GET /v2/messages/82')).toMatchObject({ id: '82', original: '83' })
  })
})

function record(
  { owner, wren }: Fixture,
  given: Partial<Message> & { id: string; original: string },
) {
  return place.deps.transact('new', (tx) =>
    insertMessage(tx, {
      sender: '111',
      channel: '222',
      guild: '333',
      system_id: owner.id,
      member_id: wren.id,
      timestamp: at(SAID),
      ...given,
    }),
  )
}
