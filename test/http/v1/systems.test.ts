import { eq } from 'drizzle-orm'
import { systems } from '../../../src/db/tables'
import { drizzleOn } from '../../tools/drizzle'
import { allCallers, createFixture, runScenarios, type Scenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const NO_TOKEN = '401: Missing or invalid Authorization header'

/** New system as returned to its owner. */
const ownerJson = {
  id: '<own>',
  name: 'Lantern Hill',
  description: null,
  tag: null,
  color: null,
  avatar_url: null,
  banner: null,
  tz: 'UTC',
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  description_privacy: 'public',
  member_list_privacy: 'public',
  front_privacy: 'public',
  front_history_privacy: 'public',
}

/** New system as returned to other callers: without privacy levels. */
const publicJson = {
  ...ownerJson,
  description_privacy: null,
  member_list_privacy: null,
  front_privacy: null,
  front_history_privacy: null,
}

describe('reading the own system in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/s returns the complete system to its owner': { ask: 'GET /v1/s', json: ownerJson },
    'GET /v1/s returns the system of the token': {
      as: 'other',
      ask: 'GET /v1/s',
      has: { name: 'Harbour' },
    },
    'GET /v1/s requires a token': {
      as: 'anonymous',
      ask: 'GET /v1/s',
      status: 401,
      message: NO_TOKEN,
    },
    'GET /v1/s accepts a trailing slash': { ask: 'GET /v1/s/', json: ownerJson },
  })

  test('GET /v1/s accepts the token after "Bearer"', async () => {
    const { owner } = await createFixture(testApp)
    const headers = { authorization: `Bearer ${owner.token}` }
    expect((await testApp.ask('GET /v1/s', { headers })).json).toMatchObject({ id: owner.hid })
  })

  test('GET /v1/s refuses unknown tokens', async () => {
    for (const authorization of ['nonsense', 'Bearer', 'A'.repeat(64)])
      expect((await testApp.ask('GET /v1/s', { headers: { authorization } })).status).toBe(401)
  })

  test('HEAD /v1/s is answered like GET, without a body', async () => {
    const { owner } = await createFixture(testApp)
    const { status, text, headers } = await testApp.ask('HEAD /v1/s', { as: owner })
    const { text: body } = await testApp.ask('GET /v1/s', { as: owner })
    expect({ status, text }).toEqual({ status: 200, text: '' })
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
  })
})

describe('reading a system by its ID in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/s/{id} returns the complete system to its owner': {
      ask: 'GET /v1/s/<own>',
      json: ownerJson,
    },
    'GET /v1/s/{id} returns no privacy levels to other callers': {
      as: ['other', 'anonymous'],
      ask: 'GET /v1/s/<own>',
      json: publicJson,
    },
    ...Object.fromEntries(
      ['upper', 'dashed', 'upperDashed'].map((form) => [
        `GET /v1/s/{id} accepts the short ID written ${form}`,
        { as: allCallers, ask: `GET /v1/s/<own.${form}>`, has: { id: '<own>' } },
      ]),
    ),
    ...Object.fromEntries(
      ['qqqqq', 'qqqqqq', '<own.uuid>', '<account>', '@me', 'abc', 'abcdefg', 'ab-cdef', '%20'].map(
        (id) => [
          `GET /v1/s/{id} returns 404 for ${id}`,
          { as: allCallers, ask: `GET /v1/s/${id}`, status: 404, code: 20001 },
        ],
      ),
    ),
  })

  test('GET /v1/s/{id} accepts a short ID of 5 letters', async () => {
    const { owner, ask } = await createFixture(testApp)
    const hid = owner.hid.slice(0, 5)
    await testApp.deps.transact('new', async (tx) => {
      await drizzleOn(tx).update(systems).set({ hid }).where(eq(systems.id, owner.id))
    })
    for (const written of [hid, hid.toUpperCase()])
      for (const who of allCallers)
        expect((await ask(`GET /v1/s/${written}`, undefined, who)).json).toMatchObject({ id: hid })
  })
})

describe('reading the system of an account in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/a/{id} returns the complete system to its owner': {
      ask: 'GET /v1/a/<account>',
      json: ownerJson,
    },
    'GET /v1/a/{id} returns no privacy levels to other callers': {
      as: ['other', 'anonymous'],
      ask: 'GET /v1/a/<account>',
      json: publicJson,
    },
    'GET /v1/a/{id} returns 404 when the account is not linked': {
      as: allCallers,
      ask: 'GET /v1/a/123456789012345678',
      status: 404,
      code: 20001,
    },
    ...Object.fromEntries(
      ['<own>', '<own.uuid>', '@me', '1234567890123456', '12345678901234567890', 'x', '-1'].map(
        (id) => [
          `GET /v1/a/{id} returns 404 for ${id}, which is not an account ID`,
          { ask: `GET /v1/a/${id}`, status: 404, code: 20001 },
        ],
      ),
    ),
  })
})

const changed = {
  name: 'Lantern Vale',
  description: 'On the hill',
  tag: '| Lantern',
  color: 'f2b632',
  avatar_url: 'https://example.org/a.png',
  banner: 'https://example.org/b.png',
  description_privacy: 'private',
  member_list_privacy: 'private',
  front_privacy: 'private',
  front_history_privacy: 'private',
}

const cleared = {
  name: null,
  description: null,
  tag: null,
  color: null,
  avatar_url: null,
  banner: null,
}

