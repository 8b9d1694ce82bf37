import { describe, expect, test } from 'bun:test'
import type { Message } from '../../../src/model/message'
import { MINUTE } from '../../../src/model/time'
import { insertMessage } from '../../../src/service/messages'
import {
  at,
  createFixture,
  everyone,
  type Fixture,
  runScenarios,
  SAID,
  type Scenarios,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

/** The clock of these tests: as the messages of their worlds are said, a minute ago. */
let now = at(SAID) + MINUTE
const house = createTestApp({ now: () => now })

const said = {
  timestamp: SAID,
  id: '<message>',
  original: '<original>',
  sender: '<account>',
  channel: '222',
}

const LARGEST = '18446744073709551615'

describe('a message', () => {
  runScenarios(house, {
    'comes with its whole system and member for their owner': {
      ask: 'GET /v1/msg/<message>',
      has: said,
      after: async ({ fill, get }, { json }) =>
        expect(json).toEqual({
          ...fill(said),
          system: await get('GET /v1/s'),
          member: await get('GET /v1/m/<wren>'),
        }),
    },
    'comes for others as they see its system and member': {
      as: ['other', 'nobody'],
      given: ({ do: write }) => write('PATCH /v1/m/<wren>', { visibility: 'private' }),
      ask: 'GET /v1/msg/<message>',
      has: said,
      after: async ({ fill, get }, { json }) =>
        expect(json).toEqual({
          ...fill(said),
          system: await get('GET /v1/s/<own>', 'nobody'),
          member: await get('GET /v1/m/<wren>', 'other'),
        }),
    },
    'is found by the message that triggered it': {
      as: everyone,
      ask: 'GET /v1/msg/<original>',
      has: said,
    },
    'stays without a system and a member once the member is gone': {
      as: everyone,
      given: ({ do: write }) => write('DELETE /v1/m/<wren>'),
      ask: 'GET /v1/msg/<message>',
      json: { ...said, system: null, member: null },
    },
    'is missing where nobody said it': {
      as: everyone,
      ask: 'GET /v1/msg/1',
      status: 404,
      code: 20006,
    },
    'is not found by who said it or where': {
      ask: 'GET /v1/msg/222',
      status: 404,
      code: 20006,
    },
    ...noMessages('<wren>', '<own.uuid>', '-1', '1.5', '1e3', '0x1', '%20', `${LARGEST}0`),
    ...noMessages('18446744073709551616', '９'),
  })

  test('is found by what triggered it for less than 30 minutes, by its own ID for ever', async () => {
    const { ask } = await createFixture(house)
    const start = now
    const after = async (passed: number) => {
      now = at(SAID) + passed
      const asked = ['<original>', '<message>'].map((id) => ask(`GET /v1/msg/${id}`))
      return (await Promise.all(asked)).map(({ status }) => status)
    }
    expect(await after(0)).toEqual([200, 200])
    expect(await after(30 * MINUTE - 1)).toEqual([200, 200])
    expect(await after(30 * MINUTE)).toEqual([404, 200])
    expect(await after(365 * 24 * 60 * MINUTE)).toEqual([404, 200])
    now = start
  })

  test('is found by numbers beyond those of JavaScript, and shown by them', async () => {
    const world = await createFixture(house)
    const ids = { id: LARGEST, original: '18446744073709551613', sender: '9007199254740993' }
    await say(world, { ...ids, channel: LARGEST })
    for (const who of everyone)
      for (const id of [ids.id, ids.original]) {
        const { json } = await world.ask(`GET /v1/msg/${id}`, undefined, who)
        expect(json).toMatchObject({ ...ids, channel: LARGEST })
      }
  })

  test('is the newest of those that one message triggered', async () => {
    const world = await createFixture(house)
    await say(world, { id: `1${world.message}`, timestamp: at(SAID) + 2 })
    await say(world, { id: `2${world.message}`, timestamp: at(SAID) + 1 })
    const { json } = await world.ask('GET /v1/msg/<original>', undefined, 'nobody')
    expect(json).toMatchObject({ id: `1${world.message}`, original: world.original })
  })
})

function noMessages(...ids: string[]): Scenarios {
  return Object.fromEntries(
    ids.map((id) => [
      `is missing for ${id}, which is no message ID`,
      { as: everyone, ask: `GET /v1/msg/${id}`, status: 404, code: 20006 },
    ]),
  )
}

function say({ home, owner, wren, original }: Fixture, message: Partial<Message>): Promise<void> {
  return home.deps.transact('new', (tx) =>
    insertMessage(tx, {
      id: '1',
      original,
      sender: '1',
      channel: '2',
      guild: null,
      system_id: owner.id,
      member_id: wren.id,
      timestamp: at(SAID),
      ...message,
    }),
  )
}
