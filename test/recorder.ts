import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Db } from '../src/db/handle'
import type { Value } from '../src/db/statement'

/** Gives handles on the same connections that note each statement that runs, and the rows of lists. */
export function createRecorder() {
  const ran: string[] = []
  const loaded: unknown[] = []
  const recorded = new WeakMap<Db, Db>()
  const note = (statement: string) => void ran.push(statement)

  const recording = (db: Db): Db => {
    const known = recorded.get(db)
    if (known) return known
    const made = drizzle(db.$client, { logger: { logQuery: note } })
    Object.defineProperty(made, '$client', { value: notingClient(db.$client, note, loaded) })
    recorded.set(db, made)
    return made
  }

  return { ran, loaded, recording }
}

/** The hottest statements go past Drizzle, straight to the connection. */
function notingClient(
  client: Database,
  note: (statement: string) => void,
  loaded: unknown[],
): Database {
  return Object.create(client, {
    query: {
      value: (statement: string) => {
        const prepared = client.query<unknown, Value[]>(statement)
        const noted =
          <T>(run: (...values: Value[]) => T) =>
          (...values: Value[]) => {
            note(statement)
            const rows = run.apply(prepared, values)
            if (Array.isArray(rows)) loaded.push(...rows)
            return rows
          }
        return { get: noted(prepared.get), all: noted(prepared.all), run: noted(prepared.run) }
      },
    },
  })
}
