import type { Database } from 'bun:sqlite'

/**
 * One snapshot for all statements of a request, and for requests that are admitted together after
 * they have arrived: SQLite's locks for each statement would take longer than the statement.
 */
export interface SharedRead {
  /** Joins the shared read, or begins it. Another number than before: something was written since. */
  begin(): number
  /**
   * Ends the snapshot: before a commit, so that the log can be folded in, and when a request arrives.
   * Bun accepts connections within one turn of the event loop, so the request may have been sent
   * after another process committed something that the snapshot does not have.
   */
  end(): void
}

const UNKNOWN = -1

export function createSharedRead(reader: Database): SharedRead {
  const begin = reader.query('BEGIN')
  const finish = reader.query('COMMIT')
  const abandon = reader.query('ROLLBACK')
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let isOpen = false
  let version = UNKNOWN

  const end = () => {
    // A read that fails on the disk has ended it already.
    if (isOpen && reader.inTransaction) leave()
    isOpen = false
  }

  const leave = () => {
    try {
      finish.run()
    } catch {
      // After a read that met a damaged page. Nothing was written that could be lost.
      if (reader.inTransaction) abandon.run()
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
