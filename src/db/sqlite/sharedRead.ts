import type { Database } from 'bun:sqlite'

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
  /** Returns a version of the data that a read would see now; it differs after any change. */
  version(): number
}

export function createSharedRead(reader: Database): SharedRead {
  const begin = reader.query('BEGIN')
  const commit = reader.query('COMMIT')
  const rollback = reader.query('ROLLBACK')
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let isOpen = false
  /** Whether the read ends with this turn of the event loop. */
  let isEndScheduled = false
  /** Version of the open snapshot; undefined until it is asked for. */
  let version: number | undefined

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

  const readVersion = () => counter.get()?.data_version ?? -1

  return {
    begin() {
      if (isOpen) return
      begin.run()
      isOpen = true
      version = undefined
      // Once per turn, in which every request begins a read of its own.
      if (!isEndScheduled) setImmediate(endTurn)
      isEndScheduled = true
    },
    end,
    version() {
      if (!isOpen) return readVersion()
      version ??= readVersion()
      return version
    },
  }
}
