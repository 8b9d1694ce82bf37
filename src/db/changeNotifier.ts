import type { Database } from 'bun:sqlite'

/** Tells of what other processes wrote, who cannot tell by themselves. */
export interface ChangeNotifier {
  /** Called ten times a second, with whether there may be events or marks since the last time. */
  onTick(listener: (isNew: boolean) => void): void
  start(): void
  stop(): void
}

export const POLL_MS = 100

/** Looks every so often, and tells everybody who listens. */
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

/** SQLite counts what others write to the file. */
export function watchSqlite(reader: Database): ChangeNotifier {
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let seen: number | undefined
  return createPoller(() => {
    try {
      const before = seen
      seen = counter.get()?.data_version
      return seen !== before
    } catch {
      // Whoever reads next finds out what is wrong with it.
      return true
    }
  })
}

/** For describing the rooms without doing anything. */
export const noChanges: ChangeNotifier = { onTick: () => {}, start: () => {}, stop: () => {} }
