import type { JsonObject } from '../../../src/model/core/entity'
import { shapes } from '../../tools/simplyplural/facts'
import { generateFile } from '../../tools/simplyplural/generateFile'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { importInto } from './importFixture'
import { bytesOf, changesIn, readExport, testSimplyPluralFiles } from './simplyPluralFiles'

const here = createTestApp()

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
  testSimplyPluralFiles([
    ...shapes.map((shape) => ({ seed: 5, size: 'small', shape }) as const),
    { seed: 4, size: 'small', shape: 'export', isEncrypted: true },
  ])

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
