import type { Database } from 'bun:sqlite'

/** Tells of what other processes wrote, who cannot tell by themselves. */
export interface Pulse {
  /** Called ten times a second, with whether there may be events or marks since the last time. */
  onBeat(listener: (isNew: boolean) => void): void
  start(): void
  stop(): void
}

export const BEAT_MS = 100

/** Looks every so often, and tells everybody who listens. */
export function createPulse(look: () => boolean): Pulse {
  const listeners: ((isNew: boolean) => void)[] = []
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    onBeat: (listener) => void listeners.push(listener),
    start() {
      timer = setInterval(() => {
        const isNew = look()
        for (const listener of listeners) listener(isNew)
      }, BEAT_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}

/** SQLite counts what others write to the file. */
export function watchFile(reader: Database): Pulse {
  const counter = reader.query<{ data_version: number }, []>('PRAGMA data_version')
  let seen: number | undefined
  return createPulse(() => {
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
export const noPulse: Pulse = { onBeat: () => {}, start: () => {}, stop: () => {} }
