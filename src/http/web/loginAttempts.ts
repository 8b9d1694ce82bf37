const WINDOW_MS = 60_000
const MAX_FAILURES = 5
/** More than guess at once; beyond it the oldest are forgotten. */
const MAX_CLIENTS = 10_000

/** Who has shown wrong tokens and codes lately. A right one always comes in. */
export interface LoginAttempts {
  /** Counts one more; gives how many milliseconds to wait when they are too many, else null. */
  add(client: string, now: number): number | null
}

export function createLoginAttempts(): LoginAttempts {
  const counted = new Map<string, { since: number; count: number }>()
  return {
    add(client, now) {
      const known = counted.get(client)
      if (known === undefined || now - known.since >= WINDOW_MS) {
        counted.delete(client)
        counted.set(client, { since: now, count: 1 })
        const [oldest] = counted.keys()
        if (counted.size > MAX_CLIENTS && oldest !== undefined) counted.delete(oldest)
        return null
      }
      known.count++
      return known.count > MAX_FAILURES ? known.since + WINDOW_MS - now : null
    },
  }
}
