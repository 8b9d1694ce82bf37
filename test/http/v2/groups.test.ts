import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { group } from '../../../src/model/groups/group'
import { anyUuid } from '../../tools/anyUuid'
import { drizzleOn } from '../../tools/drizzle'
import {
  createFixture,
  defaultsOf,
  type Fixture,
  type Json,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const allPublic = Object.fromEntries(group.levels.map((level) => [level, 'public']))

const newGroup = {
  id: expect.stringMatching(/^[abcefghjknoprstuvwxyz]{6}$/),
  uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
  ...defaultsOf(group),
  name: 'Robins',
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  privacy: allPublic,
}

describe('creating a group', () => {
  runScenarios(testApp, {
    'creating a group requires only a name': {
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      json: newGroup,
      events: [['CREATE_GROUP', anyUuid, { name: 'Robins' }]],
      after: async (fixture, { json }) => {
        const found = await fixture.get(`GET /v2/groups/${json.id}`)
        expect(found).toEqual({ ...json, system: fixture.owner.hid })
        expect(await fixture.get<Json[]>(`GET /v2/groups/${json.id}/members`)).toEqual([])
      },
    },
    'creating a group stores and records all given fields': {
      ask: 'POST /v2/groups',
      body: {
        name: 'Robins',
        icon: 'https://example.com/i.png',
        color: 'AABBCC',
        description: '',
        privacy: { list_privacy: 'private', visibility: null },
      },
      json: {
        ...newGroup,
        icon: 'https://example.com/i.png',
        color: 'aabbcc',
        privacy: { ...allPublic, list_privacy: 'private' },
      },
      events: [
        [
          'CREATE_GROUP',
          anyUuid,
          {
            name: 'Robins',
            icon: 'https://example.com/i.png',
            color: 'aabbcc',
            description: null,
            list_privacy: 'private',
            visibility: 'public',
          },
        ],
      ],
    },
    'creating a group makes it public, whatever the default for bots': {
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me/settings', { group_default_private: true }),
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      has: { privacy: allPublic },
      events: [['CREATE_GROUP', anyUuid, { name: 'Robins' }]],
    },
    'creating a group ignores members': {
      ask: 'POST /v2/groups',
      body: { name: 'Robins', members: ['<wren.uuid>'] },
      lacks: ['members'],
      events: [['CREATE_GROUP', anyUuid, { name: 'Robins' }]],
      after: async (fixture, { json }) =>
        expect(await fixture.get<Json[]>(`GET /v2/groups/${json.id}/members`)).toEqual([]),
    },
    'creating a group reports a missing name together with all other problems': {
      ask: 'POST /v2/groups',
      body: { display_name: 'x'.repeat(101), icon: 'nowhere', privacy: { list_privacy: 1 } },
      status: 400,
      code: 40001,
      problems: ['name', 'display_name', 'icon', 'list_privacy'],
    },
    'creating a group is refused when the limit is reached': {
      given: (fixture) => limitGroups(fixture, 2),
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      status: 400,
      code: 40008,
    },
    'creating a group is accepted when another system has reached its limit': {
      as: 'other',
      given: (fixture) => limitGroups(fixture, 2),
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      events: [['CREATE_GROUP', anyUuid, { name: 'Robins' }]],
    },
  })

  test('concurrent requests cannot create more groups than the limit', async () => {
    const fixture = await createFixture(testApp)
    await limitGroups(fixture, 3)
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) => fixture.ask('POST /v2/groups', { name })),
    )
    expect(answers.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40008, 40008])
    expect(await fixture.get('GET /v2/systems/@me/groups')).toHaveLength(3)
  })
})

describe('reading groups', () => {
  runScenarios(testApp, {
    'GET of one group returns its system': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/groups/<keepers>',
      has: { id: '<keepers>', uuid: '<keepers.uuid>', name: 'Keepers', system: '<own>' },
      lacks: ['members'],
    },
    'groups are listed in order of creation, without their system': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/systems/<own>/groups',
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
      lacks: ['"system"', '"members"', 'Circle'],
    },
    'the list of groups of a system without groups is empty': {
      as: 'other',
      given: (fixture) => fixture.do('DELETE /v2/groups/<circle>', undefined, 'other'),
      ask: 'GET /v2/systems/@me/groups?with_members=true',
      json: [],
    },
    'a group is not found by the short ID of a member': {
      ask: 'GET /v2/groups/<wren>',
      status: 404,
      code: 20004,
    },
  })
})

