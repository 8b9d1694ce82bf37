import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { RenderJson } from '../../model/renderedJson'
import { ofServer } from '../dialect'
import type { Db, Driver, Value } from '../handle'

/** How a handle reaches the server. */
export type Ask = <Row>(sql: string, values: Value[], shape?: 'lists') => Promise<Row[]>

/**
 * Drizzle builds its queries for the file. What it selects, changes and deletes is the same on the
 * server once the placeholders have numbers, so there is one set of tables; what it inserts is not,
 * and nothing is inserted by it (`db/rows.ts`).
 */
export function createDb(ask: Ask, render?: RenderJson, onMark?: Driver['onMark']): Db {
  const numbered = new Map<string, string>()
  const numberPlaces = (sql: string) => {
    const known = numbered.get(sql)
    if (known !== undefined) return known
    let at = 0
    // What stands between quotation marks is no placeholder.
    const spelled = sql.replaceAll(/'(?:[^']|'')*'|"[^"]*"|\?/g, (part) =>
      part === '?' ? `$${++at}` : part,
    )
    if (numbered.size < MOST_KNOWN) numbered.set(sql, spelled)
    return spelled
  }
  const db = drizzle(async (sql, params, method) => {
    const rows = await ask<unknown[]>(numberPlaces(sql), params, 'lists')
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
  return Object.assign(db, { driver: driverOf(ask, onMark), render })
}

const MOST_KNOWN = 1000

function driverOf(ask: Ask, onMark: Driver['onMark']): Driver {
  return {
    dialect: ofServer,
    query: <Row>(sql: string) => ({
      get: async (values: Value[]) => (await ask<Row>(sql, values))[0] ?? null,
      all: (values: Value[]) => ask<Row>(sql, values),
      run: (values: Value[]) => ask<Row>(sql, values),
    }),
    ...(onMark && { onMark }),
  }
}
