import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { member } from '../../../src/model/member'
import { insertMember } from '../../../src/service/members'
import { createFixture, type Fixture, initialOf, type Json, runScenarios } from '../../scenarios'
import { createTestApp } from '../../testApp'

const place = createTestApp()

const allPublic = Object.fromEntries(member.levels.map((level) => [level, 'public']))

const bare = {
  id: expect.stringMatching(/^[abcefghjknoprstuvwxyz]{6}$/),
  uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
  ...initialOf(member),
  name: 'Robin',
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  privacy: allPublic,
}

const somebody = expect.any(String)

describe('making a member', () => {
  runScenarios(place, {
    'a name is all that a new member needs': {
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      json: bare,
      events: [['CREATE_MEMBER', somebody, { name: 'Robin' }]],
      after: async (world, { json }) => {
        const found = await world.get(`GET /v2/members/${json.id}`)
        expect(found).toEqual({ ...json, system: world.owner.hid })
      },
    },
    'a new member has everything that was sent along, and the event tells the same': {
      ask: 'POST /v2/members',
      body: {
        name: 'Robin',
        color: 'AABBCC',
        proxy_tags: [{ prefix: 'r:' }],
        autoproxy_enabled: false,
        privacy: { visibility: 'private', name_privacy: null },
      },
      json: {
        ...bare,
        color: 'aabbcc',
        proxy_tags: [{ prefix: 'r:', suffix: null }],
        autoproxy_enabled: false,
        privacy: { ...allPublic, visibility: 'private' },
      },
      events: [
        [
          'CREATE_MEMBER',
          somebody,
          {
            name: 'Robin',
            color: 'aabbcc',
            proxy_tags: [{ prefix: 'r:', suffix: null }],
            autoproxy_enabled: false,
            visibility: 'private',
            name_privacy: 'public',
          },
        ],
      ],
    },
    'members made through the API are public, whatever the default for bots is': {
      given: (world) =>
        world.do('PATCH /v2/systems/@me/settings', { member_default_private: true }),
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      has: { privacy: allPublic },
      events: [['CREATE_MEMBER', somebody, { name: 'Robin' }]],
    },
    'a member without a name cannot be made': {
      ask: 'POST /v2/members',
      body: { display_name: 'Robin' },
      status: 400,
      code: 40001,
      problems: ['name'],
    },
    'a missing name is told together with the other problems': {
      ask: 'POST /v2/members',
      body: { color: '#fff', privacy: { visibility: 'hidden' } },
      status: 400,
      code: 40001,
      problems: ['name', 'color', 'visibility'],
    },
    'two members may have the same name': {
      ask: 'POST /v2/members',
      body: { name: 'Wren' },
      has: { name: 'Wren' },
      events: [['CREATE_MEMBER', somebody, { name: 'Wren' }]],
    },
    'a system at its limit takes no more members': {
      given: (world) => limitMembers(world, 3),
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      status: 400,
      code: 40007,
    },
    'the limit counts the own members only': {
      as: 'other',
      given: (world) => limitMembers(world, 3),
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      events: [['CREATE_MEMBER', somebody, { name: 'Robin' }]],
    },
  })

  test('two clients at once get no more than the limit leaves', async () => {
    const world = await createFixture(place)
    await limitMembers(world, 5)
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => world.ask('POST /v2/members', { name })),
    )
    expect(answers.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 0, 40007, 40007])
    expect(await world.get('GET /v2/systems/@me/members')).toHaveLength(5)
  })
})

describe('reading members', () => {
  runScenarios(place, {
    'a member names its system only when it is asked for alone': {
      as: ['owner', 'other', 'nobody'],
      ask: 'GET /v2/members/<wren>',
      has: { id: '<wren>', uuid: '<wren.uuid>', name: 'Wren', system: '<own>' },
    },
    'the list of members is in the order they were made in': {
      as: ['owner', 'other', 'nobody'],
      ask: 'GET /v2/systems/<own>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }, { name: 'Heron' }],
      lacks: ['"system"', 'Stray'],
    },
    'a system without members has an empty list': {
      as: 'other',
      given: (world) => world.do('DELETE /v2/members/<stray>', undefined, 'other'),
      ask: 'GET /v2/systems/@me/members',
      json: [],
    },
    'a short ID of a system is none of a member': {
      ask: 'GET /v2/members/<own>',
      status: 404,
      code: 20002,
    },
  })

  test('a member and a system may share a short ID, also one of five letters', async () => {
    const world = await createFixture(place)
    const { hid, uuid } = world.owner
    const insert = (identity: { hid: string; uuid: string }) =>
      place.deps.transact('new', (tx) =>
        insertMember(tx, world.owner.id, { name: 'Twin' }, identity),
      )
    await insert({ hid, uuid: crypto.randomUUID() })
    await insert({ hid: 'qqdib', uuid: crypto.randomUUID() })
    expect(await world.get('GET /v2/members/<own>')).toMatchObject({ id: hid, name: 'Twin' })
    expect(await world.get('GET /v2/systems/<own>')).toMatchObject({ id: hid, uuid })
    for (const ref of ['qqdib', 'QQDIB', 'qQdIb'])
      expect(await world.get(`GET /v2/members/${ref}`)).toMatchObject({ id: 'qqdib' })
    for (const ref of ['qqd-ib', 'qq-dib', 'qqdi', 'qqdibb', 'qqdib1'])
      expect((await world.ask(`GET /v2/members/${ref}`)).json.code).toBe(20002)
  })

  test('short IDs are lower case and whole, however the bot shows them', async () => {
    const world = await createFixture(place)
    const shown = { hid_display_caps: true, hid_display_split: true, hid_list_padding: 'left' }
    await world.do('PATCH /v2/systems/@me/settings', shown)
    const { id, system } = await world.get('GET /v2/members/<wren.upperDashed>')
    expect({ id, system }).toEqual({ id: world.wren.hid, system: world.owner.hid })
  })
})

