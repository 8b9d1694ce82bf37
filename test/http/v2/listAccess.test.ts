import { listAccessRules } from '../../../src/model/core/privacy'
import { group } from '../../../src/model/groups/group'
import { system } from '../../../src/model/systems/system'
import {
  createFixture,
  type Fixture,
  type Json,
  runScenarios,
  type Scenarios,
  type Who,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const nonOwners: Who[] = ['other', 'anonymous']

const levelsOf = { system: system.levels, group: group.levels }
const writes = { system: 'PATCH /v2/systems/@me', group: 'PATCH /v2/groups/<keepers>' }

interface AccessCase {
  of: 'system' | 'group'
  level: string
  line: string
  status: number
  code: number
  query?: string
}

const cases: AccessCase[] = [
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

/** Makes every level of the system or the group private but one; the group stays visible. */
function hideAllBut(fixture: Fixture, of: AccessCase['of'], exception: string) {
  const levels = levelsOf[of].filter((level) => level !== exception && level !== 'visibility')
  const privacy = Object.fromEntries(levels.map((level) => [level, 'private']))
  return fixture.do(writes[of], { privacy })
}

const closed: Scenarios = {}
for (const { of, level, line, status, code } of cases) {
  const close = (fixture: Fixture) => fixture.do(writes[of], { privacy: { [level]: 'private' } })
  closed[`${level} closes ${line} to other callers`] = {
    as: nonOwners,
    given: close,
    ask: line,
    status,
    code,
    lacks: ['Wren', 'Finch', 'Keepers', '<wren>', '<finch>'],
  }
  closed[`${level} leaves ${line} open to the owner`] = { given: close, ask: line }
  closed[`no level but ${level} closes ${line}`] = {
    as: nonOwners,
    given: (fixture) => hideAllBut(fixture, of, level),
    ask: line,
  }
  if (of === 'system')
    closed[`${level} of another system leaves ${line} open`] = {
      as: nonOwners,
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me', { privacy: { [level]: 'private' } }, 'other'),
      ask: line,
    }
}

test('every list access rule has a case', () => {
  const missing = Object.entries(listAccessRules).filter(
    ([, { level }]) => !cases.some((known) => known.level === level),
  )
  expect(
    missing.map(
      ([name, { level }]) => `add a case for ${name} (${level}) to test/http/v2/listAccess.test.ts`,
    ),
  ).toEqual([])
})

describe('private lists', () => {
  runScenarios(testApp, {
    ...closed,
    'private fronters of a system without switches return 403': {
      as: 'anonymous',
      given: async (fixture) => {
        await fixture.do('DELETE /v2/systems/@me/switches/<first>')
        await fixture.do('DELETE /v2/systems/@me/switches/<latest>')
        await fixture.do('PATCH /v2/systems/@me', { privacy: { front_privacy: 'private' } })
      },
      ask: 'GET /v2/systems/<own>/fronters',
      status: 403,
      code: 30004,
    },
    'a private history does not reveal whether a switch exists': {
      as: nonOwners,
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me', { privacy: { front_history_privacy: 'private' } }),
      ask: 'GET /v2/systems/<own>/switches/00000000-0000-4000-8000-000000000000',
      status: 404,
      code: 20008,
    },
    'a private member list leaves the member lists of groups open': {
      as: nonOwners,
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me', { privacy: { member_list_privacy: 'private' } }),
      ask: 'GET /v2/groups/<keepers>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }],
    },
    'a private member list of a group is empty in the list of groups with members': {
      as: nonOwners,
      given: async (fixture) => {
        await fixture.do('POST /v2/groups/<dreamers>/members/add', ['<wren>'])
        await fixture.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } })
      },
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [
        { name: 'Keepers', members: [] },
        { name: 'Dreamers', members: ['<wren.uuid>'] },
      ],
    },
    'a group with a private member list is left out of the groups of a member': {
      as: nonOwners,
      given: async (fixture) => {
        await fixture.do('POST /v2/groups/<dreamers>/members/add', ['<wren>'])
        await fixture.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } })
      },
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Dreamers' }],
      lacks: ['Keepers'],
    },
    'a group with a private member list stays in the groups of a member for the owner': {
      given: (fixture) =>
        fixture.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } }),
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }],
    },
    'a private member list of a group is complete for the owner': {
      given: (fixture) =>
        fixture.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } }),
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [{ members: ['<wren.uuid>', '<finch.uuid>'] }, { members: [] }],
    },
  })
})

