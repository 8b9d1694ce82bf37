import { execute } from '../../tools/rawSql'
import type { Fixture, Json } from '../../tools/scenarios'
import { createFixture, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

/** Creates a public field `<role>` and a private one `<age>`, with values of Wren. */
async function withFields(fixture: Fixture): Promise<void> {
  const add = async (name: string, body: Json) => {
    const { id } = await fixture.do('POST /ext/v1/systems/@me/fields', { name, ...body })
    fixture.remember(name, id)
  }
  await add('role', { type: 'text', privacy: 'public' })
  await add('age', { type: 'number' })
  await fixture.do('PATCH /ext/v1/members/<wren>', { fields: { '<role>': 'Keeper', '<age>': 30 } })
}

const defaults = {
  kind: 'member',
  archived: false,
  archived_at: null,
  archived_reason: null,
  announce_front: true,
  about: null,
  fields: {},
}

describe('members of the extension API', () => {
  runScenarios(testApp, {
    'a member without additions has the defaults': {
      ask: 'GET /ext/v1/members/<wren>',
      has: { member: { uuid: '<wren.uuid>', name: 'Wren' }, ...defaults },
    },
    'a custom front is created in one request': {
      ask: 'POST /ext/v1/members',
      body: { member: { name: 'Asleep' }, kind: 'custom_front' },
      status: 201,
      has: { member: { name: 'Asleep' }, kind: 'custom_front' },
      events: [
        ['CREATE_MEMBER', expect.any(String), { name: 'Asleep' }],
        ['UPDATE_MEMBER_EXT', expect.any(String), { keys: ['kind'], kind: 'custom_front' }],
      ],
    },
    'a draft without a member is refused': {
      ask: 'POST /ext/v1/members',
      body: { kind: 'person', fields: 3 },
      status: 400,
      code: 40001,
      problems: ['member', 'kind', 'fields'],
    },
    'problems are reported by path': {
      given: withFields,
      ask: 'PATCH /ext/v1/members/<wren>',
      body: { member: { color: 'red' }, fields: { '<age>': 'old', unknown: 1 } },
      status: 400,
      code: 40001,
      problems: ['member.color', 'fields.<age>', 'fields.unknown'],
    },
    'archiving sets the time': {
      ask: 'PATCH /ext/v1/members/<wren>',
      body: { archived: true, archived_reason: 'Dormant' },
      has: { archived: true, archived_at: expect.any(String), archived_reason: 'Dormant' },
      events: [
        [
          'UPDATE_MEMBER_EXT',
          '<wren.uuid>',
          { keys: ['archived_reason', 'archived'], archived: true },
        ],
      ],
    },
    'about becomes the beginning of the description': {
      ask: 'PATCH /ext/v1/members/<wren>',
      body: { about: `${'word '.repeat(300)}end` },
      has: { member: { description: 'word '.repeat(200).trimEnd() } },
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: 'word '.repeat(200).trimEnd() }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
    },
    'a change of the description in version 2 clears about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v2/members/<wren>',
      body: { description: 'Short' },
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: 'Short' }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/members/<wren>')).toMatchObject({ about: null })
      },
    },
    'the stored description in version 2 keeps about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v2/members/<wren>',
      body: { description: 'Long' },
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/members/<wren>')).toMatchObject({ about: 'Long' })
      },
    },
    'a change of the description in version 1 clears about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v1/m/<wren>',
      body: { description: 'Short' },
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: 'Short' }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/members/<wren>')).toMatchObject({ about: null })
      },
    },
    'the stored description in version 1 keeps about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v1/m/<wren>',
      body: { description: 'Long' },
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/members/<wren>')).toMatchObject({ about: 'Long' })
      },
    },
    'another key in version 1 keeps about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v1/m/<wren>',
      body: { color: 'ff0000' },
      events: [['UPDATE_MEMBER', '<wren.uuid>', { color: 'ff0000' }]],
      after: async (fixture) => {
        expect(await fixture.get('GET /ext/v1/members/<wren>')).toMatchObject({ about: 'Long' })
      },
    },
    'an empty description in version 2 clears about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v2/members/<wren>',
      body: { description: '' },
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: null }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
    },
    'the stored description in a bulk change keeps about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v2/systems/@me/members',
      body: [{ id: '<wren>', description: 'Long' }],
    },
    'a description in the extension API clears about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /ext/v1/members/<wren>',
      body: { member: { description: 'Short' } },
      has: { member: { description: 'Short' }, about: null },
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: 'Short' }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
    },
    'a description beside about is kept as sent': {
      ask: 'PATCH /ext/v1/members/<wren>',
      body: { member: { description: 'Short' }, about: 'Long' },
      has: { member: { description: 'Short' }, about: 'Long' },
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: 'Short' }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
    },
    'clearing about leaves the description': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /ext/v1/members/<wren>',
      body: { about: null },
      has: { member: { description: 'Long' }, about: null },
      events: [['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }]],
    },
    'the stored values again change nothing': {
      given: async (fixture) => {
        await withFields(fixture)
        await fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long', archived: true })
      },
      ask: 'PATCH /ext/v1/members/<wren>',
      body: {
        member: { name: 'Wren' },
        about: 'Long',
        kind: 'member',
        archived: true,
        fields: { '<role>': 'Keeper', '<age>': 30 },
      },
    },
    'a bulk change in version 2 clears about': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Long' }),
      ask: 'PATCH /v2/systems/@me/members',
      body: [{ id: '<wren>', description: 'Short' }],
      events: [
        ['UPDATE_MEMBER', '<wren.uuid>', { description: 'Short' }],
        ['UPDATE_MEMBER_EXT', '<wren.uuid>', { keys: ['about'] }],
      ],
    },
    'many members are changed at once': {
      given: withFields,
      ask: 'PATCH /ext/v1/systems/@me/members',
      body: [
        { id: '<wren>', fields: { '<role>': null } },
        { id: '<finch>', member: { color: 'ff0000' }, kind: 'custom_front', about: 'Text' },
      ],
      has: [
        { member: { name: 'Wren' }, fields: { '<age>': 30 } },
        { member: { color: 'ff0000', description: 'Text' }, kind: 'custom_front', about: 'Text' },
      ],
      events: [
        ['UPDATE_MEMBER', '<finch.uuid>', { color: 'ff0000', description: 'Text' }],
        ['UPDATE_MEMBER_EXT', '<finch.uuid>', { keys: ['kind', 'about'], kind: 'custom_front' }],
        ['UPDATE_FIELD_VALUES', '<wren.uuid>', { fields: ['<role>'] }],
      ],
    },
    'a bulk change with a problem changes nothing': {
      given: withFields,
      ask: 'PATCH /ext/v1/systems/@me/members',
      body: [
        { id: '<wren>', kind: 'custom_front' },
        { id: '<finch>', fields: { '<age>': true } },
      ],
      status: 400,
      code: 40001,
      problems: ['1.fields.<age>'],
    },
    'an archived member stays archived in a switch': {
      given: (fixture) => fixture.do('PATCH /ext/v1/members/<heron>', { archived: true }),
      ask: 'POST /v2/systems/@me/switches',
      body: { members: ['<heron>'] },
      events: [['CREATE_SWITCH', expect.any(String), expect.anything()]],
      after: async (fixture) => {
        const { archived } = await fixture.get('GET /ext/v1/members/<heron>')
        expect(archived).toBe(true)
      },
    },
    'the archive filter is for the owner': {
      as: 'other',
      ask: 'GET /ext/v1/systems/<own>/members?archived=true',
      status: 403,
    },
    'the archive filter needs a token': {
      as: 'anonymous',
      ask: 'GET /ext/v1/systems/<own>/members?archived=true',
      status: 401,
    },
    'an unknown member is not found': {
      ask: 'GET /ext/v1/members/zzzzz',
      status: 404,
      code: 20002,
    },
  })

  test('lists filter by kind and archive, and equal single reads', async () => {
    const fixture = await createFixture(testApp)
    await withFields(fixture)
    await fixture.do('PATCH /ext/v1/members/<finch>', { kind: 'custom_front', archived: true })
    const names = async (query: string) =>
      (await fixture.get<{ member: Json }[]>(`GET /ext/v1/systems/@me/members${query}`)).map(
        ({ member }) => member.name,
      )
    expect(await names('')).toEqual(['Wren', 'Finch', 'Heron'])
    expect(await names('?kind=custom_front')).toEqual(['Finch'])
    expect(await names('?kind=member&archived=false')).toEqual(['Wren', 'Heron'])
    const [first] = await fixture.get<Json[]>('GET /ext/v1/systems/@me/members')
    const { system: _, ...single } = await fixture.get('GET /ext/v1/members/<wren>')
    expect(first).toEqual({ ...single, about_excerpt: null })
  })

  test('other callers get what privacy levels allow', async () => {
    const fixture = await createFixture(testApp)
    await withFields(fixture)
    await fixture.do('PATCH /ext/v1/members/<wren>', { about: 'Secret', archived: true })
    const see = async (as: 'other' | 'anonymous') => fixture.get('GET /ext/v1/members/<wren>', as)
    const hidden = {
      archived: null,
      archived_at: null,
      archived_reason: null,
      announce_front: null,
    }
    for (const as of ['other', 'anonymous'] as const) {
      expect(await see(as)).toMatchObject(
        fixture.fill({ ...hidden, about: 'Secret', fields: { '<role>': 'Keeper' } }),
      )
      await fixture.do('PATCH /v2/members/<wren>', { privacy: { description_privacy: 'private' } })
      expect(await see(as)).toMatchObject({ about: null })
      await fixture.do('PATCH /v2/members/<wren>', { privacy: { visibility: 'private' } })
      expect((await see(as)).fields).toEqual({})
      await fixture.do('PATCH /v2/members/<wren>', {
        privacy: { visibility: 'public', description_privacy: 'public' },
      })
      await fixture.do('PATCH /ext/v1/fields/<role>', { privacy: 'private' })
      expect((await see(as)).fields).toEqual({})
      await fixture.do('PATCH /ext/v1/fields/<role>', { privacy: 'public' })
    }
  })
})

