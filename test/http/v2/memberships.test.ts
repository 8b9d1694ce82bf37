import { insertMember } from '../../../src/service/members/members'
import {
  type After,
  createFixture,
  type Json,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const keepersMembers = 'POST /v2/groups/<keepers>/members'
const wrenGroups = 'POST /v2/members/<wren>/groups'

const membershipEvent = (
  group: string,
  action: string,
  members: string[],
): [string, string, Json] => [
  'UPDATE_GROUP_MEMBERS',
  `<${group}.uuid>`,
  { action, members: members.map((name) => `<${name}.uuid>`) },
]

/** Expects exactly these members in keepers. */
const expectKeepers =
  (...names: string[]): After =>
  async (fixture) => {
    const found = await fixture.get<Json[]>('GET /v2/groups/<keepers>/members')
    expect(found.map(({ name }) => name)).toEqual(names)
  }

/** Expects wren in exactly these groups. */
const expectGroupsOfWren =
  (...names: string[]): After =>
  async (fixture) => {
    const found = await fixture.get<Json[]>('GET /v2/members/<wren>/groups')
    expect(found.map(({ name }) => name)).toEqual(names)
  }

describe('members of a group', () => {
  runScenarios(testApp, {
    'members of a group are listed in order of creation, without their system': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/groups/<keepers>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }],
      lacks: ['"system"'],
    },
    'members/add adds a member to a group': {
      ask: `${keepersMembers}/add`,
      body: ['<heron>'],
      status: 204,
      events: [membershipEvent('keepers', 'add', ['heron'])],
      after: expectKeepers('Wren', 'Finch', 'Heron'),
    },
    'members/add records only new members': {
      ask: `${keepersMembers}/add`,
      body: ['<wren>', '<heron>'],
      status: 204,
      events: [membershipEvent('keepers', 'add', ['heron'])],
      after: expectKeepers('Wren', 'Finch', 'Heron'),
    },
    'members/add changes nothing when all of them are in the group': {
      ask: `${keepersMembers}/add`,
      body: ['<wren>', '<finch>', '<wren.uuid>'],
      status: 204,
      after: expectKeepers('Wren', 'Finch'),
    },
    'members/add accepts several references to the same member': {
      ask: `${keepersMembers}/add`,
      body: ['<heron>', '<heron.upper>', '<heron.uuid>', '<heron.dashed>'],
      status: 204,
      events: [membershipEvent('keepers', 'add', ['heron'])],
      after: expectKeepers('Wren', 'Finch', 'Heron'),
    },
    'members/remove removes a member from a group': {
      ask: `${keepersMembers}/remove`,
      body: ['<wren.upperDashed>'],
      status: 204,
      events: [membershipEvent('keepers', 'remove', ['wren'])],
      after: expectKeepers('Finch'),
    },
    'members/remove changes nothing when the member is not in the group': {
      ask: `${keepersMembers}/remove`,
      body: ['<heron>'],
      status: 204,
      after: expectKeepers('Wren', 'Finch'),
    },
    'members/remove records only members that were in the group': {
      ask: `${keepersMembers}/remove`,
      body: ['<heron>', '<finch>', '<finch>'],
      status: 204,
      events: [membershipEvent('keepers', 'remove', ['finch'])],
      after: expectKeepers('Wren'),
    },
    'members/overwrite replaces the members of a group': {
      ask: `${keepersMembers}/overwrite`,
      body: ['<heron>', '<finch.uuid>'],
      status: 204,
      events: [membershipEvent('keepers', 'overwrite', ['heron', 'finch'])],
      after: expectKeepers('Finch', 'Heron'),
    },
    'members/overwrite changes nothing when the members are the same': {
      ask: `${keepersMembers}/overwrite`,
      body: ['<finch>', '<wren>', '<wren>'],
      status: 204,
      after: expectKeepers('Wren', 'Finch'),
    },
    'members/overwrite removes all members when the list is empty': {
      ask: `${keepersMembers}/overwrite`,
      body: [],
      status: 204,
      events: [membershipEvent('keepers', 'overwrite', [])],
      after: expectKeepers(),
    },
    'members/overwrite changes nothing when list and group are empty': {
      ask: 'POST /v2/groups/<dreamers>/members/overwrite',
      body: [],
      status: 204,
    },
  })
})

