import { anyTime, anyUuid } from '../../tools/anyUuid'
import {
  createFixture,
  type Fixture,
  type Json,
  runScenarios,
  type Scenarios,
} from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()

const newNote = {
  id: anyUuid,
  member: null,
  author_name: null,
  title: null,
  text: null,
  color: null,
  date: anyTime,
  pinned: false,
  created: anyTime,
  edited: null,
}

/** Creates a note of Wren, `<note>`, and one of another system, `<foreign>`. */
async function withNote(fixture: Fixture): Promise<void> {
  const body = { member: '<wren>', title: 'Tuesday', text: 'Quiet morning.', color: '88C0A8' }
  const { id } = await fixture.do('POST /ext/v1/systems/@me/notes', body)
  fixture.remember('note', id)
  const foreign = await fixture.do('POST /ext/v1/systems/@me/notes', { text: 'Secret' }, 'other')
  fixture.remember('foreign', foreign.id)
}

describe('writing notes', () => {
  runScenarios(testApp, {
    'a note needs a title or a text': {
      ask: 'POST /ext/v1/systems/@me/notes',
      body: { color: '88c0a8', text: '' },
      status: 400,
      code: 40001,
      problems: ['text'],
    },
    'a note of the system has the defaults': {
      ask: 'POST /ext/v1/systems/@me/notes',
      body: { title: 'Tuesday' },
      status: 201,
      json: { ...newNote, title: 'Tuesday' },
      events: [['CREATE_NOTE', anyUuid, { member: null, keys: ['title'] }]],
    },
    'a note of a member stores every key': {
      ask: 'POST /ext/v1/systems/@me/notes',
      body: {
        member: '<wren>',
        title: 'Tuesday',
        text: '**Quiet** morning.',
        color: '88C0A8',
        date: '2026-01-01T08:00:00Z',
        pinned: true,
      },
      status: 201,
      json: {
        ...newNote,
        member: '<wren.uuid>',
        title: 'Tuesday',
        text: '**Quiet** morning.',
        color: '88c0a8',
        date: '2026-01-01T08:00:00Z',
        pinned: true,
      },
      events: [
        [
          'CREATE_NOTE',
          anyUuid,
          { member: '<wren.uuid>', keys: ['member', 'title', 'text', 'color', 'date', 'pinned'] },
        ],
      ],
    },
    'an unknown member is named': {
      ask: 'POST /ext/v1/systems/@me/notes',
      body: { member: 'zzzzz', text: 'Hello' },
      status: 404,
      code: 20003,
      message: "Member 'zzzzz' not found.",
    },
    'a member of another system is refused': {
      ask: 'POST /ext/v1/systems/@me/notes',
      body: { member: '<stray>', text: 'Hello' },
      status: 403,
      code: 30008,
    },
    'all problems of a body are reported': {
      ask: 'POST /ext/v1/systems/@me/notes',
      body: { title: 'x'.repeat(201), color: 'red', date: 'soon', pinned: 'yes' },
      status: 400,
      code: 40001,
      problems: ['title', 'color', 'date', 'pinned'],
    },
    'a change of the text sets edited': {
      given: withNote,
      ask: 'PATCH /ext/v1/notes/<note>',
      body: { text: 'Loud morning.' },
      has: { member: '<wren.uuid>', title: 'Tuesday', text: 'Loud morning.', edited: anyTime },
      events: [['UPDATE_NOTE', '<note>', { member: '<wren.uuid>', keys: ['text'] }]],
    },
    'a change of the colour does not set edited': {
      given: withNote,
      ask: 'PATCH /ext/v1/notes/<note>',
      body: { color: null, member: null },
      has: { member: null, color: null, edited: null },
      events: [['UPDATE_NOTE', '<note>', { member: null, keys: ['member', 'color'] }]],
    },
    'the same values change nothing': {
      given: withNote,
      ask: 'PATCH /ext/v1/notes/<note>',
      body: { title: 'Tuesday', member: '<wren>' },
      has: { edited: null },
      events: [],
    },
    'a patch cannot remove both title and text': {
      given: withNote,
      ask: 'PATCH /ext/v1/notes/<note>',
      body: { title: null, text: null },
      status: 400,
      code: 40001,
      problems: ['text'],
    },
    'a patch without a known key is refused': {
      given: withNote,
      ask: 'PATCH /ext/v1/notes/<note>',
      body: { created: '2026-01-01T08:00:00Z', colour: 'red' },
      status: 400,
    },
    'a deleted note is gone': {
      given: withNote,
      ask: 'DELETE /ext/v1/notes/<note>',
      status: 204,
      events: [['DELETE_NOTE', '<note>', null]],
      after: async (fixture) => {
        expect(await fixture.ask('DELETE /ext/v1/notes/<note>')).toMatchObject({ status: 404 })
        expect(await fixture.get<Json[]>('GET /ext/v1/systems/@me/notes')).toEqual([])
      },
    },
    'an ID that is no UUID is not found': {
      ask: 'DELETE /ext/v1/notes/tuesday',
      status: 404,
      code: 29002,
    },
  })
})

