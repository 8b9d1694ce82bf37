import { type Instant, MINUTE, SECOND } from '../../../src/model/core/time'
import type { Message } from '../../../src/model/proxy/message'
import { insertMessage } from '../../../src/store/proxy/messageRows'
import { deleteSystem } from '../../tools/operatorActions'
import {
  at,
  createFixture,
  type Fixture,
  type Json,
  MESSAGE_TIME,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

let clock: Instant = at(MESSAGE_TIME)
const testApp = createTestApp({ now: () => clock })

const setClock = (passed: Instant) => async () => {
  clock = at(MESSAGE_TIME) + passed
}

const byId = 'GET /v2/messages/<message>'
const byOriginal = 'GET /v2/messages/<original>'

const expected = {
  timestamp: MESSAGE_TIME,
  id: '<message>',
  original: '<original>',
  sender: '<account>',
  channel: '222',
  guild: '333',
}

describe('a proxied message', () => {
  const invalid: Scenarios = {}
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
    invalid[`GET /v2/messages/{id} refuses the ID ${id}`] = {
      ask: `GET /v2/messages/${id}`,
      status: 400,
    }
  for (const id of ['0', '222', '333', '<account>', '18446744073709551615'])
    invalid[`GET /v2/messages/{id} returns 404 for ${id}`] = {
      as: ['owner', 'anonymous'],
      ask: `GET /v2/messages/${id}`,
      status: 404,
      code: 20006,
    }

  runScenarios(testApp, {
    ...invalid,
    'GET /v2/messages/{id} finds a message by its own ID, with system and member': {
      as: ['owner', 'other', 'anonymous'],
      given: setClock(0),
      ask: byId,
      has: {
        ...expected,
        system: { id: '<own>', name: 'Lantern Hill' },
        member: { id: '<wren>', name: 'Wren' },
      },
    },
    'GET /v2/messages/{id} finds a message by its own ID years later': {
      given: setClock(10 * 365 * 24 * 60 * MINUTE),
      ask: byId,
      has: expected,
    },
    'GET /v2/messages/{id} finds a message by the ID of its original': {
      as: ['owner', 'anonymous'],
      given: setClock(SECOND),
      ask: byOriginal,
      has: expected,
    },
    'GET /v2/messages/{id} finds a message by its original for less than 30 minutes': {
      given: setClock(30 * MINUTE - 1),
      ask: byOriginal,
      has: expected,
    },
    'GET /v2/messages/{id} does not find a message by its original after 30 minutes': {
      given: setClock(30 * MINUTE),
      ask: byOriginal,
      status: 404,
      code: 20006,
    },
    'GET /v2/messages/{id} does not find a message by its original after a day, not even for the owner':
      {
        as: ['owner', 'anonymous'],
        given: setClock(24 * 60 * MINUTE),
        ask: byOriginal,
        status: 404,
        code: 20006,
      },
  })

  test('a message contains private fields for its owner only', async () => {
    const fixture = await createFixture(testApp)
    const forOwner = await fixture.get<{ system: Json; member: Json }>(byId)
    expect(forOwner.system.privacy).toMatchObject({ name_privacy: 'public' })
    expect(forOwner.member.privacy).toMatchObject({ visibility: 'public' })
    expect(forOwner.system).toHaveProperty('webhook_url')
    expect(forOwner.member).not.toHaveProperty('system')
    for (const who of ['other', 'anonymous'] as const) {
      const { system, member } = await fixture.get<{ system: Json; member: Json }>(byId, who)
      expect([system.privacy, member.privacy, member.autoproxy_enabled]).toEqual([null, null, null])
      expect(system).not.toHaveProperty('webhook_url')
    }
  })

  test('a message has exactly the documented keys', async () => {
    const fixture = await createFixture(testApp)
    const keys = Object.keys(await fixture.get(byId))
    expect(keys).toEqual([...Object.keys(expected), 'system', 'member'])
  })

  test('a message of a deleted member has neither member nor system', async () => {
    const fixture = await createFixture(testApp)
    await fixture.do('DELETE /v2/members/<wren>')
    for (const who of ['owner', 'other', 'anonymous'] as const)
      expect(await fixture.get(byId, who)).toEqual({
        ...fixture.fill(expected),
        system: null,
        member: null,
      })
  })

  test('a message is deleted with its system', async () => {
    const fixture = await createFixture(testApp)
    await deleteSystem(testApp.deps, fixture.owner.id)
    expect((await fixture.ask(byId, undefined, 'anonymous')).json.code).toBe(20006)
  })

  test('a message may have no guild, and has IDs beyond the safe integers of JavaScript', async () => {
    const fixture = await createFixture(testApp)
    await insertTestMessage(fixture, {
      id: '18446744073709551614',
      original: '9007199254740993',
      guild: null,
    })
    const found = await fixture.ask('GET /v2/messages/18446744073709551614')
    expect(found.json).toMatchObject({
      id: '18446744073709551614',
      original: '9007199254740993',
      guild: null,
    })
    const neighbour = await fixture.ask('GET /v2/messages/9007199254740992')
    expect(neighbour.json.code).toBe(20006)
  })

  test('the newest message is returned when one original triggered several', async () => {
    const fixture = await createFixture(testApp)
    await insertTestMessage(fixture, {
      id: '71',
      original: '61',
      timestamp: at(MESSAGE_TIME) - MINUTE,
    })
    await insertTestMessage(fixture, { id: '72', original: '61', timestamp: at(MESSAGE_TIME) })
    await insertTestMessage(fixture, {
      id: '73',
      original: '61',
      timestamp: at(MESSAGE_TIME) - 2 * MINUTE,
    })
    await setClock(0)()
    expect(await fixture.get('GET /v2/messages/61')).toMatchObject({ id: '72' })
  })

  test('a message with this ID is preferred to one with this original', async () => {
    const fixture = await createFixture(testApp)
    await insertTestMessage(fixture, { id: '81', original: '82' })
    await insertTestMessage(fixture, { id: '82', original: '83' })
    await setClock(0)()
    expect(await fixture.get('GET /v2/messages/82')).toMatchObject({ id: '82', original: '83' })
  })
})

function insertTestMessage(
  { owner, wren }: Fixture,
  values: Partial<Message> & { id: string; original: string },
) {
  return testApp.deps.transact('new', (tx) =>
    insertMessage(tx, {
      sender: '111',
      channel: '222',
      guild: '333',
      system_id: owner.id,
      member_id: wren.id,
      timestamp: at(MESSAGE_TIME),
      ...values,
    }),
  )
}
