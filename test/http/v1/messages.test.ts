import { MINUTE } from '../../../src/model/core/time'
import type { Message } from '../../../src/model/proxy/message'
import { insertMessage } from '../../../src/store/proxy/messageRows'
import {
  allCallers,
  at,
  createFixture,
  type Fixture,
  MESSAGE_TIME,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

/** Clock of the test app, one minute after the message of the fixture. */
let now = at(MESSAGE_TIME) + MINUTE
const testApp = createTestApp({ now: () => now })

const expected = {
  timestamp: MESSAGE_TIME,
  id: '<message>',
  original: '<original>',
  sender: '<account>',
  channel: '222',
}

const LARGEST = '18446744073709551615'

describe('messages in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/msg/{id} returns the complete system and member to their owner': {
      ask: 'GET /v1/msg/<message>',
      has: expected,
      after: async ({ fill, get }, { json }) =>
        expect(json).toEqual({
          ...fill(expected),
          system: await get('GET /v1/s'),
          member: await get('GET /v1/m/<wren>'),
        }),
    },
    'GET /v1/msg/{id} redacts system and member for other callers': {
      as: ['other', 'anonymous'],
      given: ({ do: write }) => write('PATCH /v1/m/<wren>', { visibility: 'private' }),
      ask: 'GET /v1/msg/<message>',
      has: expected,
      after: async ({ fill, get }, { json }) =>
        expect(json).toEqual({
          ...fill(expected),
          system: await get('GET /v1/s/<own>', 'anonymous'),
          member: await get('GET /v1/m/<wren>', 'other'),
        }),
    },
    'GET /v1/msg/{id} finds a message by the ID of its original': {
      as: allCallers,
      ask: 'GET /v1/msg/<original>',
      has: expected,
    },
    'GET /v1/msg/{id} returns neither system nor member after the member was deleted': {
      as: allCallers,
      given: ({ do: write }) => write('DELETE /v1/m/<wren>'),
      ask: 'GET /v1/msg/<message>',
      json: { ...expected, system: null, member: null },
    },
    'GET /v1/msg/{id} returns 404 for an unknown ID': {
      as: allCallers,
      ask: 'GET /v1/msg/1',
      status: 404,
      code: 20006,
    },
    'GET /v1/msg/{id} does not find a message by its channel': {
      ask: 'GET /v1/msg/222',
      status: 404,
      code: 20006,
    },
    ...invalidIds('<wren>', '<own.uuid>', '-1', '1.5', '1e3', '0x1', '%20', `${LARGEST}0`),
    ...invalidIds('18446744073709551616', '９'),
  })

  test('version 1 finds a message by its original for less than 30 minutes, by its own ID forever', async () => {
    const { ask } = await createFixture(testApp)
    const start = now
    const statusesAfter = async (passed: number) => {
      now = at(MESSAGE_TIME) + passed
      const requests = ['<original>', '<message>'].map((id) => ask(`GET /v1/msg/${id}`))
      return (await Promise.all(requests)).map(({ status }) => status)
    }
    expect(await statusesAfter(0)).toEqual([200, 200])
    expect(await statusesAfter(30 * MINUTE - 1)).toEqual([200, 200])
    expect(await statusesAfter(30 * MINUTE)).toEqual([404, 200])
    expect(await statusesAfter(365 * 24 * 60 * MINUTE)).toEqual([404, 200])
    now = start
  })

  test('version 1 finds and returns message IDs beyond the safe integers of JavaScript', async () => {
    const fixture = await createFixture(testApp)
    const ids = { id: LARGEST, original: '18446744073709551613', sender: '9007199254740993' }
    await insertTestMessage(fixture, { ...ids, channel: LARGEST })
    for (const who of allCallers)
      for (const id of [ids.id, ids.original]) {
        const { json } = await fixture.ask(`GET /v1/msg/${id}`, undefined, who)
        expect(json).toMatchObject({ ...ids, channel: LARGEST })
      }
  })

  test('version 1 returns the newest message when one original triggered several', async () => {
    const fixture = await createFixture(testApp)
    await insertTestMessage(fixture, { id: `1${fixture.message}`, timestamp: at(MESSAGE_TIME) + 2 })
    await insertTestMessage(fixture, { id: `2${fixture.message}`, timestamp: at(MESSAGE_TIME) + 1 })
    const { json } = await fixture.ask('GET /v1/msg/<original>', undefined, 'anonymous')
    expect(json).toMatchObject({ id: `1${fixture.message}`, original: fixture.original })
  })
})

function invalidIds(...ids: string[]): Scenarios {
  return Object.fromEntries(
    ids.map((id) => [
      `GET /v1/msg/{id} returns 404 for ${id}, which is not a message ID`,
      { as: allCallers, ask: `GET /v1/msg/${id}`, status: 404, code: 20006 },
    ]),
  )
}

function insertTestMessage(
  { testApp, owner, wren, original }: Fixture,
  message: Partial<Message>,
): Promise<void> {
  return testApp.deps.transact('new', (tx) =>
    insertMessage(tx, {
      id: '1',
      original,
      sender: '1',
      channel: '2',
      guild: null,
      system_id: owner.id,
      member_id: wren.id,
      timestamp: at(MESSAGE_TIME),
      ...message,
    }),
  )
}
