import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { RenderJson } from '../../model/renderedJson'
import { postgresDialect } from '../dialect'
import type { Db, Driver, Value } from '../types'

/** How a handle reaches the server. */
export type RunQuery = <Row>(sql: string, values: Value[], shape?: 'lists') => Promise<Row[]>

/**
 * Drizzle builds its queries for the file. What it selects, changes and deletes is the same on the
 * server once the placeholders have numbers, so there is one set of tables; what it inserts is not,
 * and nothing is inserted by it (`db/rows.ts`).
 */
export function createDb(
  runQuery: RunQuery,
  renderJson?: RenderJson,
  onCounter?: Driver['onCounter'],
): Db {
  const numbered = new Map<string, string>()
  const numberPlaces = (sql: string) => {
    const known = numbered.get(sql)
    if (known !== undefined) return known
    let at = 0
    // What stands between quotation marks is no placeholder.
    const spelled = sql.replaceAll(/'(?:[^']|'')*'|"[^"]*"|\?/g, (part) =>
      part === '?' ? `$${++at}` : part,
    )
    if (numbered.size < MAX_CACHED) numbered.set(sql, spelled)
    return spelled
  }
  const db = drizzle(async (sql, params, method) => {
    const rows = await runQuery<unknown[]>(numberPlaces(sql), params, 'lists')
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
  return Object.assign(db, { driver: driverOf(runQuery, onCounter), renderJson })
}

const MAX_CACHED = 1000

function driverOf(runQuery: RunQuery, onCounter: Driver['onCounter']): Driver {
  return {
    dialect: postgresDialect,
    query: <Row>(sql: string) => ({
      get: async (values: Value[]) => (await runQuery<Row>(sql, values))[0] ?? null,
      all: (values: Value[]) => runQuery<Row>(sql, values),
      run: (values: Value[]) => runQuery<Row>(sql, values),
    }),
    ...(onCounter && { onCounter }),
  }
}
