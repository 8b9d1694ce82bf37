const WINDOW_MS = 60_000
const MAX_FAILURES = 5
/** Limit of tracked clients; beyond it the oldest entry is dropped. */
const MAX_CLIENTS = 10_000

/** Counts recent failed logins by client. A correct token or code is always accepted. */
export interface LoginAttempts {
  /** Counts a failure; returns the milliseconds to wait after too many of them, else null. */
  add(client: string, now: number): number | null
}

export function createLoginAttempts(): LoginAttempts {
  const failures = new Map<string, { since: number; count: number }>()
  return {
    add(client, now) {
      const failure = failures.get(client)
      if (failure === undefined || now - failure.since >= WINDOW_MS) {
        failures.delete(client)
        failures.set(client, { since: now, count: 1 })
        const [oldest] = failures.keys()
        if (failures.size > MAX_CLIENTS && oldest !== undefined) failures.delete(oldest)
        return null
      }
      failure.count++
      return failure.count > MAX_FAILURES ? failure.since + WINDOW_MS - now : null
    },
  }
}
