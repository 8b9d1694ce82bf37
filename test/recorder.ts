import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Db } from '../src/db/handle'
import type { Value } from '../src/db/statement'
import * as tables from '../src/db/tables'

/** Gives handles on the same connections that note each statement when it runs. */
export function createRecorder() {
  const ran: string[] = []
  const recorded = new WeakMap<Db, Db>()
  const note = (statement: string) => void ran.push(statement)

  const recording = (db: Db): Db => {
    const known = recorded.get(db)
    if (known) return known
    const made = drizzle(db.$client, { schema: tables, logger: { logQuery: note } })
    Object.defineProperty(made, '$client', { value: notingClient(db.$client, note) })
    recorded.set(db, made)
    return made
  }

  return { ran, recording }
}

/** The hottest statements go past Drizzle, straight to the connection. */
function notingClient(client: Database, note: (statement: string) => void): Database {
  return Object.create(client, {
    query: {
      value: (statement: string) => {
        const prepared = client.query<unknown, Value[]>(statement)
        const noted =
          <T>(run: (...values: Value[]) => T) =>
          (...values: Value[]) => {
            note(statement)
            return run.apply(prepared, values)
          }
        return { get: noted(prepared.get), all: noted(prepared.all), run: noted(prepared.run) }
      },
    },
  })
}
