import { describe, expect, test } from 'bun:test'
import type { Value } from '../../../src/db/types'
import type { BundleChunk } from '../../../src/formats/chunks'
import { parseInProcess } from '../../../src/formats/chunks'
import type { JsonObject } from '../../../src/model/entity'
import { switchCapacity } from '../../../src/service/transfer/importSwitches'
import { removeAbandoned, removeOldTags } from '../../../src/service/transfer/staging'
import { countSystems, exportSystem, importFile, listSystems } from '../../operatorActions'
import { change, everyRow, insertAll, rows } from '../../rawSql'
import { createTestApp, type TestSystem } from '../../testApp'
import { pluralkit } from './importFixture'

const place = createTestApp()
const { deps } = place

const plain = { dryRun: false, only: null, isPublic: false, link: new Set<string>() }

/** Wren and Ash are here already, in Keepers and fronting; the file brings all that can be brought. */
const file = pluralkit({
  name: 'After',
  members: [
    { id: 'wrenst', name: 'Wren', description: 'new words', proxy_tags: [{ prefix: 'w:' }] },
    { id: 'rookst', name: 'Rook', proxy_tags: [{ prefix: 'r:' }] },
  ],
  groups: [
    { id: 'keepst', name: 'Keepers', members: ['wrenst', 'rookst'] },
    { id: 'nightt', name: 'Night', members: ['wrenst', 'rookst'] },
  ],
  switches: Array.from({ length: 1200 }, (_, at) => ({
    timestamp: new Date(Date.UTC(2025, 0, 1) + at * 60_000).toISOString(),
    members: at % 2 ? ['rookst'] : ['wrenst'],
  })),
  multitude: { kept: { notes: [{ text: 'kept' }] } },
})

/** What anybody can ask of a system. */
const questions = [
  'GET /v2/systems/@me',
  'GET /v2/systems/@me/members',
  'GET /v2/systems/@me/groups?with_members=true',
  'GET /v2/systems/@me/switches',
  'GET /v2/systems/@me/switches?limit=50',
  'GET /v2/systems/@me/fronters',
  'GET /v1/s/SYSTEM/fronters',
  'GET /v2/members/WREN',
  'GET /v2/members/WREN/groups',
  'GET /v2/groups/KEEPERS/members',
]

