import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { systems } from '../../../src/db/tables'
import { createFixture, everyone, runScenarios, type Scenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const house = createTestApp()

const NO_TOKEN = '401: Missing or invalid Authorization header'

/** A new system as its owner reads it. */
const whole = {
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

/** The same for everyone else: what is public, and no levels. */
const seen = {
  ...whole,
  description_privacy: null,
  member_list_privacy: null,
  front_privacy: null,
  front_history_privacy: null,
}

describe('the own system', () => {
  runScenarios(house, {
    'is read whole with its token': { ask: 'GET /v1/s', json: whole },
    'is the one of the token': { as: 'other', ask: 'GET /v1/s', has: { name: 'Harbour' } },
    'needs a token': { as: 'nobody', ask: 'GET /v1/s', status: 401, message: NO_TOKEN },
    'answers with a slash behind it': { ask: 'GET /v1/s/', json: whole },
  })

  test('is read with the token behind the word Bearer', async () => {
    const { owner } = await createFixture(house)
    const headers = { authorization: `Bearer ${owner.token}` }
    expect((await house.ask('GET /v1/s', { headers })).json).toMatchObject({ id: owner.hid })
  })

  test('is not read with a token that nobody has', async () => {
    for (const authorization of ['nonsense', 'Bearer', 'A'.repeat(64)])
      expect((await house.ask('GET /v1/s', { headers: { authorization } })).status).toBe(401)
  })

  test('answers HEAD as GET, without a body', async () => {
    const { owner } = await createFixture(house)
    const { status, text, headers } = await house.ask('HEAD /v1/s', { as: owner })
    const { text: whole } = await house.ask('GET /v1/s', { as: owner })
    expect({ status, text }).toEqual({ status: 200, text: '' })
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(whole)))
  })
})

describe('a system', () => {
  runScenarios(house, {
    'is read whole by its owner': { ask: 'GET /v1/s/<own>', json: whole },
    'is read by others without its levels': {
      as: ['other', 'nobody'],
      ask: 'GET /v1/s/<own>',
      json: seen,
    },
    ...Object.fromEntries(
      ['upper', 'dashed', 'upperDashed'].map((form) => [
        `is found by its short ID written ${form}`,
        { as: everyone, ask: `GET /v1/s/<own.${form}>`, has: { id: '<own>' } },
      ]),
    ),
    ...Object.fromEntries(
      ['qqqqq', 'qqqqqq', '<own.uuid>', '<account>', '@me', 'abc', 'abcdefg', 'ab-cdef', '%20'].map(
        (id) => [
          `is not found by ${id}`,
          { as: everyone, ask: `GET /v1/s/${id}`, status: 404, code: 20001 },
        ],
      ),
    ),
  })

  test('is found by 5 letters as well', async () => {
    const { owner, ask } = await createFixture(house)
    const hid = owner.hid.slice(0, 5)
    await house.deps.transact('new', async (tx) => {
      await tx.update(systems).set({ hid }).where(eq(systems.id, owner.id))
    })
    for (const written of [hid, hid.toUpperCase()])
      for (const who of everyone)
        expect((await ask(`GET /v1/s/${written}`, undefined, who)).json).toMatchObject({ id: hid })
  })
})