describe('changing a member', () => {
  runScenarios(place, {
    'a change answers the whole member without its system, and tells what is new': {
      ask: 'PATCH /v2/members/<wren>',
      body: { name: 'Wren', color: 'AABBCC', privacy: { visibility: 'private' } },
      json: {
        ...bare,
        id: '<wren>',
        uuid: '<wren.uuid>',
        name: 'Wren',
        color: 'aabbcc',
        privacy: { ...allPublic, visibility: 'private' },
      },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: 'aabbcc', visibility: 'private' }]],
    },
    'a colour that is the same in another case is no change': {
      given: (world) => world.do('PATCH /v2/members/<wren>', { color: 'aabbcc' }),
      ask: 'PATCH /v2/members/<wren>',
      body: { color: 'AABBCC', display_name: '', proxy_tags: [{}] },
      has: { color: 'aabbcc', display_name: null, proxy_tags: [] },
    },
    'a member takes the name of its neighbour': {
      ask: 'PATCH /v2/members/<wren>',
      body: { name: 'Finch' },
      has: { name: 'Finch' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { name: 'Finch' }]],
      after: async (world) =>
        expect(await world.get('GET /v2/members/<finch>')).toMatchObject({ name: 'Finch' }),
    },
    'the name cannot be taken away': {
      ask: 'PATCH /v2/members/<wren>',
      body: { name: null, display_name: null },
      status: 400,
      code: 40001,
      problems: ['name'],
    },
  })
})

describe('deleting a member', () => {
  runScenarios(place, {
    'a deleted member is gone': {
      ask: 'DELETE /v2/members/<wren.upperDashed>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async (world) => {
        for (const ref of ['<wren>', '<wren.uuid>'])
          expect((await world.ask(`GET /v2/members/${ref}`)).json.code).toBe(20002)
        expect((await world.ask('DELETE /v2/members/<wren>')).json.code).toBe(20002)
        const left = await world.get<Json[]>('GET /v2/systems/@me/members')
        expect(left.map(({ name }) => name)).toEqual(['Finch', 'Heron'])
      },
    },
    'a deleted member leaves its groups': {
      ask: 'DELETE /v2/members/<wren>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async (world) => {
        const [keepers] = await world.get<Json[]>('GET /v2/systems/@me/groups?with_members=true')
        expect(keepers?.members).toEqual([world.finch.uuid])
      },
    },
    'a deleted member leaves its switches, which stay': {
      ask: 'DELETE /v2/members/<finch>',
      status: 204,
      events: [['DELETE_MEMBER', '<finch.uuid>', null]],
      after: async (world) => {
        const history = await world.get<Json[]>('GET /v2/systems/@me/switches')
        expect(history.map(({ members }) => members)).toEqual([[], [world.wren.hid]])
        expect(await world.get('GET /v2/systems/@me/fronters')).toMatchObject({ members: [] })
      },
    },
    'messages of a deleted member stay, without member and system': {
      ask: 'DELETE /v2/members/<wren>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async (world) =>
        expect(await world.get('GET /v2/messages/<message>', 'nobody')).toMatchObject({
          id: world.message,
          sender: world.account,
          system: null,
          member: null,
        }),
    },
  })

  test('what comes at the same moment finds the member whole or gone', async () => {
    const requests = [
      ['DELETE /v2/members/<wren>'],
      ['PATCH /v2/members/<wren>', { name: 'Robin' }],
      ['POST /v2/members/<wren>/groups/add', ['<dreamers>']],
      ['POST /v2/members/<wren>/groups/overwrite', ['<dreamers>']],
      ['POST /v2/groups/<dreamers>/members/add', ['<wren>']],
      [
        'PATCH /v2/systems/@me/autoproxy?guild_id=1',
        { autoproxy_mode: 'member', autoproxy_member: '<wren>' },
      ],
      ['POST /v2/systems/@me/switches', { members: ['<wren>'] }],
    ] as const
    for (const [line, body] of requests) {
      const world = await createFixture(place)
      const answers = await Promise.all([
        world.ask('DELETE /v2/members/<wren>'),
        world.ask(line, body),
      ])
      const statuses = answers.map(({ status }) => status)
      // Of two who delete it either may be the first.
      const [gone, late] = line === requests[0][0] ? statuses.toSorted() : statuses
      expect(gone, line).toBe(204)
      expect([200, 204, 400, 404], line).toContain(late as number)
    }
  })
})

function limitMembers({ owner }: Fixture, member_limit: number) {
  return place.deps.transact('new', async (tx) => {
    await tx
      .update(systemSettings)
      .set({ member_limit })
      .where(eq(systemSettings.system_id, owner.id))
  })
}
