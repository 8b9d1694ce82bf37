import type { Database } from 'bun:sqlite'

/** Detects what other processes wrote to the database. */
export interface ChangeNotifier {
  /** Calls the listener ten times a second; `isNew` if there may be new events or counters. */
  onTick(listener: (isNew: boolean) => void): void
  start(): void
  stop(): void
}

export const POLL_MS = 100

/** Polls at a fixed interval and calls all listeners. */
export function createPoller(poll: () => boolean): ChangeNotifier {
  const listeners: ((isNew: boolean) => void)[] = []
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    onTick: (listener) => void listeners.push(listener),
    start() {
      timer = setInterval(() => {
        const isNew = poll()
        for (const listener of listeners) listener(isNew)
      }, POLL_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}

/** Polls SQLite's counter of changes by other connections. */
export function watchSqlite(reader: Database): ChangeNotifier {
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let version: number | undefined
  return createPoller(() => {
    try {
      const before = version
      version = counter.get()?.data_version
      return version !== before
    } catch {
      // The next read reports the error.
      return true
    }
  })
}

/** Never reports a change; for building the API document without a database. */
export const noChanges: ChangeNotifier = { onTick: () => {}, start: () => {}, stop: () => {} }
