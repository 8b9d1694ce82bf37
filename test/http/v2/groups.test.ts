import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { group } from '../../../src/model/group'
import {
  createFixture,
  type Fixture,
  initialOf,
  type Json,
  runScenarios,
  type Scenarios,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const allPublic = Object.fromEntries(group.levels.map((level) => [level, 'public']))

const bare = {
  id: expect.stringMatching(/^[abcefghjknoprstuvwxyz]{6}$/),
  uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
  ...initialOf(group),
  name: 'Robins',
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  privacy: allPublic,
}

const some = expect.any(String)

describe('making a group', () => {
  runScenarios(place, {
    'a name is all that a new group needs': {
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      json: bare,
      events: [['CREATE_GROUP', some, { name: 'Robins' }]],
      after: async (world, { json }) => {
        const found = await world.get(`GET /v2/groups/${json.id}`)
        expect(found).toEqual({ ...json, system: world.owner.hid })
        expect(await world.get<Json[]>(`GET /v2/groups/${json.id}/members`)).toEqual([])
      },
    },
    'a new group has everything that was sent along, and the event tells the same': {
      ask: 'POST /v2/groups',
      body: {
        name: 'Robins',
        icon: 'https://example.com/i.png',
        color: 'AABBCC',
        description: '',
        privacy: { list_privacy: 'private', visibility: null },
      },
      json: {
        ...bare,
        icon: 'https://example.com/i.png',
        color: 'aabbcc',
        privacy: { ...allPublic, list_privacy: 'private' },
      },
      events: [
        [
          'CREATE_GROUP',
          some,
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
    'groups made through the API are public, whatever the default for bots is': {
      given: (world) => world.do('PATCH /v2/systems/@me/settings', { group_default_private: true }),
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      has: { privacy: allPublic },
      events: [['CREATE_GROUP', some, { name: 'Robins' }]],
    },
    'a group cannot be made with members': {
      ask: 'POST /v2/groups',
      body: { name: 'Robins', members: ['<wren.uuid>'] },
      lacks: ['members'],
      events: [['CREATE_GROUP', some, { name: 'Robins' }]],
      after: async (world, { json }) =>
        expect(await world.get<Json[]>(`GET /v2/groups/${json.id}/members`)).toEqual([]),
    },
    'a group without a name cannot be made, and every problem is told': {
      ask: 'POST /v2/groups',
      body: { display_name: 'x'.repeat(101), icon: 'nowhere', privacy: { list_privacy: 1 } },
      status: 400,
      code: 40001,
      problems: ['name', 'display_name', 'icon', 'list_privacy'],
    },
    'a system at its limit takes no more groups': {
      given: (world) => limitGroups(world, 2),
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      status: 400,
      code: 40008,
    },
    'the limit counts the own groups only': {
      as: 'other',
      given: (world) => limitGroups(world, 2),
      ask: 'POST /v2/groups',
      body: { name: 'Robins' },
      events: [['CREATE_GROUP', some, { name: 'Robins' }]],
    },
  })

  test('two clients at once get no more than the limit leaves', async () => {
    const world = await createFixture(place)
    await limitGroups(world, 3)
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) => world.ask('POST /v2/groups', { name })),
    )
    expect(answers.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 40008, 40008])
    expect(await world.get('GET /v2/systems/@me/groups')).toHaveLength(3)
  })
})

describe('reading groups', () => {
  runScenarios(place, {
    'a group names its system only when it is asked for alone': {
      as: ['owner', 'other', 'nobody'],
      ask: 'GET /v2/groups/<keepers>',
      has: { id: '<keepers>', uuid: '<keepers.uuid>', name: 'Keepers', system: '<own>' },
      lacks: ['members'],
    },
    'the list of groups is in the order they were made in': {
      as: ['owner', 'other', 'nobody'],
      ask: 'GET /v2/systems/<own>/groups',
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
      lacks: ['"system"', '"members"', 'Circle'],
    },
    'a system without groups has an empty list': {
      as: 'other',
      given: (world) => world.do('DELETE /v2/groups/<circle>', undefined, 'other'),
      ask: 'GET /v2/systems/@me/groups?with_members=true',
      json: [],
    },
    'a short ID of a member is none of a group': {
      ask: 'GET /v2/groups/<wren>',
      status: 404,
      code: 20004,
    },
  })
})