describe('while an import is under way', () => {
  test('nobody sees anything of it, and afterwards everybody sees all', async () => {
    const one = await makeLantern()
    const before = await seen(one)
    const during: unknown[] = []
    const report = await bringSlowly(one, async () => {
      during.push(await seen(one))
    })
    expect(during.length).toBeGreaterThan(3)
    for (const then of during) expect(then).toEqual(before)
    expect(report.switches.added).toBe(1200)
    const after = await seen(one)
    for (const [at, question] of questions.entries())
      expect([question, after[at]]).not.toEqual([question, before[at]])
  })

  test('an export has nothing of it, and no list of systems names where it waits', async () => {
    const one = await makeLantern()
    const count = await countSystems(deps)
    const exported = async () => {
      const { file } = await exportSystem(deps, one.id)
      const { multitude, ...rest } = JSON.parse(new TextDecoder().decode(file))
      return { ...rest, kept: multitude.kept }
    }
    const before = await exported()
    await bringSlowly(one, async () => {
      expect(await exported()).toEqual(before)
      expect(await countSystems(deps)).toBe(count)
      for (const { hid } of await listSystems(deps)) expect(hid).toMatch(/^[a-z]{5,6}$/)
    })
    expect((await exported()).kept).toEqual({ notes: [{ text: 'kept' }] })
  })

  test('others write, and so does its own system', async () => {
    const one = await makeLantern()
    const other = await place.makeSystem()
    let count = 0
    await bringSlowly(one, async () => {
      count += 1
      for (const as of [one, other]) {
        const body = { description: `number ${count}` }
        const { status } = await place.ask('PATCH /v2/systems/@me', { as, body })
        expect(status).toBe(200)
      }
    })
    const { json } = await place.ask('GET /v2/systems/@me', { as: one })
    expect(json).toMatchObject({ name: 'After', description: `number ${count}` })
  })

  test('a switch that is logged at a time of the file stays, in its place', async () => {
    const one = await makeLantern()
    const both = [one.wren, ...one.members]
    let isLogged = false
    await bringSlowly(one, async (part) => {
      if (isLogged || !('kept' in part)) return
      isLogged = true
      const body = { members: both, timestamp: '2025-01-01T00:01:00Z' }
      const { status } = await place.ask('POST /v2/systems/@me/switches', { as: one, body })
      expect(status).toBe(200)
    })
    const { json } = await place.ask<JsonObject[]>(
      'GET /v2/systems/@me/switches?limit=2&before=2025-01-01T00:01:30Z',
      { as: one },
    )
    expect(json.map(({ members }) => members)).toEqual([both, [one.wren]])
  })

  test('a member that is made or deleted meanwhile makes it give up, and nothing is left', async () => {
    const one = await makeLantern()
    const before = await everyRow(deps.db)
    let isDone = false
    const work = bringSlowly(one, async (part) => {
      if (isDone || !('switches' in part)) return
      isDone = true
      await place.ask('POST /v2/members', { as: one, body: { name: 'Rook' } })
    })
    await expect(work).rejects.toMatchObject({ status: 409 })
    const { switches, imports, systems } = await everyRow(deps.db)
    expect(switches).toEqual(before.switches ?? [])
    expect(imports).toEqual([])
    expect(systems).toHaveLength(before.systems?.length ?? 0)
  })

  test('another into the same system is refused, wherever it comes from', async () => {
    const one = await makeLantern()
    let isTried = false
    await bringSlowly(one, async (part) => {
      if (isTried || !('kept' in part)) return
      isTried = true
      const again = importFile(deps, pluralkit({ members: [{ name: 'Crow' }] }), target(one), plain)
      await expect(again).rejects.toMatchObject({ status: 409 })
    })
    expect(isTried).toBe(true)
  })
})

test('two files that are brought at once keep no more aside than there is room for', async () => {
  const { deps, makeSystem } = createTestApp({ ARCHIVE_LIMIT: '100' })
  const one = await makeSystem()
  const fileWith = (text: string) => pluralkit({ multitude: { kept: { notes: [{ text }] } } })
  const slow = {
    ...deps,
    async *parseImport(...given: Parameters<typeof parseInProcess>) {
      for await (const part of parseInProcess(...given)) {
        // It knows by now how much room there is.
        if ('kept' in part) await importFile(deps, fileWith('b'.repeat(60)), target(one), plain)
        yield part
      }
    },
  }
  const late = importFile(slow, fileWith('a'.repeat(60)), target(one), plain)
  await expect(late).rejects.toMatchObject({ status: 409 })
  const { archive, imports } = await everyRow(deps.db)
  expect([archive?.length, imports]).toEqual([1, []])
})

describe('what an import left behind that was killed', () => {
  test('is removed once its time is over, and not before', async () => {
    const one = await makeLantern()
    const before = await everyRow(deps.db)
    await expect(
      bringSlowly(one, async (part) => {
        // As a process that is gone: nothing is done any more, not even taking back.
        if ('kept' in part) throw new Killed()
      }),
    ).rejects.toBeInstanceOf(Killed)
    const left = await everyRow(deps.db)
    expect(left.imports).toHaveLength(1)
    expect(left.switches?.length).toBeGreaterThan(1000)
    await removeAbandoned(deps)
    expect(await everyRow(deps.db)).toEqual(left)
    await deps.transact('new', (tx) => change(tx, 'update imports set until = 0'))
    await removeAbandoned(deps)
    expect(await everyRow(deps.db)).toEqual(before)
  })

  test('is removed too where its system was deleted meanwhile', async () => {
    const one = await makeLantern()
    await expect(
      bringSlowly(one, async (part) => {
        if ('kept' in part) throw new Killed()
      }),
    ).rejects.toBeInstanceOf(Killed)
    const { id } = one
    await deps.transact('new', (tx) => change(tx, 'delete from systems where id = :id', { id }))
    await removeAbandoned(deps)
    const left = await everyRow(deps.db)
    expect(left.imports).toEqual([])
    expect(JSON.stringify(left.systems)).not.toContain('~')
    expect(JSON.stringify(left.members)).not.toContain('~')
  })
})

