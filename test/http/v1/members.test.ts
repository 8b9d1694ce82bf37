import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { insertMember } from '../../../src/service/members/members'
import { drizzleOn } from '../../tools/drizzle'
import {
  allCallers,
  createFixture,
  runScenarios,
  type Scenario,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const levels = [
  'visibility',
  'name_privacy',
  'description_privacy',
  'avatar_privacy',
  'birthday_privacy',
  'pronoun_privacy',
  'metadata_privacy',
]

function allLevels(level: string | null) {
  return Object.fromEntries(levels.map((name) => [name, level]))
}

/** New member as returned to its owner. */
const ownerJson = {
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
  ...allLevels('public'),
}

/** New member as returned to other callers. */
const publicJson = { ...ownerJson, privacy: null, ...allLevels(null) }

const everyField = {
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
  ...allLevels('private'),
}

/** Invalid value for every writable key. */
const invalidFields = {
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

describe('reading a member in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/m/{id} returns the complete member to its owner': {
      ask: 'GET /v1/m/<wren>',
      json: ownerJson,
    },
    'GET /v1/m/{id} returns no privacy levels to other callers': {
      as: ['other', 'anonymous'],
      ask: 'GET /v1/m/<wren>',
      json: publicJson,
    },
    ...Object.fromEntries(
      ['upper', 'dashed', 'upperDashed'].map((form) => [
        `GET /v1/m/{id} accepts the short ID written ${form}`,
        { as: allCallers, ask: `GET /v1/m/<wren.${form}>`, has: { id: '<wren>' } },
      ]),
    ),
    ...missing('GET'),
  })

  test('GET /v1/m/{id} accepts a short ID of 5 letters', async () => {
    const { owner, ask } = await createFixture(testApp)
    const hid = owner.hid.slice(0, 5)
    await testApp.deps.transact('new', (tx) =>
      insertMember(tx, owner.id, { name: 'Old' }, { hid, uuid: crypto.randomUUID() }),
    )
    for (const written of [hid, hid.toUpperCase()])
      for (const who of allCallers)
        expect((await ask(`GET /v1/m/${written}`, undefined, who)).json).toMatchObject({ id: hid })
  })
})

const list = ['wren', 'finch', 'heron'].map((name) => ({
  id: `<${name}>`,
  name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
}))

describe('listing members in version 1', () => {
  runScenarios(testApp, {
    'GET /v1/s/{id}/members returns complete members to their owner': {
      ask: 'GET /v1/s/<own>/members',
      json: list.map((names) => ({ ...ownerJson, ...names })),
    },
    'GET /v1/s/{id}/members returns no privacy levels to other callers': {
      as: ['other', 'anonymous'],
      ask: 'GET /v1/s/<own.upperDashed>/members',
      json: list.map((names) => ({ ...publicJson, ...names })),
    },
    'GET /v1/s/{id}/members returns 404 for an unknown system': {
      as: allCallers,
      ask: 'GET /v1/s/qqqqq/members',
      status: 404,
      code: 20001,
    },
    'GET /v1/s/{id}/members returns 404 for a UUID': {
      ask: 'GET /v1/s/<own.uuid>/members',
      status: 404,
      code: 20001,
    },
  })
})

