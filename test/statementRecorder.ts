import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type AsyncRemoteCallback, drizzle as drizzleServer } from 'drizzle-orm/sqlite-proxy'
import { sqliteTextDialect } from '../src/db/textDialect'
import type { Db, Driver, Query, Value } from '../src/db/types'

/** Creates handles on existing connections that record each statement and the rows of lists. */
export function createRecorder() {
  const statements: string[] = []
  const loaded: unknown[] = []
  const recorded = new WeakMap<Db, Db>()
  const record = (statement: string) => void statements.push(statement)

  const recordStatements = (db: Db): Db => {
    const cached = recorded.get(db)
    if (cached) return cached
    const logger = { logQuery: record }
    const recorder = Object.assign(builderOn(db, logger), {
      driver: recordingDriver(db.driver, record, loaded),
      renderJson: db.renderJson,
    })
    recorded.set(db, recorder)
    return recorder
  }

  return { statements, loaded, recordStatements }
}

function builderOn(db: Db, logger: { logQuery(statement: string): void }) {
  if (db.driver.textDialect === sqliteTextDialect) return drizzle(fileOf(db), { logger })
  // The client exists at run time; only the types hide it.
  const { session } = db as { session?: { client?: AsyncRemoteCallback } }
  if (!session?.client) throw new Error('there is no server')
  return drizzleServer(session.client, { logger })
}

/** Returns the SQLite connection of a handle. */
export function fileOf(db: Db): Database {
  if ('$client' in db && db.$client instanceof Database) return db.$client
  throw new Error('there is no file')
}

/** Records statements that use the driver directly, without Drizzle. */
function recordingDriver(
  driver: Driver,
  record: (statement: string) => void,
  loaded: unknown[],
): Driver {
  return {
    ...driver,
    query<Row>(statement: string): Query<Row> {
      const query = driver.query<Row>(statement)
      const recordCall =
        <T>(run: (values: Value[]) => T) =>
        (values: Value[]) => {
          record(statement)
          const rows = run.call(query, values)
          const addRows = (result: unknown) =>
            void (Array.isArray(result) && loaded.push(...result))
          if (rows instanceof Promise) rows.then(addRows, () => {})
          else addRows(rows)
          return rows
        }
      return { get: recordCall(query.get), all: recordCall(query.all), run: recordCall(query.run) }
    },
  }
}
