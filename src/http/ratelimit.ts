import type { Config, RateLimits } from '../config'
import type { Log } from '../log'
import type { TokenOwner } from '../service/access/credentialCache'
import type { Caller } from './authenticate'
import { findClient } from './clientAddress'

export type Scope = keyof RateLimits

/** How a request fares: the numbers of its `X-RateLimit-*` headers. */
export interface Allowance {
  readonly scope: Scope
  readonly remaining: number
  /** UNIX time in seconds at which the whole limit is free again. */
  readonly reset: number
  /** Milliseconds to wait; null when the request may pass. */
  readonly retryAfter: number | null
}

/** Whom a request is counted for: a system by its row number, or an address. */
type ClientCounts = number | string

const WINDOW_MS = 1000
/** In one generation and scope; more than can be served within a window. */
const MAX_CLIENTS = 20_000
/** Thirds and sevenths of a second do not add up to a whole one exactly. */
const MOST_ROUNDING_MS = 0.01

/**
 * A token bucket per client and scope, kept as one number: the time at which the bucket is full
 * again. A bucket that is full is as good as forgotten, so two generations of a second each
 * replace timers and bound the memory.
 */
export function createRateLimiter(limits: RateLimits) {
  let young = createGeneration()
  let old = createGeneration()
  let turnedAt = 0
  /** Times are counted from the first request: such small numbers keep their fractions. */
  let start: number | undefined

  return (scope: Scope, client: ClientCounts, wallClock: number): Allowance => {
    start ??= wallClock
    const now = wallClock - start
    if (Math.abs(now - turnedAt) > WINDOW_MS || young[scope].size >= MAX_CLIENTS) {
      old = young
      young = createGeneration()
      turnedAt = now
    }
    const cost = WINDOW_MS / limits[scope]
    // Always less than one request.
    const rounding = Math.min(MOST_ROUNDING_MS, cost / 10)
    // A clock that was set back must not leave anybody waiting for longer than the window.
    const known = Math.min(
      young[scope].get(client) ?? old[scope].get(client) ?? now,
      now + WINDOW_MS,
    )
    const fullAt = Math.max(known, now)
    const debt = fullAt + cost - now
    const passes = debt <= WINDOW_MS + rounding
    const next = passes ? fullAt + cost : fullAt
    young[scope].set(client, next)
    return {
      scope,
      remaining: passes ? Math.max(0, Math.floor((WINDOW_MS - debt + rounding) / cost)) : 0,
      reset: Math.ceil((start + next - rounding) / 1000),
      retryAfter: passes ? null : Math.max(1, Math.ceil(debt - WINDOW_MS - rounding)),
    }
  }
}

function createGeneration(): Record<Scope, Map<ClientCounts, number>> {
  return { generic_get: new Map(), message: new Map(), generic_update: new Map() }
}

/** How a request fares that names a system, or none; null where nothing is counted. */
type RequestLimit = (
  request: Request,
  scope: Scope,
  named: string | null,
  caller: Caller,
  peer: () => string,
) => Allowance | null

export function createRequestLimit(
  { RATE_LIMIT, TRUST_PROXY }: Pick<Config, 'RATE_LIMIT' | 'TRUST_PROXY'>,
  log: Pick<Log, 'warn'>,
): RequestLimit {
  if (RATE_LIMIT === null) return () => null
  const limiter = createRateLimiter(RATE_LIMIT)
  let warnedOfProxy = false
  return ({ headers }, scope, named, { kind, system }, peer) => {
    if (kind === 'bot') return null
    const client = findClient(peer, headers, TRUST_PROXY)
    if (client.isLocal) return null
    if (!warnedOfProxy && TRUST_PROXY === 0 && headers.has('x-forwarded-for')) {
      warnedOfProxy = true
      log.warn('a request came through a proxy, but TRUST_PROXY is 0: its clients share one limit')
    }
    const isOwn = system !== null && named !== null && isNameOf(system, named)
    return limiter(scope, isOwn ? system.id : client.address, Date.now())
  }
}

function isNameOf({ hid, uuid }: TokenOwner, named: string): boolean {
  if (named === '@me' || named === hid) return true
  const name = named.toLowerCase()
  return name.replace('-', '') === hid || name === uuid
}
