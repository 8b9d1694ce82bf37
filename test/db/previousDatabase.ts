import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { emptyFolder } from '../tools/serverProcess'
import { makeOlder } from './olderDatabase'
import { asSortedText, insertPrevious } from './previousNames'

const lastBefore = migrations.findIndex(({ name }) => name === '0013_standard_names')

/** A database with data in every table, as the version before the standard names left it. */
export async function makePrevious() {
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

/** Reads the rows of each table, as sorted texts. */
export function rowsIn(path: string, tables: readonly string[]): Record<string, string[]> {
  const database = new Database(path, { readonly: true })
  const found = tables.map((table) => [
    table,
    asSortedText(database.query<object, []>(`SELECT * FROM ${table}`).all()),
  ])
  database.close()
  return Object.fromEntries(found)
}
