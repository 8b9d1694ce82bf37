import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { Db, Value } from '../../src/db/types'

/** Returns Drizzle's database on a handle, so that a test can run any query at once. */
export function drizzleOn({ driver }: Db) {
  return drizzle(async (sql, values: Value[], method) => {
    let at = 0
    const text = sql.replaceAll('?', () => driver.dialect.placeholder(++at))
    const found = await driver.query<Record<string, unknown>>(text).all(values)
    const rows = found.map((row) => Object.values(row))
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
}
