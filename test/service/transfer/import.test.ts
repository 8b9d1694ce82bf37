import { eq } from 'drizzle-orm'
import { groups, members } from '../../../src/db/tables'
import { checks, findAll } from '../../../src/doctor/consistencyChecks'
import { inspect } from '../../../src/doctor/sqliteDoctor'
import type { JsonObject } from '../../../src/model/core/entity'
import type { Tally } from '../../../src/model/transfer/transfer'
import { insertGroup } from '../../../src/service/groups/groups'
import { insertMember } from '../../../src/service/members/members'
import { fixture } from '../../formats/fixture'
import { drizzleOn } from '../../tools/drizzle'
import { errorOf, outcomeOf } from '../../tools/outcomeOf'
import { execute, readAllRows, STOPPED, withFailingTrigger } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, isSqlite, type TestSystem } from '../../tools/testApp'
import {
  counts,
  createEventReader,
  fixtures,
  importInto,
  pluralkit,
  withRawDatabaseAsync,
} from './importFixture'

const testApp = createTestApp()
const { deps, app } = testApp
/** Loses members and groups without what belongs to them. */
const matchingApp = createTestApp()
/** Holds few rows, because its tests compare all of them. */
const failingApp = createTestApp()

const UUID = '5a0f6f0e-2a39-4d0c-8a6d-5a1a1d7a2b01'
const OTHER = '9d0a3d57-6f0c-4b1b-8c83-0d6a6ce0f702'
const UNKNOWN = 'c6a3f7a2-0b21-4a4f-b0a6-d7c0b4e1aa03'

describe.each(['members', 'groups'] as const)('%s of a file', (kind) => {
  /** The system has Wren (wrena, UUID) and Ash (ashab, OTHER) before the import. */
  const scenarios: [title: string, file: JsonObject[], names: string[], tally: string][] = [
    [
      'by UUID even if ID and name differ',
      [{ uuid: UUID, id: 'ashab', name: 'Raven' }],
      ['Raven', 'Ash'],
      '0 1 0 0',
    ],
    [
      'by short ID if the UUID is unknown',
      [{ uuid: UNKNOWN, id: 'WRENA', name: 'Raven' }],
      ['Raven', 'Ash'],
      '0 1 0 0',
    ],
    [
      'by exact name if UUID and short ID are unknown',
      [{ uuid: UNKNOWN, id: 'zzzzz', name: 'Ash', color: 'ff0000' }],
      ['Wren', 'Ash'],
      '0 1 0 0',
    ],
    [
      'by name if the file has no IDs',
      [{ name: 'Wren' }, { name: 'Ash' }],
      ['Wren', 'Ash'],
      '0 0 2 0',
    ],
    [
      'case-sensitively by name, so another case creates a row',
      [{ name: 'wren' }],
      ['Wren', 'Ash', 'wren'],
      '1 0 0 0',
    ],
    [
      'by ID before an earlier entry matches by name',
      [
        { id: 'newab', name: 'Wren' },
        { id: 'wrena', name: 'Raven' },
      ],
      ['Raven', 'Ash', 'Wren'],
      '1 1 0 0',
    ],
    [
      'by name only once, so a second entry of that name creates a row',
      [{ name: 'Wren' }, { name: 'Wren' }],
      ['Wren', 'Ash', 'Wren'],
      '1 0 1 0',
    ],
  ]

  test.each(scenarios)(`matches ${kind} %s`, async (_, rows, names, tally) => {
    const to = await makeLantern()
    const report = await importInto(matchingApp, to, pluralkit({ [kind]: rows }))
    expect(report[kind]).toEqual(tallyOf(tally))
    expect(await namesOf(to)).toEqual(names)
    const before = await readAllRows(matchingApp.deps.db)
    const again = await importInto(matchingApp, to, pluralkit({ [kind]: rows }))
    expect(again[kind]).toEqual(tallyOf(`0 0 ${rows.length} 0`))
    expect(await readAllRows(matchingApp.deps.db)).toEqual(before)
  })

  test(`never matches ${kind} of another system, and assigns new IDs instead of theirs`, async () => {
    const theirs = await makeLantern()
    const to = await matchingApp.makeSystem()
    const file = pluralkit({ [kind]: [{ uuid: UUID, id: 'wrena', name: 'Wren' }] })
    const { renamed, ...report } = await importInto(matchingApp, to, file)
    expect(report[kind]).toEqual(tallyOf('1 0 0 0'))
    const [created] = await rowsOf(to)
    expect(renamed).toEqual([
      { kind: kind.slice(0, -1), name: 'Wren', from: 'wrena', to: created?.hid ?? '' },
      { kind: kind.slice(0, -1), name: 'Wren', from: UUID, to: created?.uuid ?? '' },
    ])
    expect(await namesOf(theirs)).toEqual(['Wren', 'Ash'])
  })

  async function makeLantern(): Promise<TestSystem> {
    const created = await matchingApp.makeSystem()
    await matchingApp.deps.transact('new', async (tx) => {
      const insert = kind === 'members' ? insertMember : insertGroup
      // Rows of earlier tests have the same IDs.
      await drizzleOn(tx).delete(kind === 'members' ? members : groups)
      await insert(tx, created.id, { name: 'Wren' }, { hid: 'wrena', uuid: UUID })
      await insert(tx, created.id, { name: 'Ash' }, { hid: 'ashab', uuid: OTHER })
    })
    return created
  }

  async function rowsOf({ id }: TestSystem) {
    const table = kind === 'members' ? members : groups
    return await drizzleOn(matchingApp.deps.db)
      .select()
      .from(table)
      .where(eq(table.system_id, id))
      .orderBy(table.id)
      .all()
  }

  async function namesOf(system: TestSystem): Promise<string[]> {
    return (await rowsOf(system)).map(({ name }) => name)
  }
})

