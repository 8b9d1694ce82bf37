import type { JsonObject } from '../../../src/model/entity'
import { readAllRows } from '../../rawSql'
import { type FileOptions, shapes } from '../../simplyplural/facts'
import { generateFile } from '../../simplyplural/generateFile'
import { readFacts, sorted } from '../../simplyplural/readFacts'
import { describe, expect, test } from '../../test'
import { createTestApp, isSqlite, type TestApp, type TestSystem } from '../../testApp'
import { createEventReader, exportParts, importInto } from './importFixture'

const here = createTestApp()
const elsewhere = createTestApp()

/** All shapes in two sizes; the large size once, because it takes long. */
const files: FileOptions[] = [
  ...shapes.flatMap((shape) =>
    (['small', 'typical'] as const).map((size) => ({ seed: size.length, size, shape })),
  ),
  { seed: 4, size: 'small', shape: 'export', isEncrypted: true },
  ...(isSqlite ? [{ seed: 3, size: 'large', shape: 'export' } as const] : []),
]

const isShort = ({ size }: FileOptions) => size !== 'large'

const bytesOf = (file: unknown) => Buffer.from(JSON.stringify(file))

/** Exports a system in parts, and joins them to one file without the time of writing. */
async function readExport({ deps }: TestApp, id: number) {
  const [first = {}, ...rest] = await exportParts(deps, id)
  const { exported_at: _, ext, ...extras } = first.multitude as Record<string, JsonObject>
  const lists = rest.map(({ multitude }) => (multitude as Record<string, JsonObject>).ext)
  const joined = Object.entries(ext ?? {}).map(([name, value]) => {
    const isWhole = !Array.isArray(value) || ['groups', 'fields', 'rooms'].includes(name)
    return [name, isWhole ? value : [value, ...lists.map((list) => list?.[name])].flat()]
  })
  return { ...first, multitude: { ...extras, ext: Object.fromEntries(joined) } }
}

/** Lists the kinds of rows that a report says were added or changed. */
function changesIn(report: object): unknown[] {
  return Object.entries(report).flatMap(([name, value]) => {
    if (name === 'ext') return changesIn(value)
    const { added, changed } = value ?? {}
    return typeof added === 'number' && added + changed > 0 ? [[name, added, changed]] : []
  })
}

/** Renames everything that has a name. */
async function renameAll(system: TestSystem, { members, groups, multitude }: JsonObject) {
  const { fields, rooms } = (multitude as JsonObject).ext as Record<string, JsonObject[]>
  const paths = [
    ...(members as JsonObject[]).map(({ uuid }) => `/v2/members/${uuid}`),
    ...(groups as JsonObject[]).map(({ uuid }) => `/v2/groups/${uuid}`),
    ...(fields ?? []).map(({ id }) => `/ext/v1/fields/${id}`),
    ...(rooms ?? []).map(({ id }) => `/ext/v1/rooms/${id}`),
  ]
  for (const [at, path] of paths.entries()) {
    const { status } = await here.ask(`PATCH ${path}`, { as: system, body: { name: `New ${at}` } })
    expect([path, status]).toEqual([path, 200])
  }
}

describe('a generated file of Simply Plural', () => {
  test.each(files)(
    'has all its facts after the import, and again after an export and its import: %j',
    async (options) => {
      const { file, facts } = generateFile(options)
      const system = await here.makeSystem()
      const report = await importInto(here, system, bytesOf(file))
      const exported = await readExport(here, system.id)
      const found = readFacts(exported)
      expect(found.system).toEqual(facts.system)
      for (const key of [
        'members',
        'customFronts',
        'groups',
        'notes',
        'chat',
        'boards',
        'polls',
        'reminders',
        'buckets',
      ] as const)
        expect([key, sorted<unknown>(found[key])]).toEqual([key, sorted<unknown>(facts[key])])
      for (const key of ['values', 'statuses', 'comments'] as const)
        expect([key, sorted<unknown>(found[key])]).toEqual([key, sorted<unknown>(facts[key])])
      for (const key of ['fields', 'rooms', 'presences', 'fronters'] as const)
        expect([key, found[key]]).toEqual([key, facts[key]])
      expect(report.kept).toMatchObject(facts.archived)
      expect(report.skipped.chatMessages ?? 0).toBe(facts.skippedChat)
      const written = JSON.stringify([
        report,
        exported,
        await readAllRows(here.deps.db),
        here.logged(),
      ])
      for (const secret of facts.secrets) expect(written).not.toContain(secret)

      const [last, ...others] = (await exportParts(here.deps, system.id)).toReversed()
      const { system: hid } = await importInto(elsewhere, 'new', bytesOf(last))
      const { systems } = await readAllRows(elsewhere.deps.db)
      const id = Number(systems?.find((row) => row.hid === hid)?.id)
      for (const part of others) await importInto(elsewhere, { ...system, id }, bytesOf(part))
      expect(await readExport(elsewhere, id)).toEqual(exported)
    },
    900_000,
  )

  test.each(files.filter(isShort))('changes nothing the second time: %j', async (options) => {
    const file = bytesOf(generateFile(options).file)
    const system = await here.makeSystem()
    await importInto(here, system, file)
    const first = await readExport(here, system.id)
    const readEvents = await createEventReader(here, system)
    expect(changesIn(await importInto(here, system, file))).toEqual([])
    expect(await readExport(here, system.id)).toEqual(first)
    expect(await readEvents()).toEqual([])
  })

  test.each(shapes)('of the shape %s finds everything again after renames', async (shape) => {
    const file = bytesOf(generateFile({ seed: 9, size: 'small', shape }).file)
    const system = await here.makeSystem()
    await importInto(here, system, file)
    await renameAll(system, await readExport(here, system.id))
    const renamed = await readExport(here, system.id)
    expect(changesIn(await importInto(here, system, file))).toEqual([])
    expect(await readExport(here, system.id)).toEqual(renamed)
  })
})