describe('changing the own system in version 1', () => {
  runScenarios(testApp, {
    'PATCH /v1/s returns the complete changed system': {
      ask: 'PATCH /v1/s',
      body: changed,
      json: { ...ownerJson, ...changed },
      events: [['UPDATE_SYSTEM', null, changed]],
      after: async ({ get }) => expect(await get('GET /v1/s')).toMatchObject(changed),
    },
    'PATCH /v1/s keeps fields that are not given': {
      given: ({ do: write }) => write('PATCH /v1/s', changed),
      ask: 'PATCH /v1/s',
      body: { tag: null },
      has: { ...changed, tag: null },
      events: [['UPDATE_SYSTEM', null, { tag: null }]],
    },
    'PATCH /v1/s changes only the system of the token': {
      as: 'other',
      ask: 'PATCH /v1/s',
      body: { name: 'Quay' },
      has: { id: '<other>', name: 'Quay' },
      events: [['UPDATE_SYSTEM', null, { name: 'Quay' }]],
      after: async ({ get }) =>
        expect(await get('GET /v1/s')).toMatchObject({ name: ownerJson.name }),
    },
    'PATCH /v1/s requires a token': {
      as: 'anonymous',
      ask: 'PATCH /v1/s',
      body: changed,
      status: 401,
      message: NO_TOKEN,
    },
    'PATCH /v1/s records no event when nothing changes': {
      ask: 'PATCH /v1/s',
      body: { name: 'Lantern Hill' },
    },
    'PATCH /v1/s clears texts that are empty or null': {
      given: ({ do: write }) => write('PATCH /v1/s', changed),
      ask: 'PATCH /v1/s',
      body: { name: '', description: null, tag: '', color: '', avatar_url: '', banner: null },
      has: cleared,
      events: [['UPDATE_SYSTEM', null, cleared]],
    },
    'PATCH /v1/s makes a privacy level public when it is null': {
      given: ({ do: write }) => write('PATCH /v1/s', changed),
      ask: 'PATCH /v1/s',
      body: { front_privacy: null },
      has: { front_privacy: 'public', front_history_privacy: 'private' },
      events: [['UPDATE_SYSTEM', null, { front_privacy: 'public' }]],
    },
    'PATCH /v1/s ignores read-only and unknown keys': {
      ask: 'PATCH /v1/s',
      body: { id: 'aaaaa', uuid: 7, created: 'never', privacy: {}, nickname: 'x', name: 'Vale' },
      json: { ...ownerJson, name: 'Vale' },
      events: [['UPDATE_SYSTEM', null, { name: 'Vale' }]],
    },
    'PATCH /v1/s reports all problems at once and changes nothing': {
      ask: 'PATCH /v1/s',
      body: {
        name: 'n'.repeat(101),
        description: 'd'.repeat(1001),
        tag: 't'.repeat(80),
        color: '#f2b632',
        avatar_url: 'a'.repeat(257),
        banner: 7,
        tz: 'Middle/Earth',
        description_privacy: 'secret',
        member_list_privacy: true,
        front_privacy: 'Public',
        front_history_privacy: {},
      },
      status: 400,
      code: 40001,
      problems: [...Object.keys(changed), 'tz'],
    },
    'PATCH /v1/s changes nothing when one key is invalid': {
      ask: 'PATCH /v1/s',
      body: { ...changed, tz: 'Europe/Oslo', color: 'red' },
      status: 400,
      code: 40001,
      problems: ['color'],
    },
    'PATCH /v1/s reports the maximum length of a text': {
      ask: 'PATCH /v1/s',
      body: { tag: 't'.repeat(80) },
      status: 400,
      code: 40001,
      has: { errors: { tag: [{ max_length: 79, actual_length: 80 }] } },
    },
    'PATCH /v1/s accepts texts of maximum length': {
      ask: 'PATCH /v1/s',
      body: { name: 'n'.repeat(100), tag: 't'.repeat(79) },
      has: { name: 'n'.repeat(100), tag: 't'.repeat(79) },
      events: [['UPDATE_SYSTEM', null, { name: 'n'.repeat(100), tag: 't'.repeat(79) }]],
    },
    'PATCH /v1/s stores a colour in lower case': {
      ask: 'PATCH /v1/s',
      body: { color: 'F2B632' },
      has: { color: 'f2b632' },
      events: [['UPDATE_SYSTEM', null, { color: 'f2b632' }]],
    },
    ...refused(
      'has no known key',
      /no valid key/,
      {},
      { id: 'aaaaa', created: null },
      // Version 1 does not know these keys of version 2.
      { pronouns: 'they/them' },
      { name_privacy: 'private', privacy: { front_privacy: 'private' } },
    ),
    ...refused('is not JSON', /not valid JSON/, '', 'name', '{"name":', "{'name':'x'}"),
    ...refused(
      'is not an object',
      /must be a JSON object/,
      '[]',
      'null',
      '7',
      '"name"',
      '[{"tag":1}]',
    ),
  })
})

function refused(reason: string, message: RegExp, ...bodies: unknown[]): Scenarios {
  return Object.fromEntries(
    bodies.map((body) => [
      `PATCH /v1/s refuses a body that ${reason}: ${JSON.stringify(body)}`,
      { ask: 'PATCH /v1/s', body, status: 400, message },
    ]),
  )
}
