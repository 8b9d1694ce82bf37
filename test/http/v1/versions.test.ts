import { member } from '../../../src/model/members/member'
import { createFixture, type Json, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

interface SharedEntity {
  v1: string
  v2: string
  /** Values of every key that both versions write; each differs from the one before. */
  values: Record<string, unknown[]>
  levels: string[]
  /** Keys that are not compared: those that only version 1 has, and read-only ones. */
  otherKeys: string[]
}

const texts = ['One', 'Zwei 🌱', null]

const sharedEntities: Record<string, SharedEntity> = {
  system: {
    v1: '/v1/s',
    v2: '/v2/systems/@me',
    values: {
      name: ['Vale', 'n'.repeat(100), null],
      description: texts,
      tag: ['| Vale', 't'.repeat(79), null],
      color: ['88c0a8', '000000', null],
      avatar_url: ['https://example.org/a.png', 'http://example.org/b.png', null],
      banner: ['https://example.org/c.png', null],
    },
    levels: [
      'description_privacy',
      'member_list_privacy',
      'front_privacy',
      'front_history_privacy',
    ],
    otherKeys: ['id', 'created', 'tz'],
  },
  member: {
    v1: '/v1/m/<wren>',
    v2: '/v2/members/<wren>',
    values: {
      name: ['Jenny', 'n'.repeat(50), '🌱'],
      display_name: ['Jenny of the Hill', 'd'.repeat(50), null],
      description: texts,
      pronouns: ['she/her', 'p'.repeat(100), null],
      color: ['88c0a8', 'ffffff', null],
      avatar_url: ['https://example.org/a.png', 'http://example.org/b.png', null],
      banner: ['https://example.org/c.png', null],
      birthday: ['1987-06-05', '0001-11-02', '0004-02-29', null],
      proxy_tags: [
        [{ prefix: 'w:', suffix: null }],
        [
          { prefix: null, suffix: ' -w' },
          { prefix: '[', suffix: ']' },
        ],
        [],
      ],
      keep_proxy: [true, false],
    },
    levels: [
      'visibility',
      'name_privacy',
      'description_privacy',
      'avatar_privacy',
      'birthday_privacy',
      'pronoun_privacy',
      'metadata_privacy',
    ],
    otherKeys: ['id', 'created', 'prefix', 'suffix', 'privacy'],
  },
}

describe.each(Object.entries(sharedEntities))(
  'a %s in both versions',
  (name, { v1, v2, values, levels, otherKeys }) => {
    test.each(Object.entries(values))(
      `a ${name} has the same %s in both versions`,
      async (key, given) => {
        const { do: write, get } = await createFixture(testApp)
        for (const value of given) {
          expect(await write(`PATCH ${v1}`, { [key]: value })).toHaveProperty(key, value)
          expect(await get(`GET ${v2}`)).toHaveProperty(key, value)
        }
        for (const value of given) {
          expect(await write(`PATCH ${v2}`, { [key]: value })).toHaveProperty(key, value)
          expect(await get(`GET ${v1}`)).toHaveProperty(key, value)
        }
      },
    )

    test.each(levels)(`a ${name} has the same privacy level %s in both versions`, async (level) => {
      const { do: write, get } = await createFixture(testApp)
      for (const [given, stored] of [
        ['private', 'private'],
        ['public', 'public'],
        ['private', 'private'],
        [null, 'public'],
      ]) {
        await write(`PATCH ${v1}`, { [level]: given })
        expect(await get(`GET ${v2}`)).toMatchObject({ privacy: { [level]: stored } })
      }
      for (const value of ['private', 'public']) {
        await write(`PATCH ${v2}`, { privacy: { [level]: value } })
        expect(await get(`GET ${v1}`)).toHaveProperty(level, value)
      }
    })

    test(`a ${name} in version 1 has exactly the listed keys and the ID of version 2`, async () => {
      const { get } = await createFixture(testApp)
      const old = await get(`GET ${v1}`)
      const current = await get(`GET ${v2}`)
      const listed = [...Object.keys(values), ...levels, ...otherKeys]
      expect(Object.keys(old).toSorted()).toEqual(listed.toSorted())
      expect(old).toMatchObject({ id: current.id, created: current.created })
    })

    test(`a ${name} returned by version 1 can be sent back without changing anything`, async () => {
      const { do: write, get } = await createFixture(testApp)
      await write(`PATCH ${v1}`, firstOfEach(values))
      await write(`PATCH ${v2}`, { privacy: { [levels.at(-1) ?? '']: 'private' } })
      const [old, current] = [await get(`GET ${v1}`), await get(`GET ${v2}`)]
      expect(await write(`PATCH ${v1}`, old)).toEqual(old)
      expect(await get(`GET ${v2}`)).toEqual(current)
    })
  },
)

describe('a member in both versions', () => {
  const allPublic = Object.fromEntries(member.levels.map((level) => [level, 'public']))
  const draft = firstOfEach(sharedEntities.member?.values ?? {})

  test('a member created in one version is complete in the other', async () => {
    const { do: write, get } = await createFixture(testApp)
    const old = await write('POST /v1/m', { ...draft, name_privacy: 'private' })
    const current = await get(`GET /v2/members/${old.id}`)
    expect(current).toMatchObject({ ...draft, privacy: { ...allPublic, name_privacy: 'private' } })
    const inV2 = await write('POST /v2/members', { ...draft, privacy: { name_privacy: 'private' } })
    const { id, created, ...same } = await get(`GET /v1/m/${inV2.id}`)
    const { id: _, created: __, ...first } = old
    expect(same).toEqual(first)
    expect({ id, created }).toEqual({ id: inV2.id, created: inV2.created })
  })

  test('a member deleted in one version is not found in the other', async () => {
    const { do: write, ask } = await createFixture(testApp)
    await write('DELETE /v1/m/<wren>')
    expect((await ask('GET /v2/members/<wren>')).status).toBe(404)
    await write('DELETE /v2/members/<finch>')
    expect((await ask('GET /v1/m/<finch>')).status).toBe(404)
  })
})

test('a switch logged in one version is in the history of the other', async () => {
  const { do: write, get, fill } = await createFixture(testApp)
  await write('POST /v1/s/switches', { members: ['<heron>', '<wren>'] })
  const [old] = await get<Json[]>('GET /v2/systems/@me/switches')
  expect(old).toMatchObject({ members: fill(['<heron>', '<wren>']) })
  const { timestamp } = await write('POST /v2/systems/@me/switches', { members: ['<wren.uuid>'] })
  const [current] = await get<Json[]>('GET /v1/s/<own>/switches')
  expect(current).toEqual({ timestamp, members: fill(['<wren>']) })
})

const longNames = { name: 'n'.repeat(100), display_name: 'd'.repeat(100) }

describe('names longer than 50 characters', () => {
  runScenarios(testApp, {
    'GET /v1/m/{id} returns names longer than 50 characters in full': {
      given: ({ do: write }) => write('PATCH /v2/members/<wren>', longNames),
      ask: 'GET /v1/m/<wren>',
      has: longNames,
    },
    'PATCH /v1/m/{id} changes other fields of a member with names longer than 50 characters': {
      given: ({ do: write }) => write('PATCH /v2/members/<wren>', longNames),
      ask: 'PATCH /v1/m/<wren>',
      body: { color: '88c0a8' },
      has: longNames,
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: '88c0a8' }]],
    },
    ...Object.fromEntries(
      ['PATCH /v1/m/<wren>', 'POST /v1/m'].flatMap((ask) => [
        [
          `${ask} refuses names longer than 50 characters`,
          {
            ask,
            body: { name: 'n'.repeat(51), display_name: 'd'.repeat(51) },
            status: 400,
            code: 40001,
            has: { errors: { name: [tooLong(50, 51)], display_name: [tooLong(50, 51)] } },
          },
        ],
      ]),
    ),
  })
})

