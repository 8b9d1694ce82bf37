import type { JsonObject } from '../../../src/model/core/entity'
import { readAllRows } from '../../tools/rawSql'
import type { FileOptions } from '../../tools/simplyplural/facts'
import { generateFile } from '../../tools/simplyplural/generateFile'
import { readFacts, sorted } from '../../tools/simplyplural/readFacts'
import { expect, test } from '../../tools/test'
import { createTestApp, type TestApp } from '../../tools/testApp'
import { createEventReader, exportParts, importInto } from './importFixture'

export const bytesOf = (file: unknown) => Buffer.from(JSON.stringify(file))

/** Exports a system in parts, and joins them to one file without the time of writing. */
export async function readExport({ deps }: TestApp, id: number) {
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
export function changesIn(report: object): unknown[] {
  return Object.entries(report).flatMap(([name, value]) => {
    if (name === 'ext') return changesIn(value)
    const { added, changed } = value ?? {}
    return typeof added === 'number' && added + changed > 0 ? [[name, added, changed]] : []
  })
}

/** Defines the tests of generated files of Simply Plural. */
export function testSimplyPluralFiles(files: readonly FileOptions[]): void {
  const here = createTestApp()
  const elsewhere = createTestApp()

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
  )

  test.each(files.filter(({ size }) => size !== 'large'))(
    'changes nothing the second time: %j',
    async (options) => {
      const file = bytesOf(generateFile(options).file)
      const system = await here.makeSystem()
      await importInto(here, system, file)
      const first = await readExport(here, system.id)
      const readEvents = await createEventReader(here, system)
      expect(changesIn(await importInto(here, system, file))).toEqual([])
      expect(await readExport(here, system.id)).toEqual(first)
      expect(await readEvents()).toEqual([])
    },
  )
}
