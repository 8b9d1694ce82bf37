import type { Clock } from '../../runtime/timers/clock'

/**
 * Counter of 401, 403 and 429 responses. Discord bans an address after 10,000 in 10 minutes; at half
 * of it the client pauses everything but proxying.
 */
export interface InvalidRequests {
  count(): void
  /** Time until requests other than proxying may be sent; 0 if they may. */
  pauseMs(): number
}

export interface InvalidRequestLimit {
  readonly max: number
  readonly windowMs: number
}

/** The window is counted in this many parts, so that memory does not grow with the requests. */
const PARTS = 10

export function createInvalidRequests(
  { max, windowMs }: InvalidRequestLimit,
  clock: Clock,
): InvalidRequests {
  const partMs = windowMs / PARTS
  const parts: { readonly startsAt: number; count: number }[] = []

  const dropOld = (now: number) => {
    for (let first = parts[0]; first && first.startsAt + partMs + windowMs <= now; first = parts[0])
      parts.shift()
  }
  return {
    count() {
      const now = clock.monotonic()
      dropOld(now)
      const last = parts.at(-1)
      if (last && now < last.startsAt + partMs) last.count++
      else parts.push({ startsAt: now, count: 1 })
    },
    pauseMs() {
      const now = clock.monotonic()
      dropOld(now)
      let left = parts.reduce((sum, { count }) => sum + count, 0)
      for (const { startsAt, count } of parts) {
        if (left < max) return 0
        left -= count
        if (left < max) return startsAt + partMs + windowMs - now
      }
      return 0
    },
  }
}