describe('a hidden member', () => {
  const hide = (fixture: Fixture) =>
    fixture.do('PATCH /v2/members/<wren>', { privacy: { visibility: 'private' } })
  const namesIn = async (fixture: Fixture, line: string, who: Who) =>
    (await fixture.get<Json[]>(line, who)).map(({ name }) => name)

  test('a hidden member is in the member lists of the system and its groups for the owner only', async () => {
    const fixture = await createFixture(testApp)
    await hide(fixture)
    const [list, inGroup] = ['GET /v2/systems/<own>/members', 'GET /v2/groups/<keepers>/members']
    expect(await namesIn(fixture, list, 'owner')).toEqual(['Wren', 'Finch', 'Heron'])
    expect(await namesIn(fixture, inGroup, 'owner')).toEqual(['Wren', 'Finch'])
    for (const who of nonOwners) {
      expect(await namesIn(fixture, list, who)).toEqual(['Finch', 'Heron'])
      expect(await namesIn(fixture, inGroup, who)).toEqual(['Finch'])
    }
  })

  runScenarios(testApp, {
    'a hidden member is left out of the list of groups with members for other callers': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [{ members: ['<finch.uuid>'] }, { members: [] }],
      lacks: ['<wren.uuid>'],
    },
    'a hidden member stays in the list of groups with members for the owner': {
      given: hide,
      ask: 'GET /v2/systems/<own>/groups?with_members=true',
      has: [{ members: ['<wren.uuid>', '<finch.uuid>'] }, { members: [] }],
    },
    'a hidden member is returned by its ID': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/members/<wren>',
      has: { name: 'Wren', system: '<own>', privacy: null },
    },
    'a hidden member is returned among the fronters': {
      as: nonOwners,
      given: async (fixture) => {
        await hide(fixture)
        await fixture.do('POST /v2/systems/@me/switches', { members: ['<wren>'] })
      },
      ask: 'GET /v2/systems/<own>/fronters',
      has: { members: [{ name: 'Wren' }] },
    },
    'a hidden member stays in the switch history': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/systems/<own>/switches',
      has: [{ members: ['<finch>'] }, { members: ['<wren>', '<finch>'] }],
    },
    'a hidden member stays in its switch': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/systems/<own>/switches/<first>',
      has: { members: [{ name: 'Wren' }, { name: 'Finch' }] },
    },
    'a hidden member stays in its messages': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/messages/<message>',
      has: { member: { name: 'Wren' } },
    },
    'a hidden member keeps its list of groups': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }],
    },
  })
})

describe('a hidden group', () => {
  const hide = (fixture: Fixture) =>
    fixture.do('PATCH /v2/groups/<keepers>', { privacy: { visibility: 'private' } })
  runScenarios(testApp, {
    'a hidden group is left out of the groups of the system for other callers': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/systems/<own>/groups?with_members=1',
      has: [{ name: 'Dreamers' }],
      lacks: ['Keepers', '<keepers>', '<wren.uuid>'],
    },
    'a hidden group is left out of the groups of its members for other callers': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/members/<wren>/groups',
      json: [],
    },
    'a hidden group stays in the groups of the system for the owner': {
      given: hide,
      ask: 'GET /v2/systems/<own>/groups',
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
    },
    'a hidden group stays in the groups of its members for the owner': {
      given: hide,
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }],
    },
    'a hidden group is returned by its ID': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/groups/<keepers>',
      has: { name: 'Keepers', system: '<own>', privacy: null },
    },
    'a hidden group lists its members': {
      as: nonOwners,
      given: hide,
      ask: 'GET /v2/groups/<keepers>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }],
    },
  })
})