describe('the list of members', () => {
  const SEEDLING = '🌱'
  const cases: [title: string, about: string | null, excerpt: string | null][] = [
    ['has no excerpt of a missing description', null, null],
    ['has a description of 300 characters whole', 'x'.repeat(300), null],
    ['has the beginning of a longer description', 'x'.repeat(301), 'x'.repeat(300)],
    ['cuts no character in half', `${'x'.repeat(299)}${SEEDLING}.`, 'x'.repeat(299)],
    ['counts characters as JSON strings do', SEEDLING.repeat(160), SEEDLING.repeat(150)],
    ['has the beginning of the longest description', '"'.repeat(20_000), '"'.repeat(300)],
  ]

  test.each(cases)('%s', async (_, about, excerpt) => {
    const fixture = await createFixture(testApp)
    await fixture.do('PATCH /ext/v1/members/<wren>', { about })
    const listed = { about: excerpt === null ? about : null, about_excerpt: excerpt }
    const readOne = async () => {
      const { system: _, ...one } = await fixture.get('GET /ext/v1/members/<wren>')
      return one
    }
    // With cached JSON, and without.
    for (const isCached of [true, false]) {
      if (!isCached) await deleteCache()
      const [first] = await fixture.get<Json[]>('GET /ext/v1/systems/@me/members')
      if (!isCached) await deleteCache()
      const one = await readOne()
      expect(one.about).toBe(about)
      expect(one).not.toHaveProperty('about_excerpt')
      expect(first).toEqual({ ...one, ...listed })
    }
  })

  test('has no beginning of a private description for other callers', async () => {
    const fixture = await createFixture(testApp)
    const about = 'lamp '.repeat(100)
    await fixture.do('PATCH /ext/v1/members/<wren>', { about })
    const seeFirst = async () => {
      const [first] = await fixture.get<Json[]>('GET /ext/v1/systems/<own>/members', 'anonymous')
      return [first?.about, first?.about_excerpt]
    }
    expect(await seeFirst()).toEqual([null, about.slice(0, 300)])
    await fixture.do('PATCH /v2/members/<wren>', { privacy: { description_privacy: 'private' } })
    for (const isCached of [true, false]) {
      if (!isCached) await deleteCache()
      expect(await seeFirst()).toEqual([null, null])
    }
  })

  const deleteCache = () =>
    testApp.deps.transact('new', (tx) => execute(tx, 'delete from rendered_member_ext'))
})