describe('the system of an account', () => {
  runScenarios(house, {
    'is read whole by its owner': { ask: 'GET /v1/a/<account>', json: whole },
    'is read by others without its levels': {
      as: ['other', 'nobody'],
      ask: 'GET /v1/a/<account>',
      json: seen,
    },
    'is missing where none is linked': {
      as: everyone,
      ask: 'GET /v1/a/123456789012345678',
      status: 404,
      code: 20001,
    },
    ...Object.fromEntries(
      ['<own>', '<own.uuid>', '@me', '1234567890123456', '12345678901234567890', 'x', '-1'].map(
        (id) => [
          `is not found by ${id}, which is no account`,
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

const nothing = {
  name: null,
  description: null,
  tag: null,
  color: null,
  avatar_url: null,
  banner: null,
}

describe('changing the own system', () => {
  runScenarios(house, {
    'answers with the whole new system': {
      ask: 'PATCH /v1/s',
      body: changed,
      json: { ...whole, ...changed },
      events: [['UPDATE_SYSTEM', null, changed]],
      after: async ({ get }) => expect(await get('GET /v1/s')).toMatchObject(changed),
    },
    'keeps what is not given': {
      given: ({ do: write }) => write('PATCH /v1/s', changed),
      ask: 'PATCH /v1/s',
      body: { tag: null },
      has: { ...changed, tag: null },
      events: [['UPDATE_SYSTEM', null, { tag: null }]],
    },
    'changes nobody else’s': {
      as: 'other',
      ask: 'PATCH /v1/s',
      body: { name: 'Quay' },
      has: { id: '<other>', name: 'Quay' },
      events: [['UPDATE_SYSTEM', null, { name: 'Quay' }]],
      after: async ({ get }) => expect(await get('GET /v1/s')).toMatchObject({ name: whole.name }),
    },
    'needs a token': {
      as: 'nobody',
      ask: 'PATCH /v1/s',
      body: changed,
      status: 401,
      message: NO_TOKEN,
    },
    'to what it is already tells nobody': { ask: 'PATCH /v1/s', body: { name: 'Lantern Hill' } },
    'leaves no value where a text is empty or null': {
      given: ({ do: write }) => write('PATCH /v1/s', changed),
      ask: 'PATCH /v1/s',
      body: { name: '', description: null, tag: '', color: '', avatar_url: '', banner: null },
      has: nothing,
      events: [['UPDATE_SYSTEM', null, nothing]],
    },
    'to a level of null makes it public': {
      given: ({ do: write }) => write('PATCH /v1/s', changed),
      ask: 'PATCH /v1/s',
      body: { front_privacy: null },
      has: { front_privacy: 'public', front_history_privacy: 'private' },
      events: [['UPDATE_SYSTEM', null, { front_privacy: 'public' }]],
    },
    'passes over what cannot be written or is unknown': {
      ask: 'PATCH /v1/s',
      body: { id: 'aaaaa', uuid: 7, created: 'never', privacy: {}, nickname: 'x', name: 'Vale' },
      json: { ...whole, name: 'Vale' },
      events: [['UPDATE_SYSTEM', null, { name: 'Vale' }]],
    },
    'tells every problem at once, and changes nothing': {
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
    'is refused whole for one bad key': {
      ask: 'PATCH /v1/s',
      body: { ...changed, tz: 'Europe/Oslo', color: 'red' },
      status: 400,
      code: 40001,
      problems: ['color'],
    },
    'tells how long a text may be': {
      ask: 'PATCH /v1/s',
      body: { tag: 't'.repeat(80) },
      status: 400,
      code: 40001,
      has: { errors: { tag: [{ max_length: 79, actual_length: 80 }] } },
    },
    'takes texts of full length': {
      ask: 'PATCH /v1/s',
      body: { name: 'n'.repeat(100), tag: 't'.repeat(79) },
      has: { name: 'n'.repeat(100), tag: 't'.repeat(79) },
      events: [['UPDATE_SYSTEM', null, { name: 'n'.repeat(100), tag: 't'.repeat(79) }]],
    },
    'takes a colour in upper case, and keeps it in lower': {
      ask: 'PATCH /v1/s',
      body: { color: 'F2B632' },
      has: { color: 'f2b632' },
      events: [['UPDATE_SYSTEM', null, { color: 'f2b632' }]],
    },
    ...refused(
      'says nothing',
      /no valid key/,
      {},
      { id: 'aaaaa', created: null },
      // Keys of version 2 are unknown here.
      { pronouns: 'they/them' },
      { name_privacy: 'private', privacy: { front_privacy: 'private' } },
    ),
    ...refused('is no JSON', /not valid JSON/, '', 'name', '{"name":', "{'name':'x'}"),
    ...refused('is no object', /must be a JSON object/, '[]', 'null', '7', '"name"', '[{"tag":1}]'),
  })
})

function refused(what: string, message: RegExp, ...bodies: unknown[]): Scenarios {
  return Object.fromEntries(
    bodies.map((body) => [
      `is refused where the body ${what}: ${JSON.stringify(body)}`,
      { ask: 'PATCH /v1/s', body, status: 400, message },
    ]),
  )
}