describe('groups with their members', () => {
  const path = 'GET /v2/systems/<own>/groups'
  const yes = ['true', 'TRUE', 'True', 'tRuE', '1']
  const no = ['false', 'FALSE', 'False', '0']
  const neither = ['', 'null', 'NULL', 'yes', 'no', 'on', '2', '-1', '01', 'true%20', 'undefined']
  const table: Scenarios = {}
  for (const word of yes)
    table[`with_members=${word} adds the members’ UUIDs`] = {
      as: ['owner', 'nobody'],
      ask: `${path}?with_members=${word}`,
      has: [
        { name: 'Keepers', members: ['<wren.uuid>', '<finch.uuid>'] },
        { name: 'Dreamers', members: [] },
      ],
    }
  for (const word of no)
    table[`with_members=${word} leaves the members out`] = {
      ask: `${path}?with_members=${word}`,
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
      lacks: ['"members"'],
    }
  for (const word of neither)
    table[`with_members=${word} is refused`] = {
      ask: `${path}?with_members=${word}`,
      status: 400,
    }
  runScenarios(place, {
    ...table,
    'with_members without a value is refused': { ask: `${path}?with_members`, status: 400 },
    'with_members given twice is refused': {
      ask: `${path}?with_members=true&with_members=false`,
      status: 400,
    },
    'a parameter that nobody knows is passed over': { ask: `${path}?with_friends=yes` },
  })
})

describe('changing a group', () => {
  runScenarios(place, {
    'a change answers the whole group without its system, and tells what is new': {
      ask: 'PATCH /v2/groups/<keepers>',
      body: { name: 'Keepers', description: 'of keys', privacy: { visibility: 'private' } },
      json: {
        ...bare,
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
    'what is so already is no change': {
      ask: 'PATCH /v2/groups/<keepers>',
      body: { name: 'Keepers', description: '', privacy: { visibility: null } },
      has: { description: null },
    },
    'members are not changed along with their group': {
      ask: 'PATCH /v2/groups/<keepers>',
      body: { members: [] },
      status: 400,
    },
  })
})

describe('deleting a group', () => {
  runScenarios(place, {
    'a deleted group is gone, its members stay': {
      ask: 'DELETE /v2/groups/<keepers.upperDashed>',
      status: 204,
      events: [['DELETE_GROUP', '<keepers.uuid>', null]],
      after: async (world) => {
        for (const line of ['GET /v2/groups/<keepers>', 'GET /v2/groups/<keepers.uuid>/members'])
          expect((await world.ask(line)).json.code).toBe(20004)
        expect((await world.ask('DELETE /v2/groups/<keepers>')).json.code).toBe(20004)
        expect(await world.get<Json[]>('GET /v2/members/<wren>/groups')).toEqual([])
        expect(await world.get<Json[]>('GET /v2/systems/@me/members')).toHaveLength(3)
      },
    },
  })

  test('what comes at the same moment finds the group whole or gone', async () => {
    const requests = [
      ['DELETE /v2/groups/<keepers>'],
      ['PATCH /v2/groups/<keepers>', { name: 'Robins' }],
      ['POST /v2/groups/<keepers>/members/add', ['<heron>']],
      ['POST /v2/groups/<keepers>/members/overwrite', ['<heron>']],
      ['POST /v2/members/<heron>/groups/add', ['<keepers>']],
    ] as const
    for (const [line, body] of requests) {
      const world = await createFixture(place)
      const [gone, late] = await Promise.all([
        world.ask('DELETE /v2/groups/<keepers>'),
        world.ask(line, body),
      ])
      // Of two who delete it either may be the first.
      const [deleted, other] = gone.status === 204 ? [gone, late] : [late, gone]
      if (line !== 'DELETE /v2/groups/<keepers>') expect(deleted, line).toBe(gone)
      expect(deleted.status, line).toBe(204)
      expect([200, 204, 404], line).toContain(other.status)
    }
  })
})

function limitGroups({ owner }: Fixture, group_limit: number) {
  return place.deps.transact('new', async (tx) => {
    await tx
      .update(systemSettings)
      .set({ group_limit })
      .where(eq(systemSettings.system_id, owner.id))
  })
}