describe('groups of a member', () => {
  runScenarios(testApp, {
    'groups of a member are listed in order of creation, without system and members': {
      as: ['owner', 'other', 'anonymous'],
      given: (fixture) => fixture.do(`${wrenGroups}/add`, ['<dreamers>']),
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
      lacks: ['"system"', '"members"'],
    },
    'groups/add adds a member to groups and records an event for each': {
      ask: 'POST /v2/members/<heron>/groups/add',
      body: ['<dreamers>', '<keepers.uuid>', '<keepers>'],
      status: 204,
      events: [
        membershipEvent('dreamers', 'add', ['heron']),
        membershipEvent('keepers', 'add', ['heron']),
      ],
    },
    'groups/add changes nothing when the member is in the group': {
      ask: `${wrenGroups}/add`,
      body: ['<keepers>'],
      status: 204,
      after: expectGroupsOfWren('Keepers'),
    },
    'groups/remove removes a member from a group': {
      ask: `${wrenGroups}/remove`,
      body: ['<keepers.dashed>', '<dreamers>'],
      status: 204,
      events: [membershipEvent('keepers', 'remove', ['wren'])],
      after: expectGroupsOfWren(),
    },
    'groups/remove changes nothing when the member is not in the group': {
      ask: `${wrenGroups}/remove`,
      body: ['<dreamers>'],
      status: 204,
      after: expectGroupsOfWren('Keepers'),
    },
    'groups/overwrite replaces the groups of a member and records additions and removals': {
      ask: `${wrenGroups}/overwrite`,
      body: ['<dreamers>'],
      status: 204,
      events: [
        membershipEvent('dreamers', 'add', ['wren']),
        membershipEvent('keepers', 'remove', ['wren']),
      ],
      after: expectGroupsOfWren('Dreamers'),
    },
    'groups/overwrite removes a member from all groups when the list is empty': {
      ask: `${wrenGroups}/overwrite`,
      body: [],
      status: 204,
      events: [membershipEvent('keepers', 'remove', ['wren'])],
      after: expectGroupsOfWren(),
    },
    'groups/overwrite changes nothing when the groups are the same': {
      ask: `${wrenGroups}/overwrite`,
      body: ['<keepers>', '<keepers.uuid>'],
      status: 204,
      after: expectGroupsOfWren('Keepers'),
    },
    'groups/overwrite keeps the other members of a group': {
      ask: `${wrenGroups}/overwrite`,
      body: [],
      status: 204,
      events: [membershipEvent('keepers', 'remove', ['wren'])],
      after: expectKeepers('Finch'),
    },
  })
})

const notLists = ['', 'null', '{}', '{"members": []}', '"<wren>"', '5', '["<wren>"', '[["<wren>"]]']
const notStrings = [[1], [null], ['<wren>', 5], [{ id: '<wren>' }], [true]]

