import type { RateLimits } from '../config'

export type Scope = keyof RateLimits

/** How a request fares: the numbers of its `X-RateLimit-*` headers. */
export interface Allowance {
  readonly scope: Scope
  readonly limit: number
  readonly remaining: number
  /** UNIX time in seconds at which the whole limit is free again. */
  readonly reset: number
  /** Milliseconds to wait; null when the request may pass. */
  readonly retryAfter: number | null
}

const WINDOW_MS = 1000
const MOST_CLIENTS = 100_000
/** Thirds and sevenths of a second do not add up to a whole one exactly. */
const ROUNDING_MS = 0.01

/**
 * A token bucket per client and scope, kept as one number: the time at which the bucket is full
 * again. A bucket that is full is as good as forgotten, so two generations of a second each
 * replace timers and bound the memory.
 */
export function createRateLimiter(limits: RateLimits) {
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let turnedAt = 0
  /** Times are counted from the first request: such small numbers keep their fractions. */
  let start: number | undefined

  return (scope: Scope, client: string, wallClock: number): Allowance => {
    start ??= wallClock
    const now = wallClock - start
    if (Math.abs(now - turnedAt) > WINDOW_MS || young.size >= MOST_CLIENTS) {
      old = young
      young = new Map()
      turnedAt = now
    }
    const limit = limits[scope]
    const cost = WINDOW_MS / limit
    const key = `${scope} ${client}`
    // A clock that was set back must not leave anybody waiting for longer than the window.
    const known = Math.min(young.get(key) ?? old.get(key) ?? now, now + WINDOW_MS)
    const fullAt = Math.max(known, now)
    const debt = fullAt + cost - now
    const passes = debt <= WINDOW_MS + ROUNDING_MS
    const next = passes ? fullAt + cost : fullAt
    young.set(key, next)
    return {
      scope,
      limit,
      remaining: passes ? Math.max(0, Math.floor((WINDOW_MS - debt + ROUNDING_MS) / cost)) : 0,
      reset: Math.ceil((start + next - ROUNDING_MS) / 1000),
      retryAfter: passes ? null : Math.max(1, Math.ceil(debt - WINDOW_MS - ROUNDING_MS)),
    }
  }
}
