import type { Db } from './handle'
import { prepared } from './prepared'

export type Value = string | number | null

/** Awaited by its callers like every storage call, though this driver answers at once. */
export interface Hot<T> {
  get(...values: Value[]): T | null
  all(...values: Value[]): T[]
  run(...values: Value[]): unknown
}

/**
 * SQL written out, in which `:name` stands for a value; the values are given in the order of the
 * names. For the hottest reads: Drizzle's own prepared queries spend as long on their placeholders
 * as SQLite on the answer.
 */
export function statement<T>(
  names: readonly string[],
  text: string | (() => string),
): (db: Db) => Hot<T> {
  // Of hundreds of statements few are ever run, so each is spelled when it first is.
  return prepared((db): Hot<T> => {
    const sql = typeof text === 'string' ? text : text()
    return db.$client.query<T, Value[]>(
      sql.replaceAll(/:([a-z]\w*)/g, (_, name: string) => `?${names.indexOf(name) + 1}`),
    )
  })
}
