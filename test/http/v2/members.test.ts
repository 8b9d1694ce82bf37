import { eq } from 'drizzle-orm'
import { systemSettings } from '../../../src/db/tables'
import { member } from '../../../src/model/members/member'
import { insertMember } from '../../../src/service/members/members'
import { anyUuid } from '../../tools/anyUuid'
import { drizzleOn } from '../../tools/drizzle'
import {
  createFixture,
  defaultsOf,
  type Fixture,
  type Json,
  runScenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const allPublic = Object.fromEntries(member.levels.map((level) => [level, 'public']))

const newMember = {
  id: expect.stringMatching(/^[abcefghjknoprstuvwxyz]{6}$/),
  uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
  ...defaultsOf(member),
  name: 'Robin',
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  privacy: allPublic,
}

describe('creating a member', () => {
  runScenarios(testApp, {
    'creating a member requires only a name': {
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      json: newMember,
      events: [['CREATE_MEMBER', anyUuid, { name: 'Robin' }]],
      after: async (fixture, { json }) => {
        const found = await fixture.get(`GET /v2/members/${json.id}`)
        expect(found).toEqual({ ...json, system: fixture.owner.hid })
      },
    },
    'creating a member stores and records all given fields': {
      ask: 'POST /v2/members',
      body: {
        name: 'Robin',
        color: 'AABBCC',
        proxy_tags: [{ prefix: 'r:' }],
        autoproxy_enabled: false,
        privacy: { visibility: 'private', name_privacy: null },
      },
      json: {
        ...newMember,
        color: 'aabbcc',
        proxy_tags: [{ prefix: 'r:', suffix: null }],
        autoproxy_enabled: false,
        privacy: { ...allPublic, visibility: 'private' },
      },
      events: [
        [
          'CREATE_MEMBER',
          anyUuid,
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
    'creating a member makes it public, whatever the default for bots': {
      given: (fixture) =>
        fixture.do('PATCH /v2/systems/@me/settings', { member_default_private: true }),
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      has: { privacy: allPublic },
      events: [['CREATE_MEMBER', anyUuid, { name: 'Robin' }]],
    },
    'creating a member without a name is refused': {
      ask: 'POST /v2/members',
      body: { display_name: 'Robin' },
      status: 400,
      code: 40001,
      problems: ['name'],
    },
    'creating a member reports a missing name together with all other problems': {
      ask: 'POST /v2/members',
      body: { color: '#fff', privacy: { visibility: 'hidden' } },
      status: 400,
      code: 40001,
      problems: ['name', 'color', 'visibility'],
    },
    'creating a member accepts the name of another member': {
      ask: 'POST /v2/members',
      body: { name: 'Wren' },
      has: { name: 'Wren' },
      events: [['CREATE_MEMBER', anyUuid, { name: 'Wren' }]],
    },
    'creating a member is refused when the limit is reached': {
      given: (fixture) => limitMembers(fixture, 3),
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      status: 400,
      code: 40007,
    },
    'creating a member is accepted when another system has reached its limit': {
      as: 'other',
      given: (fixture) => limitMembers(fixture, 3),
      ask: 'POST /v2/members',
      body: { name: 'Robin' },
      events: [['CREATE_MEMBER', anyUuid, { name: 'Robin' }]],
    },
  })

  test('concurrent requests cannot create more members than the limit', async () => {
    const fixture = await createFixture(testApp)
    await limitMembers(fixture, 5)
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => fixture.ask('POST /v2/members', { name })),
    )
    expect(answers.map(({ json }) => json.code ?? 0).toSorted()).toEqual([0, 0, 40007, 40007])
    expect(await fixture.get('GET /v2/systems/@me/members')).toHaveLength(5)
  })
})

describe('reading members', () => {
  runScenarios(testApp, {
    'GET of one member returns its system': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/members/<wren>',
      has: { id: '<wren>', uuid: '<wren.uuid>', name: 'Wren', system: '<own>' },
    },
    'members are listed in order of creation, without their system': {
      as: ['owner', 'other', 'anonymous'],
      ask: 'GET /v2/systems/<own>/members',
      has: [{ name: 'Wren' }, { name: 'Finch' }, { name: 'Heron' }],
      lacks: ['"system"', 'Stray'],
    },
    'the list of members of a system without members is empty': {
      as: 'other',
      given: (fixture) => fixture.do('DELETE /v2/members/<stray>', undefined, 'other'),
      ask: 'GET /v2/systems/@me/members',
      json: [],
    },
    'a member is not found by the short ID of a system': {
      ask: 'GET /v2/members/<own>',
      status: 404,
      code: 20002,
    },
  })

  test('a member and a system may share a short ID, and a short ID may have five letters', async () => {
    const fixture = await createFixture(testApp)
    const { hid, uuid } = fixture.owner
    const insert = (identity: { hid: string; uuid: string }) =>
      testApp.deps.transact('new', (tx) =>
        insertMember(tx, fixture.owner.id, { name: 'Twin' }, identity),
      )
    await insert({ hid, uuid: crypto.randomUUID() })
    await insert({ hid: 'qqdib', uuid: crypto.randomUUID() })
    expect(await fixture.get('GET /v2/members/<own>')).toMatchObject({ id: hid, name: 'Twin' })
    expect(await fixture.get('GET /v2/systems/<own>')).toMatchObject({ id: hid, uuid })
    for (const ref of ['qqdib', 'QQDIB', 'qQdIb'])
      expect(await fixture.get(`GET /v2/members/${ref}`)).toMatchObject({ id: 'qqdib' })
    for (const ref of ['qqd-ib', 'qq-dib', 'qqdi', 'qqdibb', 'qqdib1'])
      expect((await fixture.ask(`GET /v2/members/${ref}`)).json.code).toBe(20002)
  })

  test('short IDs are lower case and without a dash, whatever the display settings', async () => {
    const fixture = await createFixture(testApp)
    const display = { hid_display_caps: true, hid_display_split: true, hid_list_padding: 'left' }
    await fixture.do('PATCH /v2/systems/@me/settings', display)
    const { id, system } = await fixture.get('GET /v2/members/<wren.upperDashed>')
    expect({ id, system }).toEqual({ id: fixture.wren.hid, system: fixture.owner.hid })
  })
})

describe('changing a member', () => {
  runScenarios(testApp, {
    'changing a member returns the complete member without its system and records the changes': {
      ask: 'PATCH /v2/members/<wren>',
      body: { name: 'Wren', color: 'AABBCC', privacy: { visibility: 'private' } },
      json: {
        ...newMember,
        id: '<wren>',
        uuid: '<wren.uuid>',
        name: 'Wren',
        color: 'aabbcc',
        privacy: { ...allPublic, visibility: 'private' },
      },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: 'aabbcc', visibility: 'private' }]],
    },
    'changing a member to the same colour in another case records no event': {
      given: (fixture) => fixture.do('PATCH /v2/members/<wren>', { color: 'aabbcc' }),
      ask: 'PATCH /v2/members/<wren>',
      body: { color: 'AABBCC', display_name: '', proxy_tags: [{}] },
      has: { color: 'aabbcc', display_name: null, proxy_tags: [] },
    },
    'changing a member accepts the name of another member': {
      ask: 'PATCH /v2/members/<wren>',
      body: { name: 'Finch' },
      has: { name: 'Finch' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { name: 'Finch' }]],
      after: async (fixture) =>
        expect(await fixture.get('GET /v2/members/<finch>')).toMatchObject({ name: 'Finch' }),
    },
    'changing a member refuses null as its name': {
      ask: 'PATCH /v2/members/<wren>',
      body: { name: null, display_name: null },
      status: 400,
      code: 40001,
      problems: ['name'],
    },
  })
})

