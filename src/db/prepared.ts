import type { Db } from './types'

/** Caches a prepared query per database handle. */
export function prepared<T>(build: (db: Db) => T): (db: Db) => T {
  const cache = new WeakMap<Db, T>()
  let lastDb: Db | undefined
  let last: T
  return (db) => {
    if (db === lastDb) return last
    const cached = cache.get(db)
    last = cached === undefined ? build(db) : cached
    if (cached === undefined) cache.set(db, last)
    lastDb = db
    return last
  }
}
