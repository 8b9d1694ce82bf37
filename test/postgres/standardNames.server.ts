import { join } from 'node:path'
import { serverMigrations } from '../../src/db/migrations'
import {
  asSortedText,
  exportsOfToday,
  insertPrevious,
  rowsInStandardNames,
} from '../db/previousNames'
import { commandLine, emptyFolder } from '../tools/serverProcess'
import { describe, expect, withTimeout } from '../tools/test'
import { onServer } from './engine'
import { exportsOf, newDatabase, problemsOf } from './fullDatabase'

const { test } = withTimeout(240_000)

const { run, runJson } = commandLine()

/** A database with data in every table, as the version before the standard names left it. */
async function makePrevious(): Promise<string> {
  const address = await newDatabase()
  const [first] = serverMigrations
  await onServer(address, async (sql) => {
    await sql.unsafe('create table migrations (name text collate "C" primary key, applied text)')
    await sql.unsafe("comment on table migrations is 'Multitude'")
    await sql.unsafe(first?.sql ?? '').simple()
    await sql.unsafe('insert into migrations values ($1, $2)', [first?.name, 'before'])
    await insertPrevious(
      async (statement, values) => await sql.unsafe(statement, values),
      (position) => `$${position}`,
    )
    const sequences = await sql.unsafe(
      "select relname as name from pg_class where relkind = 'S' and relname like '%_id_seq'",
    )
    for (const { name } of sequences)
      await sql.unsafe(`select setval('${name}', greatest((
        select max(id) from ${name.replace('_id_seq', '')})::bigint, 1))`)
  })
  return address
}

function rowsIn(address: string, tables: readonly string[]): Promise<Record<string, string[]>> {
  return onServer(address, async (sql) => {
    const found: Record<string, string[]> = {}
    for (const table of tables)
      found[table] = asSortedText([...(await sql.unsafe(`select * from ${table}`))])
    return found
  })
}

async function parsedExports(address: string): Promise<Record<string, object>> {
  const files = Object.entries(await exportsOf(address))
  return Object.fromEntries(files.map(([hid, text]) => [hid, JSON.parse(text)]))
}

describe('upgrade of a PostgreSQL database to standard table names', () => {
  test('keeps every row and every export, also in a copy to a SQLite file', async () => {
    const address = await makePrevious()
    const cwd = emptyFolder()
    const { code, err } = await run(['migrate'], { cwd, env: { DATABASE_URL: address } })
    expect([code, err]).toEqual([0, expect.stringContaining('upgraded from 0012_operating')])
    const expected = rowsInStandardNames()
    expect(await rowsIn(address, Object.keys(expected))).toEqual(expected)
    expect(await parsedExports(address)).toEqual(exportsOfToday())
    expect(await problemsOf(address)).toEqual([])
    const file = `file:${join(cwd, 'copy.db')}`
    // A database with an unfinished import is not copied.
    await onServer(address, (sql) => sql.unsafe('delete from pending_imports'))
    await runJson(['copy', file], { cwd, env: { DATABASE_URL: address } })
    expect(await parsedExports(file)).toEqual(await parsedExports(address))
    expect(await problemsOf(file)).toEqual([])
  })

  test('is refused in one line while another node holds a lease', async () => {
    const address = await makePrevious()
    const cwd = emptyFolder()
    const here = { cwd, env: { DATABASE_URL: address } }
    const setLease = (until: string) =>
      onServer(address, (sql) =>
        sql.unsafe(`update leases set until = ${until}, holder = 'attic:77:uuid'`),
      )
    const before = await rowsIn(address, ['members', 'systems'])
    for (const command of [['migrate'], ['serve', '--port', '0']]) {
      await setLease('extract(epoch from clock_timestamp()) * 1000 + 59000')
      const { code, err } = await run(command, here)
      expect([command, code]).toEqual([command, 1])
      expect(err).toMatch(
        /cannot be upgraded to 0013_standard_names while another process uses it \(attic, process 77\): stop all servers/,
      )
      expect(err.trimEnd().split('\n')).toHaveLength(1)
    }
    expect(await rowsIn(address, ['members', 'systems'])).toEqual(before)
    await setLease('1')
    expect((await run(['migrate'], here)).code).toBe(0)
  })
})