test('keys of tags that no system has are removed, and no others', async () => {
  const one = await makeLantern()
  await place.ask(`PATCH /v2/members/${one.wren}`, {
    as: one,
    body: { proxy_tags: [{ prefix: 'w:' }] },
  })
  const [kept] = await rows<Record<string, Value>>(
    deps.db,
    'select * from proxy_tag_keys where set_id = :id',
    { id: one.id },
  )
  // Behind more sets than are looked at together; one is the later set of its system.
  const sets = Array.from({ length: 450 }, (_, at) => ({ ...kept, set_id: 1_000_000 + at }))
  await deps.transact('new', async (tx) => {
    await insertAll(tx, 'proxy_tag_keys', sets)
    await change(tx, 'update systems set tag_set = 1000441 where id = :id', { id: one.id })
  })
  await removeOldTags(deps)
  const left = await rows<{ set_id: number }>(
    deps.db,
    'select set_id from proxy_tag_keys where set_id >= 1000000 or set_id = :id',
    { id: one.id },
  )
  expect(left).toEqual([{ set_id: 1_000_441 }])
})

test('a system has room for a million switches', async () => {
  const one = await makeLantern()
  expect(await switchCapacity(deps.db, null)).toBe(1_000_000)
  expect(await switchCapacity(deps.db, one.id)).toBe(999_999)
})

class Killed extends Error {}

interface Lantern extends TestSystem {
  members: string[]
  wren: string
  keepers: string
}

/** A system of Wren and Ash, with a group and a switch. */
async function makeLantern(): Promise<Lantern> {
  const one = await place.makeSystem('Before')
  const make = async (line: string, body: object) =>
    (await place.ask<{ id: string }>(line, { as: one, body })).json.id
  const ash = await make('POST /v2/members', { name: 'Ash' })
  const wren = await make('POST /v2/members', { name: 'Wren' })
  const keepers = await make('POST /v2/groups', { name: 'Keepers' })
  await place.ask(`POST /v2/groups/${keepers}/members/add`, { as: one, body: [ash] })
  const body = { members: [ash], timestamp: '2024-01-01T00:00:00Z' }
  await place.ask('POST /v2/systems/@me/switches', { as: one, body })
  return { ...one, members: [ash], wren, keepers }
}

function target({ id }: TestSystem) {
  return { systemId: id }
}

/** Imports the file, and does something whenever a part of it was taken in. */
async function bringSlowly(to: TestSystem, between: (part: BundleChunk) => Promise<void>) {
  let isKilled = false
  const slow = {
    ...deps,
    transact: ((work, length) => {
      if (isKilled) return Promise.reject(new Killed())
      return deps.transact(work, length)
    }) as typeof deps.transact,
    async *parseImport(...[bytes, options]: Parameters<typeof parseInProcess>) {
      for await (const part of parseInProcess(bytes, options)) {
        yield part
        try {
          await between(part)
        } catch (cause) {
          isKilled = cause instanceof Killed
          throw cause
        }
      }
    },
  }
  return importFile(slow, file, target(to), plain)
}

async function seen(one: Lantern): Promise<unknown[]> {
  const answers = []
  for (const question of questions) {
    const line = question
      .replace('SYSTEM', one.hid)
      .replace('WREN', one.wren)
      .replace('KEEPERS', one.keepers)
    answers.push((await place.ask(line, { as: one })).json)
  }
  return answers
}
