import type { Deps } from '../../../src/service/core/deps'
import { archiveRows } from '../../http/ext/archiveRows'
import { ME } from '../../tools/me'
import { convertArchive, importFile } from '../../tools/operatorActions'
import { execute, insert, readAllRows } from '../../tools/rawSql'
import type { Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const file = {
  members: [
    { _id: 'm1', name: 'Wren' },
    { _id: 'm2', name: 'Ash' },
  ],
  frontStatuses: [],
  notes: [{ _id: 'n1', member: 'm1', title: 'Oil', note: 'Buy more' }],
  boardMessages: [{ _id: 'b1', message: 'Milk', writtenFor: 'm2' }],
}

/** Creates a system with the members of the file, and with archived rows of it. */
async function createSystem(): Promise<TestSystem> {
  const system = await testApp.makeSystem()
  for (const { name } of file.members)
    await testApp.ask('POST /v2/members', { as: system, body: { name } })
  for (const collection of ['members', 'notes', 'boardMessages'] as const)
    await archiveRows(testApp, system, collection, file[collection])
  return system
}

/** Returns the service with work before its last transaction, which makes everything visible. */
function withWorkBeforeCommit(work: () => Promise<unknown>): Deps {
  const { deps } = testApp
  let isDone = false
  return {
    ...deps,
    transact: async (subject, run, kind) => {
      if (kind === 'long' && !isDone) {
        isDone = true
        await work()
      }
      return await deps.transact(subject, run, kind)
    },
  }
}

const options = { dryRun: false, only: null, isPublic: false, link: new Set<string>() }
const bytes = Buffer.from(JSON.stringify(file))

/** Long work whose rows become visible in one transaction. */
const works: [title: string, run: (deps: Deps, id: number) => Promise<unknown>][] = [
  ['a conversion', convertArchive],
  ['an import', (deps, systemId) => importFile(deps, bytes, { systemId }, options)],
]

const get = async (system: TestSystem, path: string) =>
  (await testApp.ask<Json[]>(`GET ${path}`, { as: system })).json

async function deleteWren(system: TestSystem): Promise<void> {
  const members = await get(system, '/v2/systems/@me/members')
  const wren = members.find(({ name }) => name === 'Wren')
  await testApp.ask(`DELETE /v2/members/${wren?.id}`, { as: system })
}

async function setTextBytes(system: TestSystem, text_bytes: number): Promise<void> {
  const system_id = system.id
  await testApp.deps.transact({ system: system_id }, async (tx) => {
    await execute(tx, 'delete from ext_usage where system_id = :system_id', { system_id })
    await insert(tx, 'ext_usage', { system_id, text_bytes })
  })
}

const conflicts: [title: string, change: (system: TestSystem) => Promise<unknown>, why: string][] =
  [
    ['a member is deleted', deleteWren, 'members or groups were changed by another request'],
    [
      'the space is used up',
      (system) => setTextBytes(system, testApp.deps.quotas.extText),
      'other requests used up the space meanwhile',
    ],
  ]

describe.each(works)('%s is refused and leaves nothing', (_, run) => {
  test.each(conflicts)('when %s before its end', async (_, change, why) => {
    const system = await createSystem()
    const archive = await get(system, `${ME}/archive`)
    let before: Json[][] = []
    const deps = withWorkBeforeCommit(async () => {
      await change(system)
      before = [await get(system, `${ME}/members`), await get(system, `${ME}/notes`)]
    })
    const failure = await run(deps, system.id).catch((cause: unknown) => cause)
    expect(failure).toMatchObject({ status: 409, message: expect.stringContaining(why) })
    expect([await get(system, `${ME}/members`), await get(system, `${ME}/notes`)]).toEqual(before)
    expect(await get(system, `${ME}/posts`)).toEqual([])
    expect(await get(system, `${ME}/archive`)).toEqual(archive)
    const { pending_imports = [], origins = [], notes = [] } = await readAllRows(testApp.deps.db)
    const own = [...pending_imports, ...origins, ...notes]
    expect(own.filter(({ system_id }) => system_id === system.id)).toEqual([])
    await setTextBytes(system, 0)
    await run(testApp.deps, system.id)
    expect(await get(system, `${ME}/posts`)).toHaveLength(1)
  })
})

describe('conversions at the same time', () => {
  test('of one system are refused until the first one has ended', async () => {
    const system = await createSystem()
    const answers = await Promise.all(
      [1, 2, 3].map(() => testApp.ask(`POST ${ME}/archive/convert`, { as: system })),
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses[0]).toBe(200)
    for (const { status, headers, text } of answers.filter(({ status }) => status !== 200)) {
      expect([409, 429]).toContain(status)
      expect(text).toContain('a file is being imported into this system')
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await get(system, `${ME}/notes`)).toHaveLength(1)
    expect(await get(system, `${ME}/posts`)).toHaveLength(1)
  })
})
