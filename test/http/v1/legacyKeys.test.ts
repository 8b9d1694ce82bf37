import { describe, expect } from 'bun:test'
import type { JsonObject, Level } from '../../../src/model/entity'
import { member } from '../../../src/model/member'
import { type Fixture, runScenarios, type Scenario, type Scenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

/** The keys that version 2 has no like of: tz, prefix, suffix, and privacy as a word. */
const house = createTestApp()

const oslo = ({ do: write }: Fixture) => write('PATCH /v1/s', { tz: 'Europe/Oslo' })

async function expectZone({ get }: Fixture, timezone: string): Promise<void> {
  expect(await get('GET /v2/systems/@me/settings')).toMatchObject({ timezone })
}

describe('the time zone', () => {
  runScenarios(house, {
    'written as tz is a setting, and reads as UTC': {
      ask: 'PATCH /v1/s',
      body: { tz: 'Europe/Oslo', tag: 'x' },
      has: { tz: 'UTC', tag: 'x' },
      events: [
        ['UPDATE_SETTINGS', null, { timezone: 'Europe/Oslo' }],
        ['UPDATE_SYSTEM', null, { tag: 'x' }],
      ],
      after: (world) => expectZone(world, 'Europe/Oslo'),
    },
    'reads as UTC whatever version 2 says': {
      given: ({ do: write }) => write('PATCH /v2/systems/@me/settings', { timezone: 'Asia/Tokyo' }),
      as: ['owner', 'nobody'],
      ask: 'GET /v1/s/<own>',
      has: { tz: 'UTC' },
    },
    ...scenarios([null, ''], (tz) => ({
      [`is UTC again when tz is ${JSON.stringify(tz)}`]: {
        given: oslo,
        ask: 'PATCH /v1/s',
        body: { tz },
        events: [['UPDATE_SETTINGS', null, { timezone: 'UTC' }]],
        after: (world) => expectZone(world, 'UTC'),
      },
    })),
    ...scenarios(['Middle/Earth', '+01:00', 7, {}, true], (tz) => ({
      [`stays as it is when tz is ${JSON.stringify(tz)}`]: {
        given: oslo,
        ask: 'PATCH /v1/s',
        body: { tz, name: 'Vale' },
        ...problem('tz'),
        after: (world) => expectZone(world, 'Europe/Oslo'),
      },
    })),
  })
})

const LONG = 'x'.repeat(48)

/** What prefix and suffix make of the member's tags: the body, then the whole list. */
const written: [body: JsonObject, tags: unknown[]][] = [
  [{ prefix: 'w:' }, [{ prefix: 'w:', suffix: null }]],
  [{ suffix: '-w' }, [{ prefix: null, suffix: '-w' }]],
  [{ prefix: '[', suffix: ']' }, [{ prefix: '[', suffix: ']' }]],
  [{ prefix: 'w:', suffix: null }, [{ prefix: 'w:', suffix: null }]],
  [{ prefix: '', suffix: '-w' }, [{ prefix: null, suffix: '-w' }]],
  [{ prefix: null }, []],
  [{ prefix: '', suffix: null }, []],
  [{ prefix: 'p'.repeat(95) }, [{ prefix: 'p'.repeat(95), suffix: null }]],
  [{ prefix: 'w:', suffix: '-w', proxy_tags: [] }, []],
  [{ prefix: 'w:', proxy_tags: [{ suffix: '-v' }] }, [{ prefix: null, suffix: '-v' }]],
  [{ prefix: 7, suffix: {}, proxy_tags: [{ prefix: 'v' }] }, [{ prefix: 'v', suffix: null }]],
]

const refused: [body: JsonObject, problems: string[]][] = [
  [{ prefix: 7 }, ['prefix']],
  [{ suffix: true }, ['suffix']],
  [{ prefix: 'w:', suffix: ['x'] }, ['suffix']],
  [{ prefix: {}, suffix: 0 }, ['prefix', 'suffix']],
  [{ suffix: 's'.repeat(96) }, ['suffix']],
  [{ prefix: LONG, suffix: LONG }, ['prefix']],
  [{ prefix: 'w:', proxy_tags: null }, ['proxy_tags']],
  [{ prefix: 7, birthday: 'today', privacy: 'secret' }, ['birthday', 'prefix', 'privacy']],
]

const before = [
  { prefix: 'old', suffix: null },
  { prefix: null, suffix: 'older' },
]

const tagged = ({ do: write }: Fixture) => write('PATCH /v2/members/<wren>', { proxy_tags: before })

describe('prefix and suffix', () => {
  runScenarios(house, {
    ...scenarios(written, ([body, proxy_tags]) => ({
      [`become the tags of a member: ${JSON.stringify(body)}`]: {
        given: tagged,
        ask: 'PATCH /v1/m/<wren>',
        body,
        has: { proxy_tags },
        events: [['UPDATE_MEMBER', '<wren.uuid>', { proxy_tags }]],
        after: async ({ get }) =>
          expect((await get('GET /v2/members/<wren>')).proxy_tags).toEqual(proxy_tags),
      },
      [`become the tags of a new member: ${JSON.stringify(body)}`]: {
        ask: 'POST /v1/m',
        body: { name: 'Robin', ...body },
        has: { proxy_tags },
        events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin', proxy_tags }]],
        after: async ({ get }, { json }) =>
          expect((await get(`GET /v2/members/${json.id}`)).proxy_tags).toEqual(proxy_tags),
      },
    })),
    ...scenarios(refused, ([body, problems]) => ({
      [`are refused by their own names: ${JSON.stringify(body)}`]: {
        given: tagged,
        ask: 'PATCH /v1/m/<wren>',
        body,
        ...problem(...problems),
      },
      [`are refused for a new member: ${JSON.stringify(body)}`]: {
        ask: 'POST /v1/m',
        body,
        ...problem('name', ...problems),
      },
    })),
    'are those of the first pair': {
      given: tagged,
      as: ['owner', 'other', 'nobody'],
      ask: 'GET /v1/m/<wren>',
      has: { prefix: 'old', suffix: null, proxy_tags: before },
    },
    'are both there when the first pair has both': {
      given: ({ do: write }) =>
        write('PATCH /v2/members/<wren>', { proxy_tags: [{ prefix: '[', suffix: ']' }] }),
      ask: 'GET /v1/m/<wren>',
      has: { prefix: '[', suffix: ']' },
    },
    'are nothing when there is no pair': {
      ask: 'GET /v1/m/<wren>',
      has: { prefix: null, suffix: null, proxy_tags: [] },
    },
    'stay when something else changes': {
      given: tagged,
      ask: 'PATCH /v1/m/<wren>',
      body: { color: '88c0a8' },
      has: { prefix: 'old', proxy_tags: before },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: '88c0a8' }]],
    },
  })
})

