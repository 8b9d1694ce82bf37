import { describe, expect, test } from 'bun:test'
import { insertMember } from '../../../src/service/members'
import { type After, createFixture, type Json, runScenarios, type Scenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const keepers = 'POST /v2/groups/<keepers>/members'
const wren = 'POST /v2/members/<wren>/groups'

const told = (group: string, action: string, members: string[]): [string, string, Json] => [
  'UPDATE_GROUP_MEMBERS',
  `<${group}.uuid>`,
  { action, members: members.map((name) => `<${name}.uuid>`) },
]

/** Who is in keepers afterwards. */
const leaves =
  (...names: string[]): After =>
  async (world) => {
    const found = await world.get<Json[]>('GET /v2/groups/<keepers>/members')
    expect(found.map(({ name }) => name)).toEqual(names)
  }

/** Which groups wren is in afterwards. */
const isIn =
  (...names: string[]): After =>
  async (world) => {
    const found = await world.get<Json[]>('GET /v2/members/<wren>/groups')
    expect(found.map(({ name }) => name)).toEqual(names)
  }

describe('the members of a group', () => {
  runScenarios(place, {
    'are listed in the order they were made in, without their system': {
      as: ['owner', 'other', 'nobody'],
      ask: 'GET /v2/groups/<keepers>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }],
      lacks: ['"system"'],
    },
    'can be added': {
      ask: `${keepers}/add`,
      body: ['<heron>'],
      status: 204,
      events: [told('keepers', 'add', ['heron'])],
      after: leaves('Wren', 'Finch', 'Heron'),
    },
    'are told of only when they are new': {
      ask: `${keepers}/add`,
      body: ['<wren>', '<heron>'],
      status: 204,
      events: [told('keepers', 'add', ['heron'])],
      after: leaves('Wren', 'Finch', 'Heron'),
    },
    'can be added again, which changes nothing': {
      ask: `${keepers}/add`,
      body: ['<wren>', '<finch>', '<wren.uuid>'],
      status: 204,
      after: leaves('Wren', 'Finch'),
    },
    'can be named twice, in whatever form': {
      ask: `${keepers}/add`,
      body: ['<heron>', '<heron.upper>', '<heron.uuid>', '<heron.dashed>'],
      status: 204,
      events: [told('keepers', 'add', ['heron'])],
      after: leaves('Wren', 'Finch', 'Heron'),
    },
    'can be removed': {
      ask: `${keepers}/remove`,
      body: ['<wren.upperDashed>'],
      status: 204,
      events: [told('keepers', 'remove', ['wren'])],
      after: leaves('Finch'),
    },
    'can be removed though they are not there, which changes nothing': {
      ask: `${keepers}/remove`,
      body: ['<heron>'],
      status: 204,
      after: leaves('Wren', 'Finch'),
    },
    'are told of only when they were there': {
      ask: `${keepers}/remove`,
      body: ['<heron>', '<finch>', '<finch>'],
      status: 204,
      events: [told('keepers', 'remove', ['finch'])],
      after: leaves('Wren'),
    },
    'can be replaced by others': {
      ask: `${keepers}/overwrite`,
      body: ['<heron>', '<finch.uuid>'],
      status: 204,
      events: [told('keepers', 'overwrite', ['heron', 'finch'])],
      after: leaves('Finch', 'Heron'),
    },
    'can be replaced by themselves, which changes nothing': {
      ask: `${keepers}/overwrite`,
      body: ['<finch>', '<wren>', '<wren>'],
      status: 204,
      after: leaves('Wren', 'Finch'),
    },
    'can be replaced by nobody': {
      ask: `${keepers}/overwrite`,
      body: [],
      status: 204,
      events: [told('keepers', 'overwrite', [])],
      after: leaves(),
    },
    'of an empty group can be replaced by nobody, which changes nothing': {
      ask: 'POST /v2/groups/<dreamers>/members/overwrite',
      body: [],
      status: 204,
    },
  })
})

describe('the groups of a member', () => {
  runScenarios(place, {
    'are listed in the order they were made in, without system and members': {
      as: ['owner', 'other', 'nobody'],
      given: (world) => world.do(`${wren}/add`, ['<dreamers>']),
      ask: 'GET /v2/members/<wren>/groups',
      has: [{ name: 'Keepers' }, { name: 'Dreamers' }],
      lacks: ['"system"', '"members"'],
    },
    'can be added, and each is told of': {
      ask: 'POST /v2/members/<heron>/groups/add',
      body: ['<dreamers>', '<keepers.uuid>', '<keepers>'],
      status: 204,
      events: [told('dreamers', 'add', ['heron']), told('keepers', 'add', ['heron'])],
    },
    'can be added again, which changes nothing': {
      ask: `${wren}/add`,
      body: ['<keepers>'],
      status: 204,
      after: isIn('Keepers'),
    },
    'can be removed': {
      ask: `${wren}/remove`,
      body: ['<keepers.dashed>', '<dreamers>'],
      status: 204,
      events: [told('keepers', 'remove', ['wren'])],
      after: isIn(),
    },
    'can be removed though it is not in them, which changes nothing': {
      ask: `${wren}/remove`,
      body: ['<dreamers>'],
      status: 204,
      after: isIn('Keepers'),
    },
    'can be replaced by others, told as what was added and what was removed': {
      ask: `${wren}/overwrite`,
      body: ['<dreamers>'],
      status: 204,
      events: [told('dreamers', 'add', ['wren']), told('keepers', 'remove', ['wren'])],
      after: isIn('Dreamers'),
    },
    'can be replaced by none': {
      ask: `${wren}/overwrite`,
      body: [],
      status: 204,
      events: [told('keepers', 'remove', ['wren'])],
      after: isIn(),
    },
    'can be replaced by themselves, which changes nothing': {
      ask: `${wren}/overwrite`,
      body: ['<keepers>', '<keepers.uuid>'],
      status: 204,
      after: isIn('Keepers'),
    },
    'leave the other members where they are': {
      ask: `${wren}/overwrite`,
      body: [],
      status: 204,
      events: [told('keepers', 'remove', ['wren'])],
      after: leaves('Finch'),
    },
  })
})

const notLists = ['', 'null', '{}', '{"members": []}', '"<wren>"', '5', '["<wren>"', '[["<wren>"]]']
const notStrings = [[1], [null], ['<wren>', 5], [{ id: '<wren>' }], [true]]

describe.each(['add', 'remove', 'overwrite'])('%s', (action) => {
  const refusals: Scenarios = {}
  for (const [at, body] of [...notLists, ...notStrings].entries()) {
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    refusals[`a body of ${sent || 'nothing'} is no list of members (${at})`] = {
      ask: `${keepers}/${action}`,
      body,
      status: 400,
    }
    refusals[`a body of ${sent || 'nothing'} is no list of groups (${at})`] = {
      ask: `${wren}/${action}`,
      body,
      status: 400,
    }
  }
  const isEmptyFine = action === 'overwrite'
  for (const line of [keepers, wren])
    if (!isEmptyFine)
      refusals[`an empty list is refused by ${line}`] = {
        ask: `${line}/${action}`,
        body: [],
        status: 400,
      }

  runScenarios(place, {
    ...refusals,
    'one unknown member in the list is named, and nobody is changed': {
      ask: `${keepers}/${action}`,
      body: ['<heron>', '<wren>', 'zzzzz'],
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
      after: leaves('Wren', 'Finch'),
    },
    'a word that cannot be a reference is named just as it was given': {
      ask: `${keepers}/${action}`,
      body: ['<heron>', 'No $& one\u0000 {ref}'],
      status: 404,
      code: 20003,
      message: "Member 'No $& one\u0000 {ref}' not found.",
    },
    'somebody else’s member in the list is named, and nobody is changed': {
      ask: `${keepers}/${action}`,
      body: ['<heron>', '<stray.upper>'],
      status: 403,
      code: 30008,
      message: "Member '<stray.upper>' is not part of your system.",
      after: leaves('Wren', 'Finch'),
    },
    'one unknown group in the list is named, and no group is changed': {
      ask: `${wren}/${action}`,
      body: ['<dreamers>', '<keepers>', '00000000-0000-4000-8000-000000000000'],
      status: 404,
      code: 20005,
      message: "Group '00000000-0000-4000-8000-000000000000' not found.",
      after: isIn('Keepers'),
    },
    'a member is no group': {
      ask: `${wren}/${action}`,
      body: ['<wren.uuid>'],
      status: 404,
      code: 20005,
      message: "Group '<wren.uuid>' not found.",
    },
    'somebody else’s group in the list is named, and no group is changed': {
      ask: `${wren}/${action}`,
      body: ['<dreamers>', '<circle.uuid>'],
      status: 403,
      code: 30009,
      message: "Group '<circle.uuid>' is not part of your system.",
      after: isIn('Keepers'),
    },
    'the group of another system takes nobody': {
      ask: `POST /v2/groups/<circle>/members/${action}`,
      body: ['<wren>'],
      status: 403,
      code: 30007,
    },
    'the member of another system goes nowhere': {
      ask: `POST /v2/members/<stray>/groups/${action}`,
      body: ['<keepers>'],
      status: 403,
      code: 30006,
    },
  })
})

describe('many at once', () => {
  test('five hundred members join and leave a group in one request', async () => {
    const world = await createFixture(place)
    const uuids = await place.deps.transact('new', async (tx) => {
      const made: string[] = []
      for (let at = 0; at < 498; at++)
        made.push((await insertMember(tx, world.owner.id, { name: `Bee ${at}` })).uuid)
      return made
    })
    await world.do(`${keepers}/add`, uuids)
    expect(await world.get('GET /v2/groups/<keepers>/members')).toHaveLength(500)
    await world.do(`${keepers}/remove`, uuids)
    await leaves('Wren', 'Finch')(world, await world.ask('GET /v2/systems/@me'))
  })

  test('clients that replace the same members at once leave a list that one of them sent', async () => {
    const world = await createFixture(place)
    const answers = await Promise.all([
      world.ask(`${keepers}/overwrite`, ['<wren>']),
      world.ask(`${keepers}/overwrite`, ['<finch>', '<heron>']),
      world.ask(`${keepers}/overwrite`, ['<heron>']),
    ])
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
    const found = await world.get<Json[]>('GET /v2/groups/<keepers>/members')
    const names = found.map(({ name }) => name)
    const sent: unknown[][] = [['Wren'], ['Finch', 'Heron'], ['Heron']]
    expect(sent).toContainEqual(names)
  })
})
