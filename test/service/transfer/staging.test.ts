import type { Value } from '../../../src/db/types'
import type { BundleChunk } from '../../../src/formats/chunks'
import { parseInProcess } from '../../../src/formats/chunks'
import type { JsonObject } from '../../../src/model/core/entity'
import { HOUR } from '../../../src/model/core/time'
import { removeAbandoned, removeOldTags } from '../../../src/service/systems/staging'
import { switchCapacity } from '../../../src/service/transfer/import/importSwitches'
import { countSystems, exportSystem, importFile, listSystems } from '../../tools/operatorActions'
import { errorOf } from '../../tools/outcomeOf'
import { execute, insertAll, readAllRows, rows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { pluralkit } from './importFixture'

const testApp = createTestApp()
const { deps } = testApp

const plain = { dryRun: false, only: null, isPublic: false, link: new Set<string>() }

/** Changes Wren and Keepers, which exist, and adds rows of every kind. */
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

/** Reads that show rows of a system. */
const requests = [
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

describe('a running import', () => {
  test('hides all rows of an import until it is committed', async () => {
    const one = await makeLantern()
    const before = await readAll(one)
    const during: unknown[] = []
    const report = await importSlowly(one, async () => {
      during.push(await readAll(one))
    })
    expect(during.length).toBeGreaterThan(3)
    for (const responses of during) expect(responses).toEqual(before)
    expect(report.switches.added).toBe(1200)
    const after = await readAll(one)
    for (const [at, request] of requests.entries())
      expect([request, after[at]]).not.toEqual([request, before[at]])
  })

  test('leaves a running import out of exports, and its staging system out of lists', async () => {
    const one = await makeLantern()
    const count = await countSystems(deps)
    const exported = async () => {
      const { file } = await exportSystem(deps, one.id)
      const { multitude, ...rest } = JSON.parse(new TextDecoder().decode(file))
      return { ...rest, kept: multitude.kept }
    }
    const before = await exported()
    await importSlowly(one, async () => {
      expect(await exported()).toEqual(before)
      expect(await countSystems(deps)).toBe(count)
      for (const { hid } of await listSystems(deps)) expect(hid).toMatch(/^[a-z]{5,6}$/)
    })
    expect((await exported()).kept).toEqual({ notes: [{ text: 'kept' }] })
  })

  test('lets its own and other systems write during an import', async () => {
    const one = await makeLantern()
    const other = await testApp.makeSystem()
    let count = 0
    await importSlowly(one, async () => {
      count += 1
      for (const as of [one, other]) {
        const body = { description: `number ${count}` }
        const { status } = await testApp.ask('PATCH /v2/systems/@me', { as, body })
        expect(status).toBe(200)
      }
    })
    const { json } = await testApp.ask('GET /v2/systems/@me', { as: one })
    expect(json).toMatchObject({ name: 'After', description: `number ${count}` })
  })

  test('keeps a switch that is logged during an import at a time of the file', async () => {
    const one = await makeLantern()
    const both = [one.wren, ...one.members]
    let isLogged = false
    await importSlowly(one, async (part) => {
      if (isLogged || !('kept' in part)) return
      isLogged = true
      const body = { members: both, timestamp: '2025-01-01T00:01:00Z' }
      const { status } = await testApp.ask('POST /v2/systems/@me/switches', { as: one, body })
      expect(status).toBe(200)
    })
    const { json } = await testApp.ask<JsonObject[]>(
      'GET /v2/systems/@me/switches?limit=2&before=2025-01-01T00:01:30Z',
      { as: one },
    )
    expect(json.map(({ members }) => members)).toEqual([both, [one.wren]])
  })

  test('rolls an import back when a matching member is created meanwhile', async () => {
    const one = await makeLantern()
    const before = await readAllRows(deps.db)
    let isDone = false
    const work = importSlowly(one, async (part) => {
      if (isDone || !('switches' in part)) return
      isDone = true
      await testApp.ask('POST /v2/members', { as: one, body: { name: 'Rook' } })
    })
    expect(await errorOf(work)).toMatchObject({ status: 409 })
    const { switches, pending_imports, systems } = await readAllRows(deps.db)
    expect(switches).toEqual(before.switches ?? [])
    expect(pending_imports).toEqual([])
    expect(systems).toHaveLength(before.systems?.length ?? 0)
  })

  test('refuses a second import into the same system', async () => {
    const one = await makeLantern()
    let isAttempted = false
    await importSlowly(one, async (part) => {
      if (isAttempted || !('kept' in part)) return
      isAttempted = true
      const again = importFile(deps, pluralkit({ members: [{ name: 'Crow' }] }), target(one), plain)
      expect(await errorOf(again)).toMatchObject({ status: 409 })
    })
    expect(isAttempted).toBe(true)
  })
})

test('leaves out archived rows above the limit, and reports them', async () => {
  const { deps, makeSystem } = createTestApp({ ARCHIVE_LIMIT: '100' })
  const one = await makeSystem()
  const notes = ['a', 'b'].map((letter) => ({ text: letter.repeat(60) }))
  const file = pluralkit({ multitude: { kept: { notes } } })
  const { kept, skipped } = await importFile(deps, file, target(one), plain)
  expect([kept, skipped]).toEqual([{ notes: 1 }, { notes: 1 }])
})

test('does not exceed the archive limit when two imports run at the same time', async () => {
  const { deps, makeSystem } = createTestApp({ ARCHIVE_LIMIT: '100' })
  const one = await makeSystem()
  const fileWith = (text: string) => pluralkit({ multitude: { kept: { notes: [{ text }] } } })
  const slow = {
    ...deps,
    async *parseImport(...given: Parameters<typeof parseInProcess>) {
      for await (const part of parseInProcess(...given)) {
        // The slow import has read the remaining capacity by now.
        if ('kept' in part) await importFile(deps, fileWith('b'.repeat(60)), target(one), plain)
        yield part
      }
    },
  }
  const second = importFile(slow, fileWith('a'.repeat(60)), target(one), plain)
  expect(await errorOf(second)).toMatchObject({ status: 409 })
  const { import_archive, pending_imports } = await readAllRows(deps.db)
  expect([import_archive?.length, pending_imports]).toEqual([1, []])
})

describe('cleanup of killed imports', () => {
  test('removes the rows of a killed import after its timeout, and not before', async () => {
    const one = await makeLantern()
    const before = await readAllRows(deps.db)
    expect(
      await errorOf(
        importSlowly(one, async (part) => {
          // Like a killed process, it does not roll back either.
          if ('kept' in part) throw new Killed()
        }),
      ),
    ).toBeInstanceOf(Killed)
    const left = await readAllRows(deps.db)
    expect(left.pending_imports).toHaveLength(1)
    expect(left.switches?.length).toBeGreaterThan(1000)
    await removeAbandoned(deps)
    expect(await readAllRows(deps.db)).toEqual(left)
    await deps.transact('new', (tx) => execute(tx, 'update pending_imports set expires_at = 0'))
    await removeAbandoned(deps)
    expect(await readAllRows(deps.db)).toEqual(before)
  })

  test('removes no rows of an import that writes again meanwhile', async () => {
    const one = await makeLantern()
    const killed = importSlowly(one, async (part) => {
      if ('kept' in part) throw new Killed()
    })
    expect(await errorOf(killed)).toBeInstanceOf(Killed)
    const expire = (until: number) =>
      deps.transact('new', (tx) =>
        execute(tx, 'update pending_imports set expires_at = :until', { until }),
      )
    await expire(0)
    const { switches } = await readAllRows(deps.db)
    let isRenewed = false
    const renewed = {
      ...deps,
      transact: (async (...given: Parameters<typeof deps.transact>) => {
        if (!isRenewed) await expire(deps.now() + HOUR)
        isRenewed = true
        return deps.transact(...given)
      }) as typeof deps.transact,
    }
    await removeAbandoned(renewed)
    expect((await readAllRows(deps.db)).switches).toEqual(switches)
    await expire(0)
    await removeAbandoned(deps)
  })

  test('loses nothing of a file that is imported before the rows of a killed import are removed', async () => {
    const one = await makeLantern()
    const killed = importSlowly(one, async (part) => {
      if ('switches' in part) throw new Killed()
    })
    expect(await errorOf(killed)).toBeInstanceOf(Killed)
    await deps.transact('new', (tx) => execute(tx, 'update pending_imports set expires_at = 0'))
    await importFile(deps, file, target(one), plain)
    await removeAbandoned(deps)
    const { switches, import_archive } = await readAllRows(deps.db)
    const ofOne = (rows: JsonObject[] = []) => rows.filter(({ system_id }) => system_id === one.id)
    expect([ofOne(switches).length, ofOne(import_archive).length]).toEqual([1201, 1])
  })

  test('removes the rows of a killed import when its system was deleted meanwhile', async () => {
    const one = await makeLantern()
    expect(
      await errorOf(
        importSlowly(one, async (part) => {
          if ('kept' in part) throw new Killed()
        }),
      ),
    ).toBeInstanceOf(Killed)
    const { id } = one
    await deps.transact('new', (tx) => execute(tx, 'delete from systems where id = :id', { id }))
    await removeAbandoned(deps)
    const left = await readAllRows(deps.db)
    expect(left.pending_imports).toEqual([])
    expect(JSON.stringify(left.systems)).not.toContain('~')
    expect(JSON.stringify(left.members)).not.toContain('~')
  })
})

test('removes exactly the proxy tag keys that no system uses', async () => {
  const one = await makeLantern()
  await testApp.ask(`PATCH /v2/members/${one.wren}`, {
    as: one,
    body: { proxy_tags: [{ prefix: 'w:' }] },
  })
  const [key] = await rows<Record<string, Value>>(
    deps.db,
    'select * from proxy_tag_index where index_id = :id',
    { id: one.id },
  )
  // More sets than are read in one page; one of them is in use by the system.
  const sets = Array.from({ length: 450 }, (_, at) => ({ ...key, index_id: 1_000_000 + at }))
  await deps.transact('new', async (tx) => {
    await insertAll(tx, 'proxy_tag_index', sets)
    await execute(tx, 'update systems set tag_index_id = 1000441 where id = :id', { id: one.id })
  })
  await removeOldTags(deps)
  const left = await rows<{ index_id: number }>(
    deps.db,
    'select index_id from proxy_tag_index where index_id >= 1000000 or index_id = :id',
    { id: one.id },
  )
  expect(left).toEqual([{ index_id: 1_000_441 }])
})

test('limits a system to a million switches', async () => {
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

/** Creates a system of Wren and Ash, with a group and a switch. */
async function makeLantern(): Promise<Lantern> {
  const one = await testApp.makeSystem('Before')
  const create = async (line: string, body: object) =>
    (await testApp.ask<{ id: string }>(line, { as: one, body })).json.id
  const ash = await create('POST /v2/members', { name: 'Ash' })
  const wren = await create('POST /v2/members', { name: 'Wren' })
  const keepers = await create('POST /v2/groups', { name: 'Keepers' })
  await testApp.ask(`POST /v2/groups/${keepers}/members/add`, { as: one, body: [ash] })
  const body = { members: [ash], timestamp: '2024-01-01T00:00:00Z' }
  await testApp.ask('POST /v2/systems/@me/switches', { as: one, body })
  return { ...one, members: [ash], wren, keepers }
}

function target({ id }: TestSystem) {
  return { systemId: id }
}

/** Imports the file and calls a function after each chunk of it. */
async function importSlowly(to: TestSystem, between: (part: BundleChunk) => Promise<void>) {
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

async function readAll(one: Lantern): Promise<unknown[]> {
  const responses = []
  for (const request of requests) {
    const line = request
      .replace('SYSTEM', one.hid)
      .replace('WREN', one.wren)
      .replace('KEEPERS', one.keepers)
    responses.push((await testApp.ask(line, { as: one })).json)
  }
  return responses
}
