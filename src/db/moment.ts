import type { Database } from 'bun:sqlite'

/**
 * The reads of one moment, which are those of all requests that arrived together, share one
 * snapshot: SQLite's locks for each of them would cost more than a small answer.
 */
export interface Moment {
  /** Joins the moment, or begins it. Another number than before: something was written since. */
  join(): number
  /** Before anything is committed, so that the next read sees it and the log can be folded in. */
  end(): void
}

export function createMoment(reader: Database): Moment {
  const begin = reader.query('BEGIN')
  const finish = reader.query('COMMIT')
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let isOpen = false
  let version = 0

  const end = () => {
    if (isOpen) finish.run()
    isOpen = false
  }

  return {
    join() {
      if (isOpen) return version
      begin.run()
      isOpen = true
      setImmediate(end)
      version = counter.get()?.data_version ?? 0
      return version
    },
    end,
  }
}
