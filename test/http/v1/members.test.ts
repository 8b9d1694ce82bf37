import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { insertMember } from '../../../src/service/members'
import {
  createFixture,
  everyone,
  runScenarios,
  type Scenario,
  type Scenarios,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const house = createTestApp()

const levels = [
  'visibility',
  'name_privacy',
  'description_privacy',
  'avatar_privacy',
  'birthday_privacy',
  'pronoun_privacy',
  'metadata_privacy',
]

function all(level: string | null) {
  return Object.fromEntries(levels.map((name) => [name, level]))
}

/** A new member as its owner reads it. */
const whole = {
  id: '<wren>',
  name: 'Wren',
  display_name: null,
  description: null,
  pronouns: null,
  color: null,
  avatar_url: null,
  banner: null,
  birthday: null,
  prefix: null,
  suffix: null,
  proxy_tags: [],
  keep_proxy: false,
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  privacy: 'public',
  ...all('public'),
}

const seen = { ...whole, privacy: null, ...all(null) }

const given = {
  name: 'Robin',
  display_name: 'Robin of the Hill',
  description: 'Sings',
  pronouns: 'they/them',
  color: '88c0a8',
  avatar_url: 'https://example.org/a.png',
  banner: 'https://example.org/b.png',
  birthday: '0004-11-02',
  proxy_tags: [
    { prefix: 'r:', suffix: null },
    { prefix: '[', suffix: ']' },
  ],
  keep_proxy: true,
  ...all('private'),
}

/** A wrong value for every key that can be written. */
const wrong = {
  name: 'n'.repeat(51),
  display_name: 'd'.repeat(51),
  description: 'd'.repeat(1001),
  pronouns: 'p'.repeat(101),
  color: '#88c0a8',
  avatar_url: 'a'.repeat(257),
  banner: 7,
  birthday: '2021-02-29',
  proxy_tags: 'w:',
  keep_proxy: 'yes',
  visibility: 'hidden',
  name_privacy: true,
  description_privacy: 'Private',
  avatar_privacy: 0,
  birthday_privacy: {},
  pronoun_privacy: [],
  metadata_privacy: '',
}

describe('a member', () => {
  runScenarios(house, {
    'is read whole by its owner': { ask: 'GET /v1/m/<wren>', json: whole },
    'is read by others without its levels': {
      as: ['other', 'nobody'],
      ask: 'GET /v1/m/<wren>',
      json: seen,
    },
    ...Object.fromEntries(
      ['upper', 'dashed', 'upperDashed'].map((form) => [
        `is found by its short ID written ${form}`,
        { as: everyone, ask: `GET /v1/m/<wren.${form}>`, has: { id: '<wren>' } },
      ]),
    ),
    ...missing('GET', 'is not found'),
  })

  test('is found by 5 letters as well', async () => {
    const { owner, ask } = await createFixture(house)
    const hid = owner.hid.slice(0, 5)
    await house.deps.transact('new', (tx) =>
      insertMember(tx, owner.id, { name: 'Old' }, { hid, uuid: crypto.randomUUID() }),
    )
    for (const written of [hid, hid.toUpperCase()])
      for (const who of everyone)
        expect((await ask(`GET /v1/m/${written}`, undefined, who)).json).toMatchObject({ id: hid })
  })
})

const list = ['wren', 'finch', 'heron'].map((name) => ({
  id: `<${name}>`,
  name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
}))

describe('a system’s members', () => {
  runScenarios(house, {
    'are listed whole for their owner': {
      ask: 'GET /v1/s/<own>/members',
      json: list.map((names) => ({ ...whole, ...names })),
    },
    'are listed for others without their levels': {
      as: ['other', 'nobody'],
      ask: 'GET /v1/s/<own.upperDashed>/members',
      json: list.map((names) => ({ ...seen, ...names })),
    },
    'are missing with their system': {
      as: everyone,
      ask: 'GET /v1/s/qqqqq/members',
      status: 404,
      code: 20001,
    },
    'are not listed by a UUID': {
      ask: 'GET /v1/s/<own.uuid>/members',
      status: 404,
      code: 20001,
    },
  })
})

describe('making a member', () => {
  runScenarios(house, {
    'takes a name alone': {
      ask: 'POST /v1/m',
      body: { name: 'Robin' },
      json: { ...whole, id: expect.stringMatching(/^[a-z]{6}$/), name: 'Robin' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin' }]],
      after: async ({ get }, { json }) =>
        expect(await get('GET /v1/s/<own>/members')).toContainEqual(json),
    },
    'takes every key': {
      ask: 'POST /v1/m',
      body: given,
      has: { ...given, prefix: 'r:', suffix: null, privacy: 'private' },
      events: [['CREATE_MEMBER', expect.any(String), given]],
      after: async ({ get }, { json }) =>
        expect(await get(`GET /v1/m/${json.id}`)).toMatchObject(given),
    },
    'gives it to the system of the token': {
      as: 'other',
      ask: 'POST /v1/m',
      body: { name: 'Robin', system: '<own>' },
      has: { name: 'Robin' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin' }]],
      after: async ({ get }, { json }) => {
        expect(await get('GET /v1/s/<own>/members')).toHaveLength(3)
        expect(await get('GET /v1/s/<other>/members', 'other')).toContainEqual(json)
      },
    },
    'needs a token': { as: 'nobody', ask: 'POST /v1/m', body: given, status: 401 },
    ...Object.fromEntries(
      [{}, { ...given, name: undefined }, { name: null }, { name: '' }, { name: 7 }].map((body) => [
        `needs a name, unlike ${JSON.stringify(body)}`,
        { ask: 'POST /v1/m', body, ...problemsOf('name') },
      ]),
    ),
    'tells every problem at once': {
      ask: 'POST /v1/m',
      body: { ...wrong, name: undefined },
      ...problemsOf(...Object.keys(wrong)),
    },
    'passes over what cannot be written or is unknown': {
      ask: 'POST /v1/m',
      body: {
        name: 'Robin',
        id: 'aaaaa',
        uuid: 7,
        created: '2001-01-01',
        tts: true,
        nickname: 'x',
      },
      json: { ...whole, id: expect.not.stringMatching(/^aaaaa$/), name: 'Robin' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin' }]],
    },
    'stops at the limit of the system': {
      given: ({ home, owner }) =>
        home.deps.transact('new', async (tx) => {
          await tx
            .update(systemSettings)
            .set({ member_limit: 3 })
            .where(eq(systemSettings.system_id, owner.id))
        }),
      ask: 'POST /v1/m',
      body: { name: 'Robin' },
      status: 400,
      code: 40007,
    },
    ...malformed('POST /v1/m'),
  })
})

describe('changing a member', () => {
  runScenarios(house, {
    'answers with the whole member': {
      ask: 'PATCH /v1/m/<wren>',
      body: given,
      json: { ...whole, ...given, prefix: 'r:', privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', given]],
    },
    'keeps what is not given': {
      given: ({ do: write }) => write('PATCH /v1/m/<wren>', given),
      ask: 'PATCH /v1/m/<wren.upperDashed>',
      body: { pronouns: null },
      has: { ...given, pronouns: null },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { pronouns: null }]],
      after: async ({ get }) =>
        expect(await get('GET /v1/m/<wren>')).toMatchObject({ ...given, pronouns: null }),
    },
    'to what it is already tells nobody': { ask: 'PATCH /v1/m/<wren>', body: { name: 'Wren' } },
    'to a level of null makes it public': {
      given: ({ do: write }) => write('PATCH /v1/m/<wren>', given),
      ask: 'PATCH /v1/m/<wren>',
      body: { visibility: null },
      has: { visibility: 'public', privacy: 'public', name_privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { visibility: 'public' }]],
    },
    'passes over what cannot be written or is unknown': {
      ask: 'PATCH /v1/m/<wren>',
      body: { id: 'aaaaa', created: 7, message_count: 9, tts: true, name: 'Jenny' },
      json: { ...whole, name: 'Jenny' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { name: 'Jenny' }]],
    },
    'tells every problem at once': {
      ask: 'PATCH /v1/m/<wren>',
      body: wrong,
      ...problemsOf(...Object.keys(wrong)),
    },
    'cannot take its name away': {
      ask: 'PATCH /v1/m/<wren>',
      body: { name: null, keep_proxy: null, proxy_tags: null },
      ...problemsOf('name', 'keep_proxy', 'proxy_tags'),
    },
    'is not for another system': {
      as: 'other',
      ask: 'PATCH /v1/m/<wren>',
      body: given,
      status: 403,
      code: 30006,
    },
    'needs a token': { as: 'nobody', ask: 'PATCH /v1/m/<wren>', body: given, status: 401 },
    ...missing('PATCH', 'is not possible', { name: 'Robin' }),
    ...malformed('PATCH /v1/m/<wren>'),
    ...Object.fromEntries(
      [{}, { id: 'aaaaa' }, { tts: true }, { banner_privacy: 'private' }].map((body) => [
        `needs a key that can be changed here, unlike ${JSON.stringify(body)}`,
        { ask: 'PATCH /v1/m/<wren>', body, status: 400, message: /no valid key/ },
      ]),
    ),
  })
})

describe('deleting a member', () => {
  runScenarios(house, {
    'happens at once': {
      ask: 'DELETE /v1/m/<wren.dashed>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async ({ ask, get }) => {
        expect((await ask('GET /v1/m/<wren>')).status).toBe(404)
        expect((await ask('DELETE /v1/m/<wren>')).status).toBe(404)
        const switches = await get<{ members: string[] }[]>('GET /v1/s/<own>/switches')
        expect(switches.map(({ members }) => members.length)).toEqual([1, 1])
      },
    },
    'is not for another system': {
      as: 'other',
      ask: 'DELETE /v1/m/<wren>',
      status: 403,
      code: 30006,
    },
    'needs a token': { as: 'nobody', ask: 'DELETE /v1/m/<wren>', status: 401 },
    ...missing('DELETE', 'is not possible'),
  })
})

function problemsOf(...problems: string[]): Partial<Scenario> {
  return { status: 400, code: 40001, problems }
}

function malformed(ask: string): Scenarios {
  const bodies = ['', 'name', '{"name":', '[]', 'null', '7', '[{"name":"Robin"}]']
  return Object.fromEntries(
    bodies.map((body) => [
      `is refused where the body is no JSON object: ${body}`,
      { ask, body, status: 400, message: /not valid JSON|must be a JSON object/ },
    ]),
  )
}

/** Version 1 knows members by short IDs alone, and a system's ID is no member's. */
function missing(method: string, what: string, body?: object): Scenarios {
  const ids = ['qqqqq', 'qqqqqq', '<own>', '<wren.uuid>', 'abc', 'ab-cdef', '@me', '%20']
  const as = method === 'GET' ? everyone : 'owner'
  return Object.fromEntries(
    ids.map((id) => [
      `${what} by ${id}`,
      { as, ask: `${method} /v1/m/${id}`, ...(body && { body }), status: 404, code: 20002 },
    ]),
  )
}
