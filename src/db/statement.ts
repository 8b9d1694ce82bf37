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
export function statement<T>(names: readonly string[], text: string): (db: Db) => Hot<T> {
  const sql = text.replaceAll(/:([a-z]\w*)/g, (_, name: string) => `?${names.indexOf(name) + 1}`)
  return prepared((db): Hot<T> => db.$client.prepare<T, Value[]>(sql))
}

/** How long another process's write may go unnoticed here. */
const GLANCE_MS = 5

interface Glance {
  at: number
  version: number
}

/**
 * What may be remembered until anything is written, by whomever. Writes of this process are known
 * at once (`noteWrite`), those of others at the next glance at SQLite's own counter, which is too
 * dear for every request.
 */
export function sinceLastWrite<M extends Map<unknown, unknown>>(db: Db, memory: (db: Db) => M): M {
  const remembered = memory(db)
  const glance = glanceOf(db)
  const now = performance.now()
  if (now - glance.at < GLANCE_MS) return remembered
  const version = dataVersion(db)()
  if (version !== glance.version) remembered.clear()
  glance.at = now
  glance.version = version
  return remembered
}

/** This process has written: whatever is remembered must be looked at again. */
export function noteWrite(reader: Db): void {
  glanceOf(reader).at = Number.NEGATIVE_INFINITY
}

const glanceOf = prepared((): Glance => ({ at: Number.NEGATIVE_INFINITY, version: -1 }))

/** A number that changes whenever another connection has written, and only then. */
const dataVersion = prepared((db) => {
  const made = db.$client.prepare<{ data_version: number }, []>('PRAGMA data_version')
  return () => made.get()?.data_version ?? 0
})
