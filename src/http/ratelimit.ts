import type { Config, RateLimits } from '../config'
import type { Log } from '../log'
import type { TokenOwner } from '../service/access/types'
import type { Caller } from './authenticate'
import { findClient } from './clientAddress'

export type Scope = keyof RateLimits

/** Rate limit of a request, as its `X-RateLimit-*` headers report it. */
export interface Allowance {
  readonly scope: Scope
  readonly remaining: number
  /** UNIX time in seconds at which the full limit is available again. */
  readonly reset: number
  /** Milliseconds to wait; null if the request is allowed. */
  readonly retryAfter: number | null
}

/** Key that requests are counted by: the row ID of a system, or an address. */
type ClientKey = number | string

const WINDOW_MS = 1000
/** Limit per generation and scope; more clients than can be served within a window. */
const MAX_CLIENTS = 20_000
/** Tolerance, because thirds and sevenths of a second do not add up to exactly one second. */
const MAX_ROUNDING_MS = 0.01

/**
 * Creates a token bucket per client and scope, stored as one number: the time at which the bucket is
 * full again. A full bucket needs no entry, so two generations of one second each replace timers and
 * bound the memory.
 */
export function createRateLimiter(limits: RateLimits) {
  let young = createGeneration()
  let old = createGeneration()
  let rotatedAt = 0
  /** Times are relative to the first request, because small numbers keep their fractions. */
  let start: number | undefined

  return (scope: Scope, client: ClientKey, wallClock: number): Allowance => {
    start ??= wallClock
    const now = wallClock - start
    if (Math.abs(now - rotatedAt) > WINDOW_MS || young[scope].size >= MAX_CLIENTS) {
      old = young
      young = createGeneration()
      rotatedAt = now
    }
    const cost = WINDOW_MS / limits[scope]
    // Must stay below the cost of one request.
    const rounding = Math.min(MAX_ROUNDING_MS, cost / 10)
    // If the clock was set back, no client may wait for longer than the window.
    const known = Math.min(
      young[scope].get(client) ?? old[scope].get(client) ?? now,
      now + WINDOW_MS,
    )
    const fullAt = Math.max(known, now)
    const debt = fullAt + cost - now
    const isAllowed = debt <= WINDOW_MS + rounding
    const next = isAllowed ? fullAt + cost : fullAt
    young[scope].set(client, next)
    return {
      scope,
      remaining: isAllowed ? Math.max(0, Math.floor((WINDOW_MS - debt + rounding) / cost)) : 0,
      reset: Math.ceil((start + next - rounding) / 1000),
      retryAfter: isAllowed ? null : Math.max(1, Math.ceil(debt - WINDOW_MS - rounding)),
    }
  }
}

function createGeneration(): Record<Scope, Map<ClientKey, number>> {
  return { generic_get: new Map(), message: new Map(), generic_update: new Map() }
}

/** Counts a request by the system that it refers to, if any; returns null for unlimited callers. */
type RequestLimit = (
  request: Request,
  scope: Scope,
  systemRef: string | null,
  caller: Caller,
  peer: () => string,
) => Allowance | null

export function createRequestLimit(
  { RATE_LIMIT, TRUST_PROXY }: Pick<Config, 'RATE_LIMIT' | 'TRUST_PROXY'>,
  log: Pick<Log, 'warn'>,
): RequestLimit {
  if (RATE_LIMIT === null) return () => null
  const limiter = createRateLimiter(RATE_LIMIT)
  let hasWarnedOfProxy = false
  return ({ headers }, scope, systemRef, { kind, system }, peer) => {
    if (kind === 'bot') return null
    const client = findClient(peer, headers, TRUST_PROXY)
    if (client.isLocal) return null
    if (!hasWarnedOfProxy && TRUST_PROXY === 0 && headers.has('x-forwarded-for')) {
      hasWarnedOfProxy = true
      log.warn('proxied request received while TRUST_PROXY is 0: its clients share one rate limit')
    }
    const isOwn = system !== null && systemRef !== null && isRefOf(system, systemRef)
    return limiter(scope, isOwn ? system.id : client.address, Date.now())
  }
}

function isRefOf({ hid, uuid }: TokenOwner, systemRef: string): boolean {
  if (systemRef === '@me' || systemRef === hid) return true
  const ref = systemRef.toLowerCase()
  return ref.replace('-', '') === hid || ref === uuid
}
