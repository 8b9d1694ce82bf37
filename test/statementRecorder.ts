import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type AsyncRemoteCallback, drizzle as drizzleServer } from 'drizzle-orm/sqlite-proxy'
import { sqliteDialect } from '../src/db/dialect'
import type { Db, Driver, Query, Value } from '../src/db/types'

/** Gives handles on the same connections that note each statement that runs, and the rows of lists. */
export function createRecorder() {
  const ran: string[] = []
  const loaded: unknown[] = []
  const recorded = new WeakMap<Db, Db>()
  const note = (statement: string) => void ran.push(statement)

  const recording = (db: Db): Db => {
    const known = recorded.get(db)
    if (known) return known
    const logger = { logQuery: note }
    const made = Object.assign(builderOn(db, logger), {
      driver: notingDriver(db.driver, note, loaded),
    })
    recorded.set(db, made)
    return made
  }

  return { ran, loaded, recording }
}

function builderOn(db: Db, logger: { logQuery(statement: string): void }) {
  if (db.driver.dialect === sqliteDialect) return drizzle(fileOf(db), { logger })
  // Only its types hide how it reaches the server.
  const { session } = db as { session?: { client?: AsyncRemoteCallback } }
  if (!session?.client) throw new Error('there is no server')
  return drizzleServer(session.client, { logger })
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
          const keep = (given: unknown) => void (Array.isArray(given) && loaded.push(...given))
          if (rows instanceof Promise) rows.then(keep, () => {})
          else keep(rows)
          return rows
        }
      return { get: noted(query.get), all: noted(query.all), run: noted(query.run) }
    },
  }
}
