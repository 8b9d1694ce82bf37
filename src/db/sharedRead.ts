import type { Database } from 'bun:sqlite'

/**
 * The requests that arrive in one turn of the event loop read from one snapshot: SQLite's locks for
 * each of them would take as long as a small answer.
 */
export interface SharedRead {
  /** Joins the shared read, or begins it. Another number than before: something was written since. */
  join(): number
  /** Before anything is committed, so that the next read sees it and the log can be folded in. */
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
    join() {
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
