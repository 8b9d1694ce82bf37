import type { JsonObject } from '../../../src/model/core/entity'
import { reason } from '../../../src/model/core/reason'
import { type Reason, reportReason } from '../../../src/model/core/reasonMessages'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { importInto } from './importFixture'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { ask, makeSystem } = testApp

/** A group of the file, and the one that contains it. */
type Group = readonly [name: string, parent?: string]

/** A PluralPort file of another app with groups, in the given order. */
function pluralport(groups: readonly Group[]): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      pluralport_version: '0.1',
      producer: { app: 'Example', app_id: 'example' },
      systems: [{ id: 's1', name: 'Lantern Hill' }],
      groups: groups.map(([name, parent]) => ({
        ...{ id: name, system_id: 's1', name },
        ...(parent !== undefined && { parent_group_id: parent }),
      })),
    }),
  )
}

/** A Simply Plural file with the same groups. */
function simplyPlural(groups: readonly Group[]): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      frontHistory: [],
      groups: groups.map(([name, parent = 'root']) => ({ _id: name, name, parent })),
    }),
  )
}

/** Returns the paths of all groups, by their names. */
async function pathsOf(as: TestSystem): Promise<string[]> {
  const { json } = await ask<JsonObject[]>('GET /ext/v1/systems/@me/groups', { as })
  const rows = json.map(({ group, parent }) => ({
    ...(group as JsonObject),
    parent,
  })) as unknown as {
    uuid: string
    name: string
    parent: string | null
  }[]
  const pathOf = (uuid: string | null): string => {
    const found = rows.find((one) => one.uuid === uuid)
    return found ? `${pathOf(found.parent)}/${found.name}` : ''
  }
  return rows.map(({ uuid }) => pathOf(uuid)).toSorted()
}

const levels = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at + 1}`)
const chain = (count: number): Group[] =>
  levels(count).map((name, at): Group => (at === 0 ? [name] : [name, `${at}`]))

const eighth = '/1/2/3/4/5/6/7/8'
const tooDeep = reason('too_deep', { max: 8 })
const loop = 'group_loop'

interface Scenario {
  has?: readonly Group[]
  groups: readonly Group[]
  paths: string[]
  repairs: [name: string, was: string | null, now: string | null, why: Reason][]
}

const scenarios: Record<string, Scenario> = {
  'eight levels keep their places': {
    groups: chain(8),
    paths: levels(8).map((_, at) => eighth.slice(0, 2 * at + 2)),
    repairs: [],
  },
  'a group on the ninth level is attached at the eighth': {
    groups: chain(9),
    paths: [...levels(8).map((_, at) => eighth.slice(0, 2 * at + 2)), '/1/2/3/4/5/6/7/9'],
    repairs: [['9', '8', '7', tooDeep]],
  },
  'groups below the ninth level are attached at the eighth, in whichever order': {
    groups: chain(11).toReversed(),
    paths: [
      ...levels(8).map((_, at) => eighth.slice(0, 2 * at + 2)),
      ...['/1/2/3/4/5/6/7/10', '/1/2/3/4/5/6/7/11', '/1/2/3/4/5/6/7/9'],
    ],
    repairs: [
      ['11', '10', '7', tooDeep],
      ['10', '9', '7', tooDeep],
      ['9', '8', '7', tooDeep],
    ],
  },
  'the parent that closes a loop is left out': {
    groups: [
      ['A', 'C'],
      ['B', 'A'],
      ['C', 'B'],
    ],
    paths: ['/C', '/C/A', '/C/A/B'],
    repairs: [['C', 'B', null, loop]],
  },
  'a group that contains itself is at the top': {
    groups: [
      ['A', 'A'],
      ['B', 'A'],
    ],
    paths: ['/A', '/A/B'],
    repairs: [['A', 'A', null, loop]],
  },
  'a group with groups that the file does not have is attached so deep that they fit': {
    has: [['X'], ['Y', 'X'], ['Z', 'Y']],
    groups: [...chain(7), ['X', '7']],
    paths: [
      ...levels(7).map((_, at) => eighth.slice(0, 2 * at + 2)),
      ...['/1/2/3/4/5/X', '/1/2/3/4/5/X/Y', '/1/2/3/4/5/X/Y/Z'],
    ],
    repairs: [['X', '7', '5', tooDeep]],
  },
}

describe('nested groups of a file', () => {
  test.each(Object.entries(scenarios))('%s', async (_, { has, groups, paths, repairs }) => {
    const as = await makeSystem()
    if (has) await importInto(testApp, as, pluralport(has))
    const expected = repairs.map(([name, was, now, why]) => ({
      ...{ kind: 'group' as const, name, field: 'parent' },
      ...{ was, now, ...reportReason(why) },
    }))
    const planned = await importInto(testApp, as, pluralport(groups), { dryRun: true })
    const report = await importInto(testApp, as, pluralport(groups))
    expect(report.repairs).toEqual(expected)
    expect(planned.repairs).toEqual(expected)
    expect(await pathsOf(as)).toEqual(paths.toSorted())
    const again = await importInto(testApp, as, pluralport(groups))
    expect(again.groups).toMatchObject({ added: 0, changed: 0 })
    expect(await pathsOf(as)).toEqual(paths.toSorted())
  })

  test('have the same places in a file of Simply Plural', async () => {
    const [as, other] = [await makeSystem(), await makeSystem()]
    await importInto(testApp, as, pluralport(chain(11)))
    await importInto(testApp, other, simplyPlural(chain(11)))
    expect(await pathsOf(other)).toEqual(await pathsOf(as))
  })
})
