import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { exportsOf, problemsOf } from '../postgres/fullDatabase'
import { run } from '../runInProcess'
import { emptyFolder } from '../serverProcess'
import { describe, expect, test } from '../test'
import { makeOlder } from './olderDatabase'
import {
  asSortedText,
  exportsOfToday,
  insertPrevious,
  previous,
  rowsInStandardNames,
} from './previousNames'

const lastBefore = migrations.findIndex(({ name }) => name === '0013_standard_names')

/** A database with data in every table, as the version before the standard names left it. */
async function makePrevious() {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  const database = makeOlder(path, lastBefore)
  await insertPrevious(
    (sql, values) => database.query(sql).run(...values),
    () => '?',
  )
  database.close()
  return { cwd, path, env: { DATABASE_URL: `file:${path}` } }
}

function rowsIn(path: string, tables: readonly string[]): Record<string, string[]> {
  const database = new Database(path, { readonly: true })
  const found = tables.map((table) => [
    table,
    asSortedText(database.query<object, []>(`SELECT * FROM ${table}`).all()),
  ])
  database.close()
  return Object.fromEntries(found)
}

describe('upgrade of a SQLite database to standard table names', () => {
  test('starts from a database with data in every table', () => {
    const empty = Object.entries(previous.rows).filter(([, rows]) => rows.length === 0)
    expect(empty).toEqual([])
  })

  test('keeps every row and every export', async () => {
    const { cwd, path, env } = await makePrevious()
    expect((await run(['migrate'], { cwd, env })).code).toBe(0)
    const expected = rowsInStandardNames()
    expect(rowsIn(path, Object.keys(expected))).toEqual(expected)
    const exported = Object.entries(await exportsOf(`file:${path}`))
    expect(Object.fromEntries(exported.map(([hid, text]) => [hid, JSON.parse(text)]))).toEqual(
      exportsOfToday(),
    )
    expect(await problemsOf(`file:${path}`)).toEqual([])
  })
})
