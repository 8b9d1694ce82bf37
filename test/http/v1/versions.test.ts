import { describe, expect, test } from 'bun:test'
import { member } from '../../../src/model/member'
import { createFixture, type Json, runScenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const house = createTestApp()

interface Shared {
  v1: string
  v2: string
  /** Some values for every key that both versions write, each other than the one before. */
  values: Record<string, unknown[]>
  levels: string[]
  /** Keys of version 1 that version 2 has no like of, or that nobody writes. */
  own: string[]
}

const texts = ['One', 'Zwei 🌱', null]

const shared: Record<string, Shared> = {
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
    own: ['id', 'created', 'tz'],
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
    own: ['id', 'created', 'prefix', 'suffix', 'privacy'],
  },
}

describe.each(Object.entries(shared))('a %s', (_, { v1, v2, values, levels, own }) => {
  test.each(Object.entries(values))('has one %s in both versions', async (key, given) => {
    const { do: write, get } = await createFixture(house)
    for (const value of given) {
      expect(await write(`PATCH ${v1}`, { [key]: value })).toHaveProperty(key, value)
      expect(await get(`GET ${v2}`)).toHaveProperty(key, value)
    }
    for (const value of given) {
      expect(await write(`PATCH ${v2}`, { [key]: value })).toHaveProperty(key, value)
      expect(await get(`GET ${v1}`)).toHaveProperty(key, value)
    }
  })

  test.each(levels)('has one %s in both versions', async (level) => {
    const { do: write, get } = await createFixture(house)
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

  test('is in version 1 what these tables say, and is the same one', async () => {
    const { get } = await createFixture(house)
    const old = await get(`GET ${v1}`)
    const current = await get(`GET ${v2}`)
    const told = [...Object.keys(values), ...levels, ...own]
    expect(Object.keys(old).toSorted()).toEqual(told.toSorted())
    expect(old).toMatchObject({ id: current.id, created: current.created })
  })

  test('that version 1 gave can be sent back to it without changing anything', async () => {
    const { do: write, get } = await createFixture(house)
    await write(`PATCH ${v1}`, firstOfEach(values))
    await write(`PATCH ${v2}`, { privacy: { [levels.at(-1) ?? '']: 'private' } })
    const [old, current] = [await get(`GET ${v1}`), await get(`GET ${v2}`)]
    expect(await write(`PATCH ${v1}`, old)).toEqual(old)
    expect(await get(`GET ${v2}`)).toEqual(current)
  })
})

describe('a member', () => {
  const open = Object.fromEntries(member.levels.map((level) => [level, 'public']))
  const draft = firstOfEach(shared.member?.values ?? {})

  test('made in either version is whole in the other', async () => {
    const { do: write, get } = await createFixture(house)
    const old = await write('POST /v1/m', { ...draft, name_privacy: 'private' })
    const current = await get(`GET /v2/members/${old.id}`)
    expect(current).toMatchObject({ ...draft, privacy: { ...open, name_privacy: 'private' } })
    const made = await write('POST /v2/members', { ...draft, privacy: { name_privacy: 'private' } })
    const { id, created, ...same } = await get(`GET /v1/m/${made.id}`)
    const { id: _, created: __, ...first } = old
    expect(same).toEqual(first)
    expect({ id, created }).toEqual({ id: made.id, created: made.created })
  })

  test('deleted in either version is gone from the other', async () => {
    const { do: write, ask } = await createFixture(house)
    await write('DELETE /v1/m/<wren>')
    expect((await ask('GET /v2/members/<wren>')).status).toBe(404)
    await write('DELETE /v2/members/<finch>')
    expect((await ask('GET /v1/m/<finch>')).status).toBe(404)
  })
})

test('a switch logged in either version is in the history of the other', async () => {
  const { do: write, get, fill } = await createFixture(house)
  await write('POST /v1/s/switches', { members: ['<heron>', '<wren>'] })
  const [old] = await get<Json[]>('GET /v2/systems/@me/switches')
  expect(old).toMatchObject({ members: fill(['<heron>', '<wren>']) })
  const { timestamp } = await write('POST /v2/systems/@me/switches', { members: ['<wren.uuid>'] })
  const [current] = await get<Json[]>('GET /v1/s/<own>/switches')
  expect(current).toEqual({ timestamp, members: fill(['<wren>']) })
})

const long = { name: 'n'.repeat(100), display_name: 'd'.repeat(100) }

describe('a name longer than 50', () => {
  runScenarios(house, {
    'written through version 2 is shown whole': {
      given: ({ do: write }) => write('PATCH /v2/members/<wren>', long),
      ask: 'GET /v1/m/<wren>',
      has: long,
    },
    'is in nobody’s way when something else changes': {
      given: ({ do: write }) => write('PATCH /v2/members/<wren>', long),
      ask: 'PATCH /v1/m/<wren>',
      body: { color: '88c0a8' },
      has: long,
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: '88c0a8' }]],
    },
    ...Object.fromEntries(
      ['PATCH /v1/m/<wren>', 'POST /v1/m'].flatMap((ask) => [
        [
          `cannot be written by ${ask}`,
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

const addresses = [
  'not an address',
  'ftp://example.org/a.png',
  'javascript:alert(1)',
  '/a.png',
  '?',
]

describe('an address', () => {
  test.each(addresses)('is not looked at by version 1, unlike version 2: %s', async (text) => {
    const { do: write, get, ask } = await createFixture(house)
    const both = { avatar_url: text, banner: text }
    for (const { v1, v2 } of Object.values(shared)) {
      const { status, json } = await ask(`PATCH ${v2}`, both)
      expect({ status, keys: Object.keys(json.errors as Json) }).toEqual({
        status: 400,
        keys: ['avatar_url', 'banner'],
      })
      expect(await write(`PATCH ${v1}`, both)).toMatchObject(both)
      expect(await get(`GET ${v2}`)).toMatchObject(both)
    }
    expect(await write('POST /v1/m', { name: 'Robin', ...both })).toMatchObject(both)
  })

  test('has at most 256 characters', async () => {
    const { ask } = await createFixture(house)
    for (const { v1 } of Object.values(shared)) {
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
