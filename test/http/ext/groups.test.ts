import {
  createFixture,
  eventsSince,
  type Fixture,
  type Json,
  runScenarios,
  stateOf,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

/** Puts the dreamers into the keepers. */
const nested = (fixture: Fixture) =>
  fixture.do('PATCH /ext/v1/groups/<dreamers>', { parent: '<keepers>' })

describe('the tree of groups', () => {
  runScenarios(testApp, {
    'a group is moved': {
      ask: 'PATCH /ext/v1/groups/<dreamers>',
      body: { parent: '<keepers>', emoji: '🌱' },
      has: { group: { name: 'Dreamers' }, parent: '<keepers.uuid>', emoji: '🌱', members: [] },
      events: [
        [
          'UPDATE_GROUP_EXT',
          '<dreamers.uuid>',
          { keys: ['parent', 'emoji'], parent: '<keepers.uuid>', emoji: '🌱' },
        ],
      ],
    },
    'a loop is refused': {
      given: nested,
      ask: 'PATCH /ext/v1/groups/<keepers>',
      body: { parent: '<dreamers>' },
      status: 400,
      code: 49003,
    },
    'a loop in a tree is refused': {
      ask: 'PUT /ext/v1/systems/@me/groups/tree',
      body: [
        { id: '<keepers>', parent: '<dreamers>' },
        { id: '<dreamers>', parent: '<keepers>' },
      ],
      status: 400,
      code: 49003,
    },
    'a parent of another system is refused': {
      ask: 'PATCH /ext/v1/groups/<dreamers>',
      body: { parent: '<circle>' },
      status: 403,
      code: 30009,
    },
    'a private parent is hidden from other callers': {
      given: async (fixture) => {
        await nested(fixture)
        await fixture.do('PATCH /v2/groups/<keepers>', { privacy: { visibility: 'private' } })
      },
      as: 'other',
      ask: 'GET /ext/v1/systems/<own>/groups',
      has: [{ group: { name: 'Dreamers' }, parent: null }],
    },
    'a private list of members is hidden from other callers': {
      given: (fixture) =>
        fixture.do('PATCH /v2/groups/<keepers>', { privacy: { list_privacy: 'private' } }),
      as: 'other',
      ask: 'GET /ext/v1/systems/<own>/groups',
      has: [{ members: null }, { members: [] }],
    },
    'a hidden member is not named to other callers': {
      given: (fixture) =>
        fixture.do('PATCH /v2/members/<wren>', { privacy: { visibility: 'private' } }),
      as: 'other',
      ask: 'GET /ext/v1/systems/<own>/groups',
      has: [{ members: ['<finch.uuid>'] }, { members: [] }],
    },
  })

  const root = (id: string) => ({ id, parent: null })
  /** Trees that do not name every group of the system once. */
  const badTrees: [string, Json[]][] = [
    ['no group', []],
    ['a missing group', [root('<keepers>')]],
    ['a repeated group', [root('<keepers>'), root('<dreamers>'), root('<keepers.uuid>')]],
    ['a repeated group in place of another', [root('<keepers>'), root('<keepers.uuid>')]],
    ['a group of another system', [root('<keepers>'), root('<circle>')]],
    [
      'a group of another system besides',
      [root('<keepers>'), root('<dreamers>'), root('<circle>')],
    ],
    ['a foreign parent', [root('<keepers>'), { id: '<dreamers>', parent: '<circle>' }]],
    ['an unknown parent', [root('<keepers>'), { id: '<dreamers>', parent: 'zzzzz' }]],
  ]
  runScenarios(
    testApp,
    Object.fromEntries(
      badTrees.map(([what, body]) => [
        `a tree with ${what} changes nothing`,
        {
          given: nested,
          ask: 'PUT /ext/v1/systems/@me/groups/tree',
          body,
          status: 400,
          message: '400: Bad Request (every group must be named once)',
          after: async (fixture: Fixture) => {
            const listed = await fixture.get<Json[]>('GET /ext/v1/systems/@me/groups')
            expect(listed.map(({ parent }) => parent)).toEqual([null, fixture.keepers.uuid])
          },
        },
      ]),
    ),
  )

  /** Requests of version 2 that change members of groups, or groups. */
  const ofVersion2: [string, unknown?][] = [
    ['POST /v2/groups/<dreamers>/members/add', ['<wren>', '<heron>']],
    ['POST /v2/groups/<dreamers>/members/remove', ['<wren>']],
    ['POST /v2/groups/<dreamers>/members/overwrite', ['<heron>']],
    ['POST /v2/members/<wren>/groups/add', ['<dreamers>']],
    ['POST /v2/members/<wren>/groups/remove', ['<keepers>']],
    ['POST /v2/members/<wren>/groups/overwrite', ['<dreamers>']],
    ['PATCH /v2/groups/<dreamers>', { name: 'Sleepers', description: 'New' }],
    ['DELETE /v2/members/<wren>'],
  ]
  test.each(ofVersion2.map(([line, body]) => ({ line, body })))(
    '$line leaves parents, emoji and positions',
    async ({ line, body }) => {
      const fixture = await createFixture(testApp)
      const change = { parent: '<keepers>', emoji: '🌱', position: 3 }
      await fixture.do('PATCH /ext/v1/groups/<dreamers>', change)
      await fixture.do(line, body)
      expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/groups')).toMatchObject([
        { group: { name: 'Keepers' }, parent: null, emoji: null },
        { parent: fixture.keepers.uuid, emoji: '🌱', position: 3 },
      ])
    },
  )

  test('members of a child are not members of its parent', async () => {
    const fixture = await createFixture(testApp)
    await nested(fixture)
    await fixture.do('POST /v2/groups/<dreamers>/members/add', ['<heron>'])
    const { wren, finch, heron } = fixture
    expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/groups')).toMatchObject([
      { members: [wren.uuid, finch.uuid] },
      { members: [heron.uuid] },
    ])
    const ofParent = await fixture.get<Json[]>('GET /v2/groups/<keepers>/members')
    expect(ofParent.map(({ name }) => name)).toEqual(['Wren', 'Finch'])
  })

  test('a deleted group gives its children to its parent', async () => {
    const fixture = await createFixture(testApp)
    await nested(fixture)
    const { uuid } = await fixture.do('POST /v2/groups', { name: 'Inner' })
    await fixture.do(`PATCH /ext/v1/groups/${uuid}`, { parent: '<dreamers>' })
    const { lastEvent } = await stateOf(testApp)
    await fixture.do('DELETE /v2/groups/<dreamers>')
    expect(await eventsSince(fixture, lastEvent)).toEqual([
      ['UPDATE_GROUP_EXT', String(uuid), { keys: ['parent'], parent: fixture.keepers.uuid }],
      ['DELETE_GROUP', fixture.dreamers.uuid, null],
    ])
    const listed = await fixture.get<Json[]>('GET /ext/v1/systems/@me/groups')
    expect(listed.map(({ parent }) => parent)).toEqual([null, fixture.keepers.uuid])
  })

  test('groups are nested at most 8 deep', async () => {
    const fixture = await createFixture(testApp)
    let parent: unknown = null
    for (let depth = 1; depth <= 9; depth++) {
      const { uuid } = await fixture.do('POST /v2/groups', { name: `Level ${depth}` })
      const moved = await fixture.ask(`PATCH /ext/v1/groups/${uuid}`, { parent })
      expect(moved.status).toBe(depth === 9 ? 400 : 200)
      if (depth === 9) expect(moved.json.code).toBe(49001)
      parent = uuid
    }
  })

  test('two concurrent requests make no loop', async () => {
    const fixture = await createFixture(testApp)
    const moves = await Promise.all([
      fixture.ask('PATCH /ext/v1/groups/<dreamers>', { parent: '<keepers>' }),
      fixture.ask('PATCH /ext/v1/groups/<keepers>', { parent: '<dreamers>' }),
    ])
    expect(moves.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })
})
