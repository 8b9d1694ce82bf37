import { describe, expect, test } from 'bun:test'
import { group } from '../../../src/model/group'
import { listAccessRules as modelGates } from '../../../src/model/privacy'
import { system } from '../../../src/model/system'
import {
  createFixture,
  type Fixture,
  type Json,
  runScenarios,
  type Scenarios,
  type Who,
} from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const strangers: Who[] = ['other', 'nobody']

const levelsOf = { system: system.levels, group: group.levels }
const writes = { system: 'PATCH /v2/systems/@me', group: 'PATCH /v2/groups/<keepers>' }

interface Gate {
  of: 'system' | 'group'
  level: string
  line: string
  status: number
  code: number
  query?: string
}

const gates: Gate[] = [
  {
    of: 'system',
    level: 'member_list_privacy',
    line: 'GET /v2/systems/<own>/members',
    status: 403,
    code: 30001,
  },
  {
    of: 'system',
    level: 'group_list_privacy',
    line: 'GET /v2/systems/<own>/groups',
    status: 403,
    code: 30002,
  },
  {
    of: 'system',
    level: 'group_list_privacy',
    line: 'GET /v2/systems/<own>/groups?with_members=true',
    status: 403,
    code: 30002,
  },
  {
    of: 'system',
    level: 'group_list_privacy',
    line: 'GET /v2/members/<wren>/groups',
    status: 403,
    code: 30002,
  },
  {
    of: 'system',
    level: 'front_privacy',
    line: 'GET /v2/systems/<own>/fronters',
    status: 403,
    code: 30004,
  },
  {
    of: 'system',
    level: 'front_history_privacy',
    line: 'GET /v2/systems/<own>/switches',
    status: 403,
    code: 30005,
  },
  {
    of: 'system',
    level: 'front_history_privacy',
    line: 'GET /v2/systems/<own>/switches?limit=1',
    status: 403,
    code: 30005,
  },
  {
    of: 'system',
    level: 'front_history_privacy',
    line: 'GET /v2/systems/<own>/switches/<first>',
    status: 404,
    code: 20008,
  },
  {
    of: 'group',
    level: 'list_privacy',
    line: 'GET /v2/groups/<keepers>/members',
    status: 403,
    code: 30003,
  },
]

/** Sets every level of the system or the group but one; the group stays visible. */
function hideAllBut(world: Fixture, of: Gate['of'], but: string) {
  const levels = levelsOf[of].filter((level) => level !== but && level !== 'visibility')
  const privacy = Object.fromEntries(levels.map((level) => [level, 'private']))
  return world.do(writes[of], { privacy })
}

const closed: Scenarios = {}
for (const { of, level, line, status, code } of gates) {
  const close = (world: Fixture) => world.do(writes[of], { privacy: { [level]: 'private' } })
  closed[`${level} closes ${line} to others`] = {
    as: strangers,
    given: close,
    ask: line,
    status,
    code,
    lacks: ['Wren', 'Finch', 'Keepers', '<wren>', '<finch>'],
  }
  closed[`${level} leaves ${line} open to the owner`] = { given: close, ask: line }
  closed[`${level} alone can close ${line}`] = {
    as: strangers,
    given: (world) => hideAllBut(world, of, level),
    ask: line,
  }
  if (of === 'system')
    closed[`${level} of others leaves ${line} open`] = {
      as: strangers,
      given: (world) =>
        world.do('PATCH /v2/systems/@me', { privacy: { [level]: 'private' } }, 'other'),
      ask: line,
    }
}

test('every gate of the model is tried here', () => {
  const untried = Object.entries(modelGates).filter(
    ([, { level }]) => !gates.some((tried) => tried.level === level),
  )
  expect(
    untried.map(
      ([gate, { level }]) =>
        `say in test/http/v2/listAccess.test.ts what ${gate} (${level}) closes`,
    ),
  ).toEqual([])
})