describe('callers of notes', () => {
  const lines = [
    'GET /ext/v1/notes/<foreign>',
    'PATCH /ext/v1/notes/<foreign>',
    'DELETE /ext/v1/notes/<foreign>',
  ]
  const scenarios: Scenarios = {}
  for (const ask of lines) {
    const body = ask.startsWith('PATCH') ? { text: 'Mine' } : undefined
    scenarios[`${ask} of another system is not found`] = {
      given: withNote,
      ask,
      ...(body && { body }),
      status: 404,
      code: 29002,
      lacks: ['Secret'],
    }
    scenarios[`${ask} without a token is refused`] = {
      given: withNote,
      as: 'anonymous',
      ask,
      ...(body && { body }),
      status: 401,
    }
  }
  runScenarios(testApp, {
    ...scenarios,
    'the list needs a token': {
      as: 'anonymous',
      ask: 'GET /ext/v1/systems/@me/notes',
      status: 401,
    },
  })
})

describe('listing notes', () => {
  /** Creates notes with the given days of January and titles. */
  async function withNotes(...titles: [day: number, title: string, member?: string][]) {
    const fixture = await createFixture(testApp)
    for (const [day, title, member] of titles)
      await fixture.do('POST /ext/v1/systems/@me/notes', {
        title,
        date: `2026-01-${String(day).padStart(2, '0')}T08:00:00Z`,
        ...(member && { member }),
      })
    const titlesOf = async (query: string) =>
      (await fixture.get<Json[]>(`GET /ext/v1/systems/@me/notes${query}`)).map(({ title }) => title)
    return { fixture, titlesOf }
  }

  test('lists the newest first and shows an excerpt', async () => {
    const { fixture } = await withNotes([1, 'first'], [3, 'third'], [2, 'second'])
    await fixture.do('POST /ext/v1/systems/@me/notes', { text: `${'x'.repeat(299)}🌱 end` })
    const listed = await fixture.get<Json[]>('GET /ext/v1/systems/@me/notes')
    expect(listed.map(({ title }) => title)).toEqual([null, 'third', 'second', 'first'])
    expect(listed[0]).toEqual({ ...newNote, text: undefined, excerpt: 'x'.repeat(299) })
    expect(listed[1]?.excerpt).toBeNull()
  })

  test('pages neither skip nor repeat notes of equal time', async () => {
    const { fixture, titlesOf } = await withNotes([1, 'a'], [1, 'b'], [1, 'c'], [2, 'd'])
    expect(await titlesOf('?limit=2')).toEqual(['d', 'c'])
    const page = await fixture.get<Json[]>('GET /ext/v1/systems/@me/notes?limit=2')
    expect(await titlesOf(`?limit=2&before=${page[1]?.id}`)).toEqual(['b', 'a'])
    expect(await titlesOf('?before=2026-01-02T08:00:00Z')).toEqual(['c', 'b', 'a'])
    expect(await titlesOf('?before=2026-01-01T08:00:00Z')).toEqual([])
  })

  test('lists notes of one member', async () => {
    const { titlesOf } = await withNotes([1, 'a', '<wren>'], [2, 'b', '<finch>'], [3, 'c'])
    expect(await titlesOf('?member=<wren>')).toEqual(['a'])
    expect(await titlesOf('?member=<finch.uuid>')).toEqual(['b'])
  })

  const searches: [search: string, found: string[]][] = [
    ['märz', ['Im MÄRZ', 'im ma\u0308rz']],
    ['100%', ['100% sure']],
    ['_', ['snake_case']],
    ['\\', ['back\\slash']],
    ['nothing', []],
  ]
  test.each(searches)('search finds %p as plain text', async (search, found) => {
    const { titlesOf } = await withNotes(
      [1, 'im ma\u0308rz'],
      [2, 'Im MÄRZ'],
      [3, '100% sure'],
      [4, '1000 sure'],
      [5, 'snake_case'],
      [6, 'back\\slash'],
    )
    expect(await titlesOf(`?search=${encodeURIComponent(search)}`)).toEqual(found)
  })

  runScenarios(testApp, {
    'a limit of zero is refused': { ask: 'GET /ext/v1/systems/@me/notes?limit=0', status: 400 },
    'an unknown note as position is not found': {
      ask: 'GET /ext/v1/systems/@me/notes?before=00000000-0000-4000-8000-000000000000',
      status: 404,
      code: 29002,
    },
    'a position that is neither a time nor a UUID is refused': {
      ask: 'GET /ext/v1/systems/@me/notes?before=yesterday',
      status: 400,
    },
    'a search longer than 200 characters is refused': {
      ask: `GET /ext/v1/systems/@me/notes?search=${'x'.repeat(201)}`,
      status: 400,
    },
  })
})

describe('limits of notes', () => {
  const limited = createTestApp({ EXT_TEXT_QUOTA: '1000' })

  test('text above the quota of a system is refused, and deleting makes room', async () => {
    const fixture = await createFixture(limited)
    const { id } = await fixture.do('POST /ext/v1/systems/@me/notes', { text: 'ä'.repeat(450) })
    const full = await fixture.ask('POST /ext/v1/systems/@me/notes', { text: 'x'.repeat(101) })
    expect(full).toMatchObject({ status: 400, json: { code: 49001 } })
    expect(full.json.message).toBe('Limit reached: text of this system (0.98 KiB).')
    await fixture.do('POST /ext/v1/systems/@me/notes', { text: 'x'.repeat(100) })
    expect(await fixture.ask(`PATCH /ext/v1/notes/${id}`, { title: 'x' })).toMatchObject({
      status: 400,
    })
    await fixture.do(`DELETE /ext/v1/notes/${id}`)
    await fixture.do('POST /ext/v1/systems/@me/notes', { text: 'x'.repeat(900) })
  })
})
