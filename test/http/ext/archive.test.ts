import type { Value } from '../../../src/db/types'
import { CONVERTER_VERSION } from '../../../src/formats/simplyplural/archive'
import { purgeArchive } from '../../../src/service/systems/purge'
import { rows } from '../../tools/rawSql'
import { createFixture, type Fixture, type Json, runScenarios } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { archiveRows } from './archiveRows'

const testApp = createTestApp()

const archive = (
  { owner }: Fixture,
  collection: string,
  contents: readonly unknown[],
  more: Record<string, Value> = {},
) => archiveRows(testApp, owner, collection, contents, more)

const notes = [
  { _id: 'a', title: 'Tuesday' },
  { _id: 'b', title: 'Wednesday' },
  { _id: 'c', title: 'Thursday' },
]
const friends = [{ _id: 'd', frienduid: 'someone', seeMembers: true }]

async function withArchive(fixture: Fixture): Promise<void> {
  await archive(fixture, 'notes', notes)
  await archive(fixture, 'friends', friends)
}

const sizeOf = (all: readonly unknown[]) =>
  all.reduce<number>((sum, row) => sum + JSON.stringify(row).length, 0)

const listed = [
  { collection: 'notes', rows: 3, bytes: sizeOf(notes), convertible: true },
  { collection: 'friends', rows: 1, bytes: sizeOf(friends), convertible: false },
]

describe('archived rows', () => {
  runScenarios(testApp, {
    'a system without imports has no collections': {
      ask: 'GET /ext/v1/systems/@me/archive',
      json: [],
    },
    'collections are listed with their sizes': {
      given: withArchive,
      ask: 'GET /ext/v1/systems/@me/archive',
      json: listed,
    },
    'rows that the reader has left are not convertible': {
      given: (fixture) => archive(fixture, 'notes', [{ _id: 'a' }], { reader: CONVERTER_VERSION }),
      ask: 'GET /ext/v1/systems/@me/archive',
      json: [{ collection: 'notes', rows: 1, bytes: 11, convertible: false }],
    },
    'rows that an earlier reader could not read are convertible': {
      given: (fixture) => archive(fixture, 'repeatedReminders', [{ _id: 'a' }], { reader: 1 }),
      ask: 'GET /ext/v1/systems/@me/archive',
      json: [{ collection: 'repeatedReminders', rows: 1, bytes: 11, convertible: true }],
    },
    'rows are returned as they were, oldest first': {
      given: withArchive,
      ask: 'GET /ext/v1/systems/@me/archive/notes',
      json: { rows: notes, next: null },
    },
    'another system has no rows': {
      given: withArchive,
      as: 'other',
      ask: 'GET /ext/v1/systems/@me/archive',
      json: [],
    },
    "another system's collection is unknown": {
      given: withArchive,
      as: 'other',
      ask: 'GET /ext/v1/systems/@me/archive/notes',
      status: 404,
      code: 29012,
    },
    'an anonymous caller is refused': {
      as: 'anonymous',
      ask: 'GET /ext/v1/systems/@me/archive/notes',
      status: 401,
    },
    'a limit of zero is refused': {
      given: withArchive,
      ask: 'GET /ext/v1/systems/@me/archive/notes?limit=0',
      status: 400,
    },
    'an invalid cursor is refused': {
      given: withArchive,
      ask: 'GET /ext/v1/systems/@me/archive/notes?after=-1',
      status: 400,
      message: /after must be the next of a page/,
    },
    'a collection is deleted': {
      given: withArchive,
      ask: 'DELETE /ext/v1/systems/@me/archive/notes',
      status: 204,
      events: [['DELETE_ARCHIVE', null, { collection: 'notes' }]],
      after: async (fixture) => {
        expect(await fixture.get<Json>('GET /ext/v1/systems/@me/archive')).toEqual(
          listed.slice(1) as never,
        )
        for (const method of ['GET', 'DELETE']) {
          const again = await fixture.ask(`${method} /ext/v1/systems/@me/archive/notes`)
          expect(again.json).toMatchObject({ code: 29012 })
        }
        const exported = await fixture.get<{ multitude: Json }>('GET /v2/systems/@me/export')
        expect(exported.multitude.kept).toEqual({ friends })
      },
    },
    'a collection of another system cannot be deleted': {
      given: withArchive,
      as: 'other',
      ask: 'DELETE /ext/v1/systems/@me/archive/notes',
      status: 404,
      code: 29012,
    },
  })

  test('pages continue after the last row until the end', async () => {
    const fixture = await createFixture(testApp)
    await archive(fixture, 'notes', notes.slice(0, 2))
    await archive(fixture, 'friends', friends)
    await archive(fixture, 'notes', notes.slice(2))
    const path = 'GET /ext/v1/systems/@me/archive/notes?limit=2'
    const first = await fixture.get<{ rows: Json[]; next: string }>(path)
    expect(first.rows).toEqual(notes.slice(0, 2))
    const second = await fixture.get<Json>(`${path}&after=${first.next}`)
    expect(second).toEqual({ rows: notes.slice(2), next: null })
  })

  test('a page ends before 4 MiB', async () => {
    const fixture = await createFixture(testApp)
    const long = Array.from({ length: 9 }, (_, at) => ({ _id: at, note: 'x'.repeat(999_000) }))
    await archive(fixture, 'notes', long)
    const ids: unknown[][] = []
    for (let next: string | null = '0'; next !== null; ) {
      const page: { rows: Json[]; next: string | null } = await fixture.get(
        `GET /ext/v1/systems/@me/archive/notes?limit=1000&after=${next}`,
      )
      ids.push(page.rows.map(({ _id }) => _id))
      next = page.next
    }
    expect(ids).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8]])
  })

  test('rows of a deleted collection are removed from the database, later ones stay', async () => {
    const fixture = await createFixture(testApp)
    await archive(
      fixture,
      'notes',
      Array.from({ length: 1_500 }, (_, at) => ({ at })),
    )
    await archive(fixture, 'friends', friends)
    await fixture.do('DELETE /ext/v1/systems/@me/archive/notes')
    await archive(fixture, 'notes', notes.slice(0, 1))
    await purgeArchive(testApp.deps)
    const system = fixture.owner.id
    const left = await rows(
      testApp.deps.db,
      'select collection from import_archive where system_id = :system order by id',
      { system },
    )
    expect(left).toEqual([{ collection: 'friends' }, { collection: 'notes' }])
    expect(await rows(testApp.deps.db, 'select * from deleted_archives')).toEqual([])
    expect(await fixture.get<Json>('GET /ext/v1/systems/@me/archive/notes')).toEqual({
      rows: notes.slice(0, 1),
      next: null,
    })
  })

  test('an import archives rows of a collection that is being deleted again', async () => {
    const fixture = await createFixture(testApp)
    const kept = { friends }
    const file = { version: 2, name: 'Lantern Hill', members: [], groups: [], switches: [] }
    const body = { ...file, multitude: { kept } }
    await fixture.do('POST /v2/systems/@me/import', body)
    await fixture.do('DELETE /ext/v1/systems/@me/archive/friends')
    await fixture.do('POST /v2/systems/@me/import', body)
    expect(await fixture.get<Json>('GET /ext/v1/systems/@me/archive/friends')).toEqual({
      rows: friends,
      next: null,
    })
  })
})
