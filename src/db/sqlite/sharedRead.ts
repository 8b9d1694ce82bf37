import type { Database } from 'bun:sqlite'

/**
 * One snapshot for all statements of a request, and for requests that arrived before it began.
 * Without it, SQLite's locks for each statement would take longer than the statement.
 */
export interface SharedRead {
  /**
   * Joins or begins the shared read. Returns a version, which differs if the database has changed
   * since.
   */
  begin(): number
  /**
   * Ends the snapshot: before a commit, so that the log can be checkpointed, and when a request
   * arrives. Bun accepts connections within one turn of the event loop, so the request may have been
   * sent after another process committed something that the snapshot does not have.
   */
  end(): void
}

const UNKNOWN = -1

export function createSharedRead(reader: Database): SharedRead {
  const begin = reader.query('BEGIN')
  const commit = reader.query('COMMIT')
  const rollback = reader.query('ROLLBACK')
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let isOpen = false
  let version = UNKNOWN

  const end = () => {
    // A read that failed on the disk has ended the transaction already.
    if (isOpen && reader.inTransaction) commitOrRollback()
    isOpen = false
  }

  const commitOrRollback = () => {
    try {
      commit.run()
    } catch {
      // Fails after a read of a damaged page. A rollback loses nothing, because nothing was written.
      if (reader.inTransaction) rollback.run()
    }
  }

  return {
    begin() {
      if (isOpen) return version
      begin.run()
      isOpen = true
      setImmediate(end)
      version = UNKNOWN
      version = counter.get()?.data_version ?? UNKNOWN
      return version
    },
    end,
  }
}
