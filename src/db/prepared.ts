import type { Db } from './types'

/** Keeps a query prepared once for each handle it is asked on. */
export function prepared<T>(build: (db: Db) => T): (db: Db) => T {
  const made = new WeakMap<Db, T>()
  let lastDb: Db | undefined
  let last: T
  return (db) => {
    if (db === lastDb) return last
    const known = made.get(db)
    last = known === undefined ? build(db) : known
    if (known === undefined) made.set(db, last)
    lastDb = db
    return last
  }
}