describe('creating a member in version 1', () => {
  runScenarios(testApp, {
    'POST /v1/m requires only a name': {
      ask: 'POST /v1/m',
      body: { name: 'Robin' },
      json: { ...ownerJson, id: expect.stringMatching(/^[a-z]{6}$/), name: 'Robin' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin' }]],
      after: async ({ get }, { json }) =>
        expect(await get('GET /v1/s/<own>/members')).toContainEqual(json),
    },
    'POST /v1/m accepts every writable key': {
      ask: 'POST /v1/m',
      body: everyField,
      has: { ...everyField, prefix: 'r:', suffix: null, privacy: 'private' },
      events: [['CREATE_MEMBER', expect.any(String), everyField]],
      after: async ({ get }, { json }) =>
        expect(await get(`GET /v1/m/${json.id}`)).toMatchObject(everyField),
    },
    'POST /v1/m creates the member in the system of the token': {
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
    'POST /v1/m requires a token': {
      as: 'anonymous',
      ask: 'POST /v1/m',
      body: everyField,
      status: 401,
    },
    ...Object.fromEntries(
      [{}, { ...everyField, name: undefined }, { name: null }, { name: '' }, { name: 7 }].map(
        (body) => [
          `POST /v1/m refuses a body without a valid name: ${JSON.stringify(body)}`,
          { ask: 'POST /v1/m', body, ...problemsOf('name') },
        ],
      ),
    ),
    'POST /v1/m reports all problems at once': {
      ask: 'POST /v1/m',
      body: { ...invalidFields, name: undefined },
      ...problemsOf(...Object.keys(invalidFields)),
    },
    'POST /v1/m ignores read-only and unknown keys': {
      ask: 'POST /v1/m',
      body: {
        name: 'Robin',
        id: 'aaaaa',
        uuid: 7,
        created: '2001-01-01',
        tts: true,
        nickname: 'x',
      },
      json: { ...ownerJson, id: expect.not.stringMatching(/^aaaaa$/), name: 'Robin' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin' }]],
    },
    'POST /v1/m refuses a member beyond the limit of the system': {
      given: ({ testApp, owner }) =>
        testApp.deps.transact('new', async (tx) => {
          await drizzleOn(tx)
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

describe('changing a member in version 1', () => {
  runScenarios(testApp, {
    'PATCH /v1/m/{id} returns the complete member': {
      ask: 'PATCH /v1/m/<wren>',
      body: everyField,
      json: { ...ownerJson, ...everyField, prefix: 'r:', privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', everyField]],
    },
    'PATCH /v1/m/{id} keeps fields that are not given': {
      given: ({ do: write }) => write('PATCH /v1/m/<wren>', everyField),
      ask: 'PATCH /v1/m/<wren.upperDashed>',
      body: { pronouns: null },
      has: { ...everyField, pronouns: null },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { pronouns: null }]],
      after: async ({ get }) =>
        expect(await get('GET /v1/m/<wren>')).toMatchObject({ ...everyField, pronouns: null }),
    },
    'PATCH /v1/m/{id} records no event when nothing changes': {
      ask: 'PATCH /v1/m/<wren>',
      body: { name: 'Wren' },
    },
    'PATCH /v1/m/{id} makes a privacy level public when it is null': {
      given: ({ do: write }) => write('PATCH /v1/m/<wren>', everyField),
      ask: 'PATCH /v1/m/<wren>',
      body: { visibility: null },
      has: { visibility: 'public', privacy: 'public', name_privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { visibility: 'public' }]],
    },
    'PATCH /v1/m/{id} ignores read-only and unknown keys': {
      ask: 'PATCH /v1/m/<wren>',
      body: { id: 'aaaaa', created: 7, message_count: 9, tts: true, name: 'Jenny' },
      json: { ...ownerJson, name: 'Jenny' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { name: 'Jenny' }]],
    },
    'PATCH /v1/m/{id} reports all problems at once': {
      ask: 'PATCH /v1/m/<wren>',
      body: invalidFields,
      ...problemsOf(...Object.keys(invalidFields)),
    },
    'PATCH /v1/m/{id} refuses null for name, keep_proxy and proxy_tags': {
      ask: 'PATCH /v1/m/<wren>',
      body: { name: null, keep_proxy: null, proxy_tags: null },
      ...problemsOf('name', 'keep_proxy', 'proxy_tags'),
    },
    'PATCH /v1/m/{id} refuses a member of another system': {
      as: 'other',
      ask: 'PATCH /v1/m/<wren>',
      body: everyField,
      status: 403,
      code: 30006,
    },
    'PATCH /v1/m/{id} requires a token': {
      as: 'anonymous',
      ask: 'PATCH /v1/m/<wren>',
      body: everyField,
      status: 401,
    },
    ...missing('PATCH', { name: 'Robin' }),
    ...malformed('PATCH /v1/m/<wren>'),
    ...Object.fromEntries(
      [{}, { id: 'aaaaa' }, { tts: true }, { banner_privacy: 'private' }].map((body) => [
        `PATCH /v1/m/{id} refuses a body without a writable key: ${JSON.stringify(body)}`,
        { ask: 'PATCH /v1/m/<wren>', body, status: 400, message: /no valid key/ },
      ]),
    ),
  })
})

describe('deleting a member in version 1', () => {
  runScenarios(testApp, {
    'DELETE /v1/m/{id} deletes the member and removes it from its switches': {
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
    'DELETE /v1/m/{id} refuses a member of another system': {
      as: 'other',
      ask: 'DELETE /v1/m/<wren>',
      status: 403,
      code: 30006,
    },
    'DELETE /v1/m/{id} requires a token': {
      as: 'anonymous',
      ask: 'DELETE /v1/m/<wren>',
      status: 401,
    },
    ...missing('DELETE'),
  })
})

function problemsOf(...problems: string[]): Partial<Scenario> {
  return { status: 400, code: 40001, problems }
}

function malformed(ask: string): Scenarios {
  const bodies = ['', 'name', '{"name":', '[]', 'null', '7', '[{"name":"Robin"}]']
  return Object.fromEntries(
    bodies.map((body) => [
      `${ask} refuses a body that is not a JSON object: ${body}`,
      { ask, body, status: 400, message: /not valid JSON|must be a JSON object/ },
    ]),
  )
}

/** Scenarios with references to no member: version 1 accepts nothing but short IDs of members. */
function missing(method: string, body?: object): Scenarios {
  const ids = ['qqqqq', 'qqqqqq', '<own>', '<wren.uuid>', 'abc', 'ab-cdef', '@me', '%20']
  const as = method === 'GET' ? allCallers : 'owner'
  return Object.fromEntries(
    ids.map((id) => [
      `${method} /v1/m/{id} returns 404 for ${id}`,
      { as, ask: `${method} /v1/m/${id}`, ...(body && { body }), status: 404, code: 20002 },
    ]),
  )
}
