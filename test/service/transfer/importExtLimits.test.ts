import type { JsonObject } from '../../../src/model/core/entity'
import { error } from '../../../src/model/core/errors'
import type { Deps } from '../../../src/service/core/deps'
import { removeAbandoned } from '../../../src/service/systems/staging'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { exportSystem, importFile } from '../../tools/operatorActions'
import { readAllRows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { exportText, importInto, pluralkit } from './importFixture'

const app = createTestApp()
const narrow = createTestApp({ EXT_TEXT_QUOTA: '4096' })

const at = 1_700_000_000_000

const members = [
  { _id: 'm1', name: 'Wren' },
  { _id: 'm2', name: 'Ash' },
]

/** Builds a Simply Plural file. */
const file = (parts: JsonObject) =>
  Buffer.from(JSON.stringify({ frontStatuses: [], members, ...parts }))

const note = (id: number, text: string) => ({
  _id: `n${id}`,
  member: 'm1',
  note: text,
  date: at + id,
})

const reasons = ({ repairs }: ImportReport) =>
  repairs.flatMap(({ field, why, left_out }) => (left_out ? [[field, left_out, why]] : []))

const extOf = async (system: TestSystem, { deps } = app) =>
  JSON.parse(await exportText(deps, system.id)).multitude.ext

describe('limits of an import', () => {
  test('takes the newest notes that fit, and reports the rest', async () => {
    const system = await narrow.makeSystem()
    const notes = [1, 2, 3, 4, 5].map((id) => note(id, `${id}`.repeat(1000)))
    const report = await importInto(narrow, system, file({ notes }))
    expect(report.ext?.notes).toEqual({ added: 4, changed: 0, unchanged: 0, left_out: 1 })
    expect(reasons(report)).toEqual([['notes', 1, 'no space is left for text of this system']])
    const { notes: kept } = await extOf(system, narrow)
    expect(kept.map(({ text }: JsonObject) => String(text)[0])).toEqual(['5', '4', '3', '2'])
  })

  test('leaves out a long description that does not fit, and keeps its beginning', async () => {
    const system = await narrow.makeSystem()
    const long = [{ _id: 'm1', name: 'Wren', desc: 'lamp '.repeat(1000) }]
    for (const dryRun of [true, false]) {
      const { repairs } = await importInto(narrow, system, file({ members: long }), { dryRun })
      expect(repairs).toContainEqual(
        expect.objectContaining({ kind: 'member', field: 'about', now: null }),
      )
    }
    const { json } = await narrow.ask<JsonObject[]>('GET /v2/systems/@me/members', { as: system })
    expect(String(json[0]?.description)).toStartWith('lamp lamp')
  })

  test('imports 100 of 1,000 fields, and no values of the others', async () => {
    const system = await app.makeSystem()
    const customFields = Array.from({ length: 1000 }, (_, order) => ({
      _id: `c${order}`,
      name: order === 0 ? '__proto__' : `Field ${order}`,
      type: 0,
      order,
    }))
    const info = Object.fromEntries(customFields.map(({ _id }) => [_id, 'x']))
    const report = await importInto(
      app,
      system,
      file({ customFields, members: [{ _id: 'm1', name: '__proto__', info }] }),
    )
    expect(report.ext?.fields).toMatchObject({ added: 100, left_out: 900 })
    expect(report.ext?.values).toMatchObject({ added: 100, left_out: 900 })
    expect(reasons(report)).toEqual([
      ['fields', 900, 'above the limit of 100'],
      ['values', 900, 'belongs to a row that is not imported'],
    ])
  })

  test('shortens a note of 10 MB, and attaches deeply nested groups at the last level', async () => {
    const system = await app.makeSystem()
    const groups = Array.from({ length: 200 }, (_, depth) => ({
      _id: `g${depth}`,
      name: `Group ${depth}`,
      parent: depth === 0 ? 'root' : `g${depth - 1}`,
    }))
    const notes = [note(1, 'a'.repeat(10_000_000))]
    const report = await importInto(app, system, file({ groups, notes }))
    expect(report.groups.added).toBe(200)
    const ext = await extOf(system)
    expect(ext.notes[0].text).toHaveLength(100_000)
    const parents = new Map<unknown, unknown>(
      ext.groups.map(({ group, parent }: JsonObject) => [group, parent]),
    )
    const depthOf = (id: unknown): number => (id ? 1 + depthOf(parents.get(id)) : 0)
    expect(Math.max(...[...parents.keys()].map(depthOf))).toBe(8)
  })
})

describe('rows without the row that they belong to', () => {
  test('are reported apart from rows above a limit', async () => {
    const system = await app.makeSystem()
    const post = { room: crypto.randomUUID(), text: 'Hi', written: '2026-01-01T00:00:00Z' }
    const ext = { version: 1, posts: [{ id: crypto.randomUUID(), ...post }] }
    const report = await importInto(app, system, pluralkit({ members: [], multitude: { ext } }))
    expect(reasons(report)).toEqual([['posts', 1, 'belongs to a row that is not imported']])
  })
})

describe('origins', () => {
  const notes = [note(1, 'one'), note(2, 'two')]

  test('find copied rows again that got other UUIDs', async () => {
    const [first, copy] = [await app.makeSystem(), await app.makeSystem()]
    await importInto(app, first, file({ notes }))
    const exported = Buffer.from(await exportText(app.deps, first.id))
    expect((await importInto(app, copy, exported)).ext?.notes.added).toBe(2)
    expect((await importInto(app, copy, exported)).ext?.notes).toMatchObject({
      added: 0,
      unchanged: 2,
    })
  })

  test('stay as they were after an import that was killed before its end', async () => {
    const system = await app.makeSystem()
    await importInto(app, system, file({ notes: notes.slice(0, 1) }))
    const before = await readAllRows(app.deps.db)
    const exported = await extOf(system)
    let isKilled = false
    const transact: Deps['transact'] = (subject, work, kind) => {
      isKilled ||= kind === 'long'
      if (isKilled) throw error('internal')
      return app.deps.transact(subject, work, kind)
    }
    const options = { dryRun: false, only: null, isPublic: false, link: new Set<string>() }
    const killed = importFile(
      { ...app.deps, transact },
      file({ notes }),
      { systemId: system.id },
      options,
    )
    expect(await killed.catch(() => 'killed')).toBe('killed')
    expect(await extOf(system)).toEqual(exported)
    await removeAbandoned({ ...app.deps, now: () => app.deps.now() + 60_000_000 })
    expect(await readAllRows(app.deps.db)).toEqual(before)
  })
})

describe('a description that an import changes', () => {
  test('clears the long one, as a change through v2 does', async () => {
    const system = await app.makeSystem()
    const body = { member: { name: 'Wren' }, about: 'lamp '.repeat(400) }
    const { json } = await app.ask('POST /ext/v1/members', { as: system, body })
    const { id } = json.member as JsonObject
    const read = () => app.ask(`GET /ext/v1/members/${id}`, { as: system })
    const rows = (description: unknown) =>
      pluralkit({ members: [{ id, name: 'Wren', description }] })
    await importInto(app, system, rows((json.member as JsonObject).description))
    expect((await read()).json.about).toBe(body.about)
    const report = await importInto(app, system, rows('short'))
    expect(report.members.changed).toBe(1)
    expect((await read()).json.about).toBeNull()
  })
})

describe('exports', () => {
  test('of some members have only what belongs to them, as far as asked for', async () => {
    const system = await app.makeSystem()
    const notes = [note(1, 'by Wren'), { ...note(2, 'by Ash'), member: 'm2' }]
    const boardMessages = [
      { _id: 'b1', message: 'to Ash', writtenBy: 'm1', writtenFor: 'm2', writtenAt: at },
      { _id: 'b2', message: 'to oneself', writtenBy: 'm2', writtenFor: 'm2', writtenAt: at },
    ]
    await importInto(app, system, file({ notes, boardMessages }))
    const { json: all } = await app.ask<JsonObject[]>('GET /v2/systems/@me/members', { as: system })
    const wren = String(all.find(({ name }) => name === 'Wren')?.id)
    const texts = async (given: readonly ('notes' | 'posts' | 'polls')[]) => {
      const choice = { members: [wren], groups: null, with: new Set(given) }
      const { file: exported } = await exportSystem(app.deps, system.id, choice)
      const { ext } = JSON.parse(new TextDecoder().decode(exported)).multitude
      return [...(ext?.notes ?? []), ...(ext?.posts ?? [])].map(({ text }) => text)
    }
    expect(await texts([])).toEqual([])
    expect(await texts(['notes'])).toEqual(['by Wren'])
    expect(await texts(['notes', 'posts'])).toEqual(['by Wren', 'to Ash'])
  })

  test('have no key `ext` if the system uses nothing of it', async () => {
    const system = await app.makeSystem()
    await importInto(app, system, pluralkit({ members: [{ id: 'aaaaa', name: 'Wren' }] }))
    expect(JSON.parse(await exportText(app.deps, system.id)).multitude).not.toHaveProperty('ext')
  })
})