describe.each(fixtures)('the fixture %s', (name) => {
  const file = fixture(name)

  test(`a dry run of ${name} changes nothing and reports what the import would do`, async () => {
    const to = await testApp.makeSystem()
    const before = await readAllRows(deps.db)
    const planned = await importInto(testApp, to, file, { dryRun: true })
    expect(await readAllRows(deps.db)).toEqual(before)
    const done = await importInto(testApp, to, file)
    const comparable = ({ renamed, ...rest }: typeof planned) => ({
      ...rest,
      dry_run: null,
      renamed: renamed.map(({ from }) => from),
    })
    expect(planned.dry_run).toBe(true)
    expect(comparable(planned)).toEqual(comparable(done))
    expect(counts(done).join()).not.toMatch(/^0 0/)
  })

  test(`second import of ${name} changes nothing, reports that, and records no event`, async () => {
    const to = await testApp.makeSystem()
    const first = await importInto(testApp, to, file)
    const before = await readAllRows(deps.db)
    const readEvents = await createEventReader(testApp, to)
    const again = await importInto(testApp, to, file)
    expect(await readAllRows(deps.db)).toEqual(before)
    for (const kind of ['members', 'groups', 'memberships', 'switches'] as const) {
      const { added, unchanged, left_out } = first[kind]
      expect(again[kind]).toEqual({
        added: 0,
        changed: 0,
        unchanged: added + unchanged,
        left_out,
      })
    }
    expect(again.renamed).toEqual([])
    expect(again.repairs.length).toBeGreaterThanOrEqual(first.repairs.length)
    expect(await readEvents()).toEqual([])
  })

  test(`leaves a consistent database after the import of ${name}`, async () => {
    await importInto(testApp, await testApp.makeSystem(), file)
    const found = isSqlite
      ? await withRawDatabaseAsync(app.storage.location, (database) => inspect(database))
      : await findAll(deps.db, checks)
    expect(found.map(({ problem }) => problem)).toEqual([])
  })
})