describe.each(['add', 'remove', 'overwrite'])('refusals of %s', (action) => {
  const refusals: Scenarios = {}
  for (const [at, body] of [...notLists, ...notStrings].entries()) {
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    refusals[`members/${action} refuses the body ${sent || '(empty)'} (${at})`] = {
      ask: `${keepersMembers}/${action}`,
      body,
      status: 400,
    }
    refusals[`groups/${action} refuses the body ${sent || '(empty)'} (${at})`] = {
      ask: `${wrenGroups}/${action}`,
      body,
      status: 400,
    }
  }
  const allowsEmpty = action === 'overwrite'
  for (const line of [keepersMembers, wrenGroups])
    if (!allowsEmpty)
      refusals[`${line}/${action} refuses an empty list`] = {
        ask: `${line}/${action}`,
        body: [],
        status: 400,
      }

  runScenarios(testApp, {
    ...refusals,
    [`members/${action} names an unknown member and changes nothing`]: {
      ask: `${keepersMembers}/${action}`,
      body: ['<heron>', '<wren>', 'zzzzz'],
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
      after: expectKeepers('Wren', 'Finch'),
    },
    [`members/${action} returns an invalid reference unchanged in the error`]: {
      ask: `${keepersMembers}/${action}`,
      body: ['<heron>', 'No $& one\u0000 {ref}'],
      status: 404,
      code: 20003,
      message: "Member 'No $& one\u0000 {ref}' not found.",
    },
    [`members/${action} names a member of another system and changes nothing`]: {
      ask: `${keepersMembers}/${action}`,
      body: ['<heron>', '<stray.upper>'],
      status: 403,
      code: 30008,
      message: "Member '<stray.upper>' is not part of your system.",
      after: expectKeepers('Wren', 'Finch'),
    },
    [`groups/${action} names an unknown group and changes nothing`]: {
      ask: `${wrenGroups}/${action}`,
      body: ['<dreamers>', '<keepers>', '00000000-0000-4000-8000-000000000000'],
      status: 404,
      code: 20005,
      message: "Group '00000000-0000-4000-8000-000000000000' not found.",
      after: expectGroupsOfWren('Keepers'),
    },
    [`groups/${action} refuses a member as a group`]: {
      ask: `${wrenGroups}/${action}`,
      body: ['<wren.uuid>'],
      status: 404,
      code: 20005,
      message: "Group '<wren.uuid>' not found.",
    },
    [`groups/${action} names a group of another system and changes nothing`]: {
      ask: `${wrenGroups}/${action}`,
      body: ['<dreamers>', '<circle.uuid>'],
      status: 403,
      code: 30009,
      message: "Group '<circle.uuid>' is not part of your system.",
      after: expectGroupsOfWren('Keepers'),
    },
    [`members/${action} refuses the group of another system`]: {
      ask: `POST /v2/groups/<circle>/members/${action}`,
      body: ['<wren>'],
      status: 403,
      code: 30007,
    },
    [`groups/${action} refuses the member of another system`]: {
      ask: `POST /v2/members/<stray>/groups/${action}`,
      body: ['<keepers>'],
      status: 403,
      code: 30006,
    },
  })
})

describe('large and concurrent changes of memberships', () => {
  test('members/add and members/remove accept hundreds of members in one request', async () => {
    const fixture = await createFixture(testApp)
    const uuids = await testApp.deps.transact('new', async (tx) => {
      const created: string[] = []
      for (let at = 0; at < 498; at++)
        created.push((await insertMember(tx, fixture.owner.id, { name: `Bee ${at}` })).uuid)
      return created
    })
    await fixture.do(`${keepersMembers}/add`, uuids)
    expect(await fixture.get('GET /v2/groups/<keepers>/members')).toHaveLength(500)
    await fixture.do(`${keepersMembers}/remove`, uuids)
    await expectKeepers('Wren', 'Finch')(fixture, await fixture.ask('GET /v2/systems/@me'))
  })

  test('concurrent members/overwrite requests leave the list of one of them', async () => {
    const fixture = await createFixture(testApp)
    const answers = await Promise.all([
      fixture.ask(`${keepersMembers}/overwrite`, ['<wren>']),
      fixture.ask(`${keepersMembers}/overwrite`, ['<finch>', '<heron>']),
      fixture.ask(`${keepersMembers}/overwrite`, ['<heron>']),
    ])
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
    const found = await fixture.get<Json[]>('GET /v2/groups/<keepers>/members')
    const names = found.map(({ name }) => name)
    const sent: unknown[][] = [['Wren'], ['Finch', 'Heron'], ['Heron']]
    expect(sent).toContainEqual(names)
  })
})