describe('listing groups with their members', () => {
  const path = 'GET /v2/systems/<own>/groups'
  const yes = ['true', 'TRUE', 'True', 'tRuE', '1']
  const no = ['false', 'FALSE', 'False', '0']
  const neither = ['', 'null', 'NULL', 'yes', 'no', 'on', '2', '-1', '01', 'true%20', 'undefined']
  const table: Scenarios = {}
  for (const value of yes)
    table[`with_members=${value} adds the members’ UUIDs`] = {
      as: ['owner', 'anonymous'],
      ask: `${path}?with_members=${value}`,
      has: [
        { name: 'Keepers', members: ['<wren.uuid>', '<finch.uuid>'] },
        { name: 'Dreamers', members: [] },
      ],
    }
  for (const value of no)
    table[`with_members=${value} leaves the members out`] = {
      ask: `${path}?with_members=${value}`,
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
      lacks: ['"members"'],
    }
  for (const value of neither)
    table[`with_members=${value} is refused`] = {
      ask: `${path}?with_members=${value}`,
      status: 400,
    }
  runScenarios(testApp, {
    ...table,
    'with_members without a value is refused': { ask: `${path}?with_members`, status: 400 },
    'with_members given twice is refused': {
      ask: `${path}?with_members=true&with_members=false`,
      status: 400,
    },
    'the list of groups ignores unknown parameters': { ask: `${path}?with_friends=yes` },
  })
})

describe('changing a group', () => {
  runScenarios(testApp, {
    'changing a group returns the complete group without its system and records the changes': {
      ask: 'PATCH /v2/groups/<keepers>',
      body: { name: 'Keepers', description: 'of keys', privacy: { visibility: 'private' } },
      json: {
        ...newGroup,
        id: '<keepers>',
        uuid: '<keepers.uuid>',
        name: 'Keepers',
        description: 'of keys',
        privacy: { ...allPublic, visibility: 'private' },
      },
      events: [
        ['UPDATE_GROUP', '<keepers.uuid>', { description: 'of keys', visibility: 'private' }],
      ],
    },
    'changing a group records no event when nothing changes': {
      ask: 'PATCH /v2/groups/<keepers>',
      body: { name: 'Keepers', description: '', privacy: { visibility: null } },
      has: { description: null },
    },
    'changing a group refuses a body with nothing but members': {
      ask: 'PATCH /v2/groups/<keepers>',
      body: { members: [] },
      status: 400,
    },
  })
})

describe('deleting a group', () => {
  runScenarios(testApp, {
    'deleting a group keeps its members': {
      ask: 'DELETE /v2/groups/<keepers.upperDashed>',
      status: 204,
      events: [['DELETE_GROUP', '<keepers.uuid>', null]],
      after: async (fixture) => {
        for (const line of ['GET /v2/groups/<keepers>', 'GET /v2/groups/<keepers.uuid>/members'])
          expect((await fixture.ask(line)).json.code).toBe(20004)
        expect((await fixture.ask('DELETE /v2/groups/<keepers>')).json.code).toBe(20004)
        expect(await fixture.get<Json[]>('GET /v2/members/<wren>/groups')).toEqual([])
        expect(await fixture.get<Json[]>('GET /v2/systems/@me/members')).toHaveLength(3)
      },
    },
  })

  test('a request concurrent with the deletion of a group succeeds or returns 404', async () => {
    const requests = [
      ['DELETE /v2/groups/<keepers>'],
      ['PATCH /v2/groups/<keepers>', { name: 'Robins' }],
      ['POST /v2/groups/<keepers>/members/add', ['<heron>']],
      ['POST /v2/groups/<keepers>/members/overwrite', ['<heron>']],
      ['POST /v2/members/<heron>/groups/add', ['<keepers>']],
    ] as const
    for (const [line, body] of requests) {
      const fixture = await createFixture(testApp)
      const [deletion, other] = await Promise.all([
        fixture.ask('DELETE /v2/groups/<keepers>'),
        fixture.ask(line, body),
      ])
      // Either of two deletions may be the first.
      const [first, second] = deletion.status === 204 ? [deletion, other] : [other, deletion]
      if (line !== 'DELETE /v2/groups/<keepers>') expect(first, line).toBe(deletion)
      expect(first.status, line).toBe(204)
      expect([200, 204, 404], line).toContain(second.status)
    }
  })
})

function limitGroups({ owner }: Fixture, group_limit: number) {
  return testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(systemSettings)
      .set({ group_limit })
      .where(eq(systemSettings.system_id, owner.id))
  })
}
