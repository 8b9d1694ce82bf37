import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { RenderJson } from '../../model/renderedJson'
import { postgresDialect } from '../dialect'
import { noRenderer } from '../renderedJson'
import { postgresTextDialect } from '../textDialect'
import type { Db, Driver, Value } from '../types'
import { replaceUnquoted } from '../unquotedSql'

/** Runs one statement; `lists` returns rows as arrays of values. */
export type RunQuery = <Row>(sql: string, values: Value[], shape?: 'lists') => Promise<Row[]>

/**
 * Drizzle builds queries for SQLite. Its selects, updates and deletes run on PostgreSQL once their
 * placeholders are numbered, so one set of tables is enough. Its inserts do not, so rows are
 * inserted by `db/rows.ts`.
 */
export function createDb(
  runQuery: RunQuery,
  renderJson: RenderJson = noRenderer,
  onCounter?: Driver['onCounter'],
): Db {
  const numbered = new Map<string, string>()
  const numberPlaceholders = (sql: string) => {
    const cached = numbered.get(sql)
    if (cached !== undefined) return cached
    let at = 0
    const withNumbers = replaceUnquoted(sql, /\?/, () => `$${++at}`)
    if (numbered.size < MAX_CACHED) numbered.set(sql, withNumbers)
    return withNumbers
  }
  const db = drizzle(async (sql, params, method) => {
    const rows = await runQuery<unknown[]>(numberPlaceholders(sql), params, 'lists')
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
  return Object.assign(db, { driver: driverOf(runQuery, onCounter), renderJson })
}

const MAX_CACHED = 1000

function driverOf(runQuery: RunQuery, onCounter: Driver['onCounter']): Driver {
  return {
    dialect: postgresDialect,
    textDialect: postgresTextDialect,
    query: <Row>(sql: string) => ({
      get: async (values: Value[]) => (await runQuery<Row>(sql, values))[0] ?? null,
      all: (values: Value[]) => runQuery<Row>(sql, values),
      run: (values: Value[]) => runQuery<Row>(sql, values),
    }),
    ...(onCounter && { onCounter }),
  }
}
