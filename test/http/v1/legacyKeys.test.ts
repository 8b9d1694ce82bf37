import type { JsonObject, Level } from '../../../src/model/core/entity'
import { member } from '../../../src/model/members/member'
import { type Fixture, runScenarios, type Scenario, type Scenarios } from '../../tools/scenarios'
import { describe, expect } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

// Keys without a counterpart in version 2: tz, prefix, suffix, and privacy as one word.

const testApp = createTestApp()

const setOslo = ({ do: write }: Fixture) => write('PATCH /v1/s', { tz: 'Europe/Oslo' })

async function expectTimezone({ get }: Fixture, timezone: string): Promise<void> {
  expect(await get('GET /v2/systems/@me/settings')).toMatchObject({ timezone })
}

describe('tz in version 1', () => {
  runScenarios(testApp, {
    'PATCH /v1/s stores tz in the settings and returns UTC': {
      ask: 'PATCH /v1/s',
      body: { tz: 'Europe/Oslo', tag: 'x' },
      has: { tz: 'UTC', tag: 'x' },
      events: [
        ['UPDATE_SETTINGS', null, { timezone: 'Europe/Oslo' }],
        ['UPDATE_SYSTEM', null, { tag: 'x' }],
      ],
      after: (fixture) => expectTimezone(fixture, 'Europe/Oslo'),
    },
    'GET /v1/s/{id} returns UTC when the settings have another time zone': {
      given: ({ do: write }) => write('PATCH /v2/systems/@me/settings', { timezone: 'Asia/Tokyo' }),
      as: ['owner', 'anonymous'],
      ask: 'GET /v1/s/<own>',
      has: { tz: 'UTC' },
    },
    ...scenarios([null, ''], (tz) => ({
      [`PATCH /v1/s resets the time zone to UTC when tz is ${JSON.stringify(tz)}`]: {
        given: setOslo,
        ask: 'PATCH /v1/s',
        body: { tz },
        events: [['UPDATE_SETTINGS', null, { timezone: 'UTC' }]],
        after: (fixture) => expectTimezone(fixture, 'UTC'),
      },
    })),
    ...scenarios(['Middle/Earth', '+01:00', 7, {}, true], (tz) => ({
      [`PATCH /v1/s refuses the tz ${JSON.stringify(tz)} and keeps the time zone`]: {
        given: setOslo,
        ask: 'PATCH /v1/s',
        body: { tz, name: 'Vale' },
        ...problem('tz'),
        after: (fixture) => expectTimezone(fixture, 'Europe/Oslo'),
      },
    })),
  })
})

const LONG = 'x'.repeat(48)

/** Bodies with prefix or suffix, and all proxy tags of the member afterwards. */
const accepted: [body: JsonObject, tags: unknown[]][] = [
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

const oldTags = [
  { prefix: 'old', suffix: null },
  { prefix: null, suffix: 'older' },
]

const setOldTags = ({ do: write }: Fixture) =>
  write('PATCH /v2/members/<wren>', { proxy_tags: oldTags })

describe('prefix and suffix in version 1', () => {
  runScenarios(testApp, {
    ...scenarios(accepted, ([body, proxy_tags]) => ({
      [`PATCH /v1/m/{id} replaces the proxy tags: ${JSON.stringify(body)}`]: {
        given: setOldTags,
        ask: 'PATCH /v1/m/<wren>',
        body,
        has: { proxy_tags },
        events: [['UPDATE_MEMBER', '<wren.uuid>', { proxy_tags }]],
        after: async ({ get }) =>
          expect((await get('GET /v2/members/<wren>')).proxy_tags).toEqual(proxy_tags),
      },
      [`POST /v1/m sets the proxy tags: ${JSON.stringify(body)}`]: {
        ask: 'POST /v1/m',
        body: { name: 'Robin', ...body },
        has: { proxy_tags },
        events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin', proxy_tags }]],
        after: async ({ get }, { json }) =>
          expect((await get(`GET /v2/members/${json.id}`)).proxy_tags).toEqual(proxy_tags),
      },
    })),
    ...scenarios(refused, ([body, problems]) => ({
      [`PATCH /v1/m/{id} names the invalid keys: ${JSON.stringify(body)}`]: {
        given: setOldTags,
        ask: 'PATCH /v1/m/<wren>',
        body,
        ...problem(...problems),
      },
      [`POST /v1/m names the invalid keys: ${JSON.stringify(body)}`]: {
        ask: 'POST /v1/m',
        body,
        ...problem('name', ...problems),
      },
    })),
    'GET /v1/m/{id} returns the first proxy tag as prefix and suffix': {
      given: setOldTags,
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v1/m/<wren>',
      has: { prefix: 'old', suffix: null, proxy_tags: oldTags },
    },
    'GET /v1/m/{id} returns prefix and suffix when the first proxy tag has both': {
      given: ({ do: write }) =>
        write('PATCH /v2/members/<wren>', { proxy_tags: [{ prefix: '[', suffix: ']' }] }),
      ask: 'GET /v1/m/<wren>',
      has: { prefix: '[', suffix: ']' },
    },
    'GET /v1/m/{id} returns null as prefix and suffix when there are no proxy tags': {
      ask: 'GET /v1/m/<wren>',
      has: { prefix: null, suffix: null, proxy_tags: [] },
    },
    'PATCH /v1/m/{id} keeps the proxy tags when another field changes': {
      given: setOldTags,
      ask: 'PATCH /v1/m/<wren>',
      body: { color: '88c0a8' },
      has: { prefix: 'old', proxy_tags: oldTags },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: '88c0a8' }]],
    },
  })
})

