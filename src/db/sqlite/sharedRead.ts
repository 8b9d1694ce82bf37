import type { Database } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import { counterValue } from '../changeCounters'
import { sqliteDialect } from '../dialect'
import { toText } from '../query'

/**
 * One snapshot for all statements of a request, and for requests that arrived before it began.
 * Without it, SQLite's locks for each statement would take longer than the statement.
 */
export interface SharedRead {
  /** Begins the shared read, or joins the one that is open. */
  begin(): void
  /**
   * Ends the snapshot: before a commit, so that the log can be checkpointed, and when a request
   * arrives. Bun accepts connections within one turn of the event loop, so the request may have been
   * sent after another process committed something that the snapshot does not have.
   */
  end(): void
  /** Returns the version of the credentials that a read would see now. */
  credentialsVersion(): number
}

/** SQL text, because the reader is no database handle. */
const { text: COUNTER_SQL } = toText(
  sql`select ${counterValue('credentials')} as value`,
  sqliteDialect,
)

export function createSharedRead(reader: Database): SharedRead {
  const begin = reader.query('BEGIN')
  const commit = reader.query('COMMIT')
  const rollback = reader.query('ROLLBACK')
  const dataVersion = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  const counter = reader.query<{ value: number }, []>(COUNTER_SQL)
  let isOpen = false
  /** True if the read ends with this turn of the event loop. */
  let isEndScheduled = false
  /** True if the version was read in the open snapshot. */
  let isVersionKnown = false
  let version = 0
  /** Differs after any change of data, so that the counter is read only then. */
  let countedAt: number | undefined

  const end = () => {
    // A read that failed on the disk has ended the transaction already.
    if (isOpen && reader.inTransaction) commitOrRollback()
    isOpen = false
  }

  const endTurn = () => {
    isEndScheduled = false
    end()
  }

  const commitOrRollback = () => {
    try {
      commit.run()
    } catch {
      // Fails after a read of a damaged page. A rollback loses nothing, because nothing was written.
      if (reader.inTransaction) rollback.run()
    }
  }

  const readVersion = () => {
    const current = dataVersion.get()?.data_version
    if (current !== countedAt) version = counter.get()?.value ?? 0
    countedAt = current
  }

  return {
    begin() {
      if (isOpen) return
      begin.run()
      isOpen = true
      isVersionKnown = false
      // Once per turn, in which every request begins a read of its own.
      if (!isEndScheduled) setImmediate(endTurn)
      isEndScheduled = true
    },
    end,
    credentialsVersion() {
      if (!isOpen || !isVersionKnown) readVersion()
      isVersionKnown = isOpen
      return version
    },
  }
}
