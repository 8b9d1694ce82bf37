import type { Db, Driver, Query, Value } from '../../src/db/types'

/** Creates handles on existing connections that record each statement and the rows of lists. */
export function createRecorder() {
  const statements: string[] = []
  const loaded: unknown[] = []
  const recorded = new WeakMap<Db, Db>()
  const record = (statement: string) => void statements.push(statement)

  const recordStatements = (db: Db): Db => {
    const cached = recorded.get(db)
    if (cached) return cached
    const recorder = { ...db, driver: recordingDriver(db.driver, record, loaded) }
    recorded.set(db, recorder)
    return recorder
  }

  return { statements, loaded, recordStatements }
}

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