const hide = ({ do: write }: Fixture) => write('PATCH /v1/m/<wren>', { privacy: 'private' })

describe('privacy in version 1', () => {
  runScenarios(testApp, {
    'PATCH /v1/m/{id} sets every privacy level when privacy is one word': {
      ask: 'PATCH /v1/m/<wren>',
      body: { privacy: 'private' },
      has: { privacy: 'private', visibility: 'private', metadata_privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', allLevels('private')]],
      after: (fixture) => expectLevels(fixture, allLevels('private')),
    },
    ...scenarios([null, 'public'], (privacy) => ({
      [`PATCH /v1/m/{id} makes every level public when privacy is ${privacy}`]: {
        given: hide,
        ask: 'PATCH /v1/m/<wren>',
        body: { privacy },
        has: { privacy: 'public', visibility: 'public' },
        events: [['UPDATE_MEMBER', '<wren.uuid>', allLevels('public')]],
        after: (fixture) => expectLevels(fixture, allLevels('public')),
      },
    })),
    'POST /v1/m sets every privacy level when privacy is one word': {
      ask: 'POST /v1/m',
      body: { name: 'Robin', privacy: 'private' },
      has: { privacy: 'private', name_privacy: 'private' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin', ...allLevels('private') }]],
      after: async ({ get }, { json }) =>
        expect(await get(`GET /v2/members/${json.id}`)).toHaveProperty(
          'privacy',
          allLevels('private'),
        ),
    },
    'PATCH /v1/m/{id} ignores privacy when the body has a privacy level': {
      ask: 'PATCH /v1/m/<wren>',
      body: { privacy: 'private', name_privacy: 'private', birthday_privacy: null },
      has: { privacy: 'public', name_privacy: 'private' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { name_privacy: 'private' }]],
      after: (fixture) =>
        expectLevels(fixture, { ...allLevels('public'), name_privacy: 'private' }),
    },
    'POST /v1/m ignores privacy when the body has a privacy level': {
      ask: 'POST /v1/m',
      body: { name: 'Robin', privacy: 'private', visibility: null },
      has: { privacy: 'public', name_privacy: 'public' },
      events: [['CREATE_MEMBER', expect.any(String), { name: 'Robin', visibility: 'public' }]],
    },
    'GET /v1/m/{id} returns the visibility as privacy': {
      given: ({ do: write }) =>
        write('PATCH /v2/members/<wren>', { privacy: { visibility: 'private' } }),
      ask: 'GET /v1/m/<wren>',
      has: { privacy: 'private', visibility: 'private', name_privacy: 'public' },
    },
    ...scenarios(['secret', 'Private', '', true, {}], (privacy) => ({
      [`PATCH /v1/m/{id} refuses the privacy ${JSON.stringify(privacy)}`]: {
        ask: 'PATCH /v1/m/<wren>',
        body: { privacy },
        ...problem('privacy'),
      },
    })),
  })
})

describe('birthdays in version 1', () => {
  runScenarios(testApp, {
    ...scenarios(['0001-11-02', '0004-11-02', '0004-02-29'], (birthday) => ({
      [`PATCH /v1/m/{id} accepts the birthday ${birthday} with a hidden year`]: {
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
        [`PATCH /v1/m/{id} refuses the birthday ${birthday}`]: {
          ask: 'PATCH /v1/m/<wren>',
          body: { birthday },
          ...problem('birthday'),
        },
      }),
    ),
  })
})

function scenarios<T>(cases: T[], scenariosOf: (value: T) => Scenarios): Scenarios {
  return Object.assign({}, ...cases.map(scenariosOf))
}

function problem(...problems: string[]): Pick<Scenario, 'status' | 'code' | 'problems'> {
  return { status: 400, code: 40001, problems }
}

function allLevels(level: Level) {
  return Object.fromEntries(member.levels.map((name) => [name, level]))
}

async function expectLevels({ get }: Fixture, levels: Record<string, Level>): Promise<void> {
  expect(await get('GET /v2/members/<wren>')).toHaveProperty('privacy', levels)
}