describe('deleting a member', () => {
  runScenarios(testApp, {
    'deleting a member removes it from all reads': {
      ask: 'DELETE /v2/members/<wren.upperDashed>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async (fixture) => {
        for (const ref of ['<wren>', '<wren.uuid>'])
          expect((await fixture.ask(`GET /v2/members/${ref}`)).json.code).toBe(20002)
        expect((await fixture.ask('DELETE /v2/members/<wren>')).json.code).toBe(20002)
        const remaining = await fixture.get<Json[]>('GET /v2/systems/@me/members')
        expect(remaining.map(({ name }) => name)).toEqual(['Finch', 'Heron'])
      },
    },
    'deleting a member removes it from its groups': {
      ask: 'DELETE /v2/members/<wren>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async (fixture) => {
        const [keepers] = await fixture.get<Json[]>('GET /v2/systems/@me/groups?with_members=true')
        expect(keepers?.members).toEqual([fixture.finch.uuid])
      },
    },
    'deleting a member removes it from its switches, and keeps the switches': {
      ask: 'DELETE /v2/members/<finch>',
      status: 204,
      events: [['DELETE_MEMBER', '<finch.uuid>', null]],
      after: async (fixture) => {
        const history = await fixture.get<Json[]>('GET /v2/systems/@me/switches')
        expect(history.map(({ members }) => members)).toEqual([[], [fixture.wren.hid]])
        expect(await fixture.get('GET /v2/systems/@me/fronters')).toMatchObject({ members: [] })
      },
    },
    'deleting a member keeps its messages without member and system': {
      ask: 'DELETE /v2/members/<wren>',
      status: 204,
      events: [['DELETE_MEMBER', '<wren.uuid>', null]],
      after: async (fixture) =>
        expect(await fixture.get('GET /v2/messages/<message>', 'anonymous')).toMatchObject({
          id: fixture.message,
          sender: fixture.account,
          system: null,
          member: null,
        }),
    },
  })

  test('a request concurrent with the deletion of a member succeeds or is refused', async () => {
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
      const fixture = await createFixture(testApp)
      const answers = await Promise.all([
        fixture.ask('DELETE /v2/members/<wren>'),
        fixture.ask(line, body),
      ])
      const statuses = answers.map(({ status }) => status)
      // Either of two deletions may be the first.
      const [deletion, other] = line === requests[0][0] ? statuses.toSorted() : statuses
      expect(deletion, line).toBe(204)
      expect([200, 204, 400, 404], line).toContain(other as number)
    }
  })
})

function limitMembers({ owner }: Fixture, member_limit: number) {
  return testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(systemSettings)
      .set({ member_limit })
      .where(eq(systemSettings.system_id, owner.id))
  })
}