describe('a failing import', () => {
  const triggers: [table: string, when: string][] = [
    ['accounts', 'true'],
    ['members', "NEW.name = 'Second'"],
    ['proxy_tag_index', 'true'],
    ['groups', 'true'],
    ['group_members', 'true'],
    ['switches', 'NEW.timestamp > 1704067200000000'],
    ['switch_members', 'NEW.position = 1'],
    ['import_archive', 'true'],
    ['autoproxy', 'true'],
    ['events', "NEW.type = 'SUCCESSFUL_IMPORT'"],
  ]
  let files = 0
  /** Each file has its own account, because an account is linked only once. */
  const nextFile = () =>
    pluralkit({
      name: 'Never',
      accounts: [`1234567890123456${String(files++).padStart(2, '0')}`],
      members: [
        {
          id: 'firsta',
          name: 'First',
          description: 'a private word',
          proxy_tags: [{ prefix: 'f' }],
        },
        { id: 'second', name: 'Second' },
      ],
      groups: [{ id: 'groupa', name: 'Both', members: ['firsta', 'second'] }],
      switches: [
        { timestamp: '2024-01-02T00:00:00Z', members: ['firsta', 'second'] },
        { timestamp: '2024-01-01T00:00:00Z', members: [] },
      ],
      multitude: {
        autoproxy: [{ guild_id: '42', autoproxy_mode: 'front' }],
        kept: { notes: [{ text: 'kept' }] },
      },
    })

  test.each(triggers)(
    'changes nothing when writing to %s fails, and succeeds when repeated',
    async (table, when) => {
      const to = await failingApp.makeSystem()
      const file = nextFile()
      await withFailingTrigger(failingApp.deps, `insert on ${table}`, when, async () => {
        const before = await readAllRows(failingApp.deps.db)
        expect(await outcomeOf(importInto(failingApp, to, file))).toThrow(STOPPED)
        expect(await readAllRows(failingApp.deps.db)).toEqual(before)
      })
      const done = await importInto(failingApp, to, file)
      expect(counts(done)).toEqual(['2 0 0 0', '1 0 0 0', '2 0 0 0', '2 0 0 0'])
    },
  )

  test('answers 500 to a failing import and logs its cause without contents of the file', async () => {
    const to = await failingApp.makeSystem()
    const body = Buffer.from(nextFile()).toString()
    const { status, json } = await withFailingTrigger(
      failingApp.deps,
      'insert on switches',
      'true',
      () => failingApp.ask('POST /v2/systems/@me/import', { as: to, body }),
    )
    expect([status, json.message]).toEqual([500, '500: Internal Server Error'])
    expect(failingApp.logged()).toContain('stopped by the test')
    expect(failingApp.logged()).not.toMatch(/firsta|private word/)
  })

  test.each([
    ['members', 'member_limit', 40007],
    ['groups', 'group_limit', 40008],
  ])('changes nothing when the file has too many %s', async (_, limit, code) => {
    const to = await failingApp.makeSystem()
    await setLimit(to, limit, 0)
    const before = await readAllRows(failingApp.deps.db)
    expect(await errorOf(importInto(failingApp, to, nextFile()))).toMatchObject({ code })
    expect(await readAllRows(failingApp.deps.db)).toEqual(before)
  })

  test('does not count existing members twice against the limit', async () => {
    const to = await failingApp.makeSystem()
    await importInto(failingApp, to, nextFile())
    await setLimit(to, 'member_limit', 1)
    expect(counts(await importInto(failingApp, to, nextFile()))[0]).toBe('0 0 2 0')
    const more = pluralkit({ members: [{ name: 'First' }, { name: 'Third' }] })
    expect(await errorOf(importInto(failingApp, to, more))).toMatchObject({ code: 40007 })
  })

  function setLimit({ id }: TestSystem, limit: string, value: number): Promise<void> {
    const sql = `update settings set ${limit} = :value where system_id = :id`
    return failingApp.deps.transact('new', (tx) => execute(tx, sql, { value, id }))
  }
})

/** Parses "added changed unchanged left_out". */
function tallyOf(text: string): Tally {
  const [added = 0, changed = 0, unchanged = 0, left_out = 0] = text.split(' ').map(Number)
  return { added, changed, unchanged, left_out }
}
