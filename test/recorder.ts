import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Db, Driver, Query, Value } from '../src/db/handle'

/** Gives handles on the same connections that note each statement that runs, and the rows of lists. */
export function createRecorder() {
  const ran: string[] = []
  const loaded: unknown[] = []
  const recorded = new WeakMap<Db, Db>()
  const note = (statement: string) => void ran.push(statement)

  const recording = (db: Db): Db => {
    const known = recorded.get(db)
    if (known) return known
    const made = Object.assign(drizzle(fileOf(db), { logger: { logQuery: note } }), {
      driver: notingDriver(db.driver, note, loaded),
    })
    recorded.set(db, made)
    return made
  }

  return { ran, loaded, recording }
}

/** The connection to the file that a handle stands on. */
export function fileOf(db: Db): Database {
  if ('$client' in db && db.$client instanceof Database) return db.$client
  throw new Error('there is no file')
}

/** The hottest statements go past Drizzle, straight to the connection. */
function notingDriver(
  driver: Driver,
  note: (statement: string) => void,
  loaded: unknown[],
): Driver {
  return {
    ...driver,
    query<Row>(statement: string): Query<Row> {
      const query = driver.query<Row>(statement)
      const noted =
        <T>(run: (values: Value[]) => T) =>
        (values: Value[]) => {
          note(statement)
          const rows = run.call(query, values)
          if (Array.isArray(rows)) loaded.push(...rows)
          return rows
        }
      return { get: noted(query.get), all: noted(query.all), run: noted(query.run) }
    },
  }
}