const hide = ({ do: write }: Fixture) => write('PATCH /v1/m/<wren>', { privacy: 'private' })

describe('privacy as one word', () => {
  runScenarios(house, {
    'sets every level of the member': {
      ask: 'PATCH /v1/m/<wren>',
      body: { privacy: 'private' },
      has: { privacy: 'private', visibility: 'private', metadata_privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', all('private')]],
      after: (world) => expectLevels(world, all('private')),
    },
    ...scenarios([null, 'public'], (privacy) => ({
      [`makes every level public when it is ${privacy}`]: {
        given: hide,
        ask: 'PATCH /v1/m/<wren>',
        body: { privacy },
        has: { privacy: 'public', visibility: 'public' },
        events: [['UPDATE_MEMBER', '<wren.uuid>', all('public')]],
        after: (world) => expectLevels(world, all('public')),
      },
    })),
    'sets every level of a new member': {
      ask: 'POST /v1/m',
      body: { name: 'Robin', privacy: 'private' },
      has: { privacy: 'private', name_privacy: 'private' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin', ...all('private') }]],
      after: async ({ get }, { json }) =>
        expect(await get(`GET /v2/members/${json.id}`)).toHaveProperty('privacy', all('private')),
    },
    'is passed over where a level is given itself': {
      ask: 'PATCH /v1/m/<wren>',
      body: { privacy: 'private', name_privacy: 'private', birthday_privacy: null },
      has: { privacy: 'public', name_privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { name_privacy: 'private' }]],
      after: (world) => expectLevels(world, { ...all('public'), name_privacy: 'private' }),
    },
    'is passed over for a new member where a level is given itself': {
      ask: 'POST /v1/m',
      body: { name: 'Robin', privacy: 'private', visibility: null },
      has: { privacy: 'public', name_privacy: 'public' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin', visibility: 'public' }]],
    },
    'reads as the visibility': {
      given: ({ do: write }) =>
        write('PATCH /v2/members/<wren>', { privacy: { visibility: 'private' } }),
      ask: 'GET /v1/m/<wren>',
      has: { privacy: 'private', visibility: 'private', name_privacy: 'public' },
    },
    ...scenarios(['secret', 'Private', '', true, {}], (privacy) => ({
      [`is public, private or null, unlike ${JSON.stringify(privacy)}`]: {
        ask: 'PATCH /v1/m/<wren>',
        body: { privacy },
        ...problem('privacy'),
      },
    })),
  })
})

describe('a birthday', () => {
  runScenarios(house, {
    ...scenarios(['0001-11-02', '0004-11-02', '0004-02-29'], (birthday) => ({
      [`has a hidden year: ${birthday}`]: {
        ask: 'PATCH /v1/m/<wren>',
        body: { birthday },
        has: { birthday },
        events: [['UPDATE_MEMBER', '<wren.uuid>', { birthday }]],
        after: async ({ get }) =>
          expect(await get('GET /v2/members/<wren>')).toMatchObject({ birthday }),
      },
    })),
    ...scenarios(
      ['0001-02-29', '0000-01-01', '11-02', '1987-6-5', '2021-02-30', 4],
      (birthday) => ({
        [`is a real day, unlike ${birthday}`]: {
          ask: 'PATCH /v1/m/<wren>',
          body: { birthday },
          ...problem('birthday'),
        },
      }),
    ),
  })
})

function scenarios<T>(cases: T[], scenariosOf: (one: T) => Scenarios): Scenarios {
  return Object.assign({}, ...cases.map(scenariosOf))
}

function problem(...problems: string[]): Pick<Scenario, 'status' | 'code' | 'problems'> {
  return { status: 400, code: 40001, problems }
}

function all(level: Level) {
  return Object.fromEntries(member.levels.map((name) => [name, level]))
}

async function expectLevels({ get }: Fixture, levels: Record<string, Level>): Promise<void> {
  expect(await get('GET /v2/members/<wren>')).toHaveProperty('privacy', levels)
}