describe('a closed list', () => {
  runScenarios(place, {
    ...closed,
    'of fronters is closed also when nobody ever switched': {
      as: 'nobody',
      given: async (world) => {
        await world.do('DELETE /v2/systems/@me/switches/<first>')
        await world.do('DELETE /v2/systems/@me/switches/<latest>')
        await world.do('PATCH /v2/systems/@me', { privacy: { front_privacy: 'private' } })
      },
      ask: 'GET /v2/systems/<own>/fronters',
      status: 403,
      code: 30004,
    },
    'of switches does not say which switches there are': {
      as: strangers,
      given: (world) =>
        world.do('PATCH /v2/systems/@me', { privacy: { front_history_privacy: 'private' } }),
      ask: 'GET /v2/systems/<own>/switches/00000000-0000-4000-8000-000000000000',
      status: 404,
      code: 20008,
    },
    'of members does not close a group’s': {
      as: strangers,
      given: (world) =>
        world.do('PATCH /v2/systems/@me', { privacy: { member_list_privacy: 'private' } }),
      ask: 'GET /v2/groups/<keepers>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }],
    },
    'of a group’s members is empty among the groups with members': {
      as: strangers,
      given: async (world) => {
        await world.do('POST /v2/groups/<dreamers>/members/add', ['<wren>'])
        await world.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } })
      },
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [
        { name: 'Keepers', members: [] },
        { name: 'Dreamers', members: ['<wren.uuid>'] },
      ],
    },
    'of a group’s members is not told from the members’ side': {
      as: strangers,
      given: async (world) => {
        await world.do('POST /v2/groups/<dreamers>/members/add', ['<wren>'])
        await world.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } })
      },
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Dreamers' }],
      lacks: ['Keepers'],
    },
    'of a group’s members is told to the owner from either side': {
      given: (world) =>
        world.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } }),
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }],
    },
    'of a group’s members is whole for the owner': {
      given: (world) =>
        world.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } }),
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [{ members: ['<wren.uuid>', '<finch.uuid>'] }, { members: [] }],
    },
  })
})

describe('a hidden member', () => {
  const hide = (world: Fixture) =>
    world.do('PATCH /v2/members/<wren>', { privacy: { visibility: 'private' } })
  const namesAt = async (world: Fixture, line: string, who: Who) =>
    (await world.get<Json[]>(line, who)).map(({ name }) => name)

  test('leaves the lists of the system and of groups, for others', async () => {
    const world = await createFixture(place)
    await hide(world)
    const [list, inGroup] = ['GET /v2/systems/<own>/members', 'GET /v2/groups/<keepers>/members']
    expect(await namesAt(world, list, 'owner')).toEqual(['Wren', 'Finch', 'Heron'])
    expect(await namesAt(world, inGroup, 'owner')).toEqual(['Wren', 'Finch'])
    for (const who of strangers) {
      expect(await namesAt(world, list, who)).toEqual(['Finch', 'Heron'])
      expect(await namesAt(world, inGroup, who)).toEqual(['Finch'])
    }
  })

  runScenarios(place, {
    'leaves the groups with members': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [{ members: ['<finch.uuid>'] }, { members: [] }],
      lacks: ['<wren.uuid>'],
    },
    'stays there for the owner': {
      given: hide,
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [{ members: ['<wren.uuid>', '<finch.uuid>'] }, { members: [] }],
    },
    'still answers when it is asked for': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/members/<wren>',
      has: { name: 'Wren', system: '<own>', privacy: null },
    },
    'still fronts': {
      as: strangers,
      given: async (world) => {
        await hide(world)
        await world.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
      },
      ask: 'GET /v2/systems/<own>/fronters',
      has: { members: [{ name: 'Wren' }] },
    },
    'is still in the history': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/systems/<own>/switches',
      has: [{ members: ['<finch>'] }, { members: ['<wren>', '<finch>'] }],
    },
    'is still in its switch': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/systems/<own>/switches/<first>',
      has: { members: [{ name: 'Wren' }, { name: 'Finch' }] },
    },
    'is still who a message is from': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/messages/<message>',
      has: { member: { name: 'Wren' } },
    },
    'still has groups': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }],
    },
  })
})

describe('a hidden group', () => {
  const hide = (world: Fixture) =>
    world.do('PATCH /v2/groups/<keepers>', { privacy: { visibility: 'private' } })
  runScenarios(place, {
    'leaves the list of the system, for others': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/systems/<own>/groups?with_members=1',
      has: [{ name: 'Dreamers' }],
      lacks: ['Keepers', '<keepers>', '<wren.uuid>'],
    },
    'leaves the lists of its members, for others': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/members/<wren>/groups',
      json: [],
    },
    'stays in the list of the system, for the owner': {
      given: hide,
      ask: 'GET /v2/systems/<own>/groups',
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
    },
    'stays in the lists of its members, for the owner': {
      given: hide,
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }],
    },
    'still answers when it is asked for': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/groups/<keepers>',
      has: { name: 'Keepers', system: '<own>', privacy: null },
    },
    'still lists its members when it is asked for': {
      as: strangers,
      given: hide,
      ask: 'GET /v2/groups/<keepers>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }],
    },
  })
})