const invalidUrls = [
  'not an address',
  'ftp://example.org/a.png',
  'javascript:alert(1)',
  '/a.png',
  '?',
]

describe('image URLs in version 1', () => {
  test.each(invalidUrls)(
    'version 1 accepts an invalid URL that version 2 refuses: %s',
    async (text) => {
      const { do: write, get, ask } = await createFixture(testApp)
      const both = { avatar_url: text, banner: text }
      for (const { v1, v2 } of Object.values(sharedEntities)) {
        const { status, json } = await ask(`PATCH ${v2}`, both)
        expect({ status, keys: Object.keys(json.errors as Json) }).toEqual({
          status: 400,
          keys: ['avatar_url', 'banner'],
        })
        expect(await write(`PATCH ${v1}`, both)).toMatchObject(both)
        expect(await get(`GET ${v2}`)).toMatchObject(both)
      }
      expect(await write('POST /v1/m', { name: 'Robin', ...both })).toMatchObject(both)
    },
  )

  test('version 1 refuses a banner URL longer than 256 characters', async () => {
    const { ask } = await createFixture(testApp)
    for (const { v1 } of Object.values(sharedEntities)) {
      expect((await ask(`PATCH ${v1}`, { banner: 'x'.repeat(256) })).status).toBe(200)
      const { json } = await ask(`PATCH ${v1}`, { banner: 'x'.repeat(257) })
      expect(json).toMatchObject({ code: 40001, errors: { banner: [tooLong(256, 257)] } })
    }
  })
})

function firstOfEach(values: Record<string, unknown[]>): Json {
  return Object.fromEntries(Object.entries(values).map(([key, [value]]) => [key, value]))
}

function tooLong(max_length: number, actual_length: number) {
  return { message: expect.any(String), max_length, actual_length }
}
