import { isIP, isIPv6 } from 'node:net'
import type { Config, RateLimits } from '../../runtime/config/config'
import type { Log } from '../../runtime/log'
import type { Clock } from '../../runtime/timers/clock'
import type { TokenOwner } from '../../service/access/types'
import type { Caller } from './authenticate'

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
export type ClientKey = number | string

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
    const boundedTime = Math.min(
      young[scope].get(client) ?? old[scope].get(client) ?? now,
      now + WINDOW_MS,
    )
    const fullAt = Math.max(boundedTime, now)
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
  clock: Clock,
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
    return limiter(scope, isOwn ? system.id : client.address, clock.now())
  }
}

/** Returns the address and the system of a limited caller; none for bots and local programs. */
export function clientKeysOf(
  { headers }: Request,
  { kind, system }: Caller,
  peer: () => string,
  trustedProxies: number,
): ClientKey[] {
  const { address, isLocal } = findClient(peer, headers, trustedProxies)
  if (kind === 'bot' || isLocal) return []
  return system ? [address, system.id] : [address]
}

function isRefOf({ hid, uuid }: TokenOwner, systemRef: string): boolean {
  if (systemRef === '@me' || systemRef === hid) return true
  const ref = systemRef.toLowerCase()
  return ref.replace('-', '') === hid || ref === uuid
}

/** Origin of a request. */
export interface Client {
  /** Address that rate limits are counted by. */
  readonly address: string
  /** True if the client is a program on this machine that connects without a proxy. */
  readonly isLocal: boolean
}

/** Exceeds the length of any address; bounds the memory of the rate limiter. */
const MAX_LENGTH = 64

/**
 * Finds the client of a request. Each trusted proxy appends the address of its peer, so the client is
 * that many entries from the right; entries further left are unverified claims of the client.
 */
export function findClient(peer: () => string, headers: Headers, trustedProxies: number): Client {
  const forwarded = headers.get('x-forwarded-for')
  if (forwarded === null || trustedProxies === 0) {
    const address = peer()
    const isDirect = forwarded === null && !headers.has('forwarded')
    return { address: rateLimitKey(address), isLocal: isDirect && isLoopback(address) }
  }
  const hops = forwarded.split(',')
  const address = hops[Math.max(0, hops.length - trustedProxies)]?.trim() || peer()
  return { address: rateLimitKey(address.slice(0, MAX_LENGTH)), isLocal: false }
}

/** Exact address for the log. A forwarded value that is no IP address is ignored. */
export function addressOf(peer: () => string, headers: Headers, trustedProxies: number): string {
  const hops = headers.get('x-forwarded-for')?.split(',') ?? []
  const forwarded =
    trustedProxies > 0 ? hops[Math.max(0, hops.length - trustedProxies)]?.trim() : ''
  const [, v4] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(forwarded ?? '') ?? []
  const [, v6] = /^\[(.+)\](?::\d+)?$/.exec(forwarded ?? '') ?? []
  const address = v4 ?? v6 ?? forwarded ?? ''
  return (isIP(address) ? address : peer()).replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * Removes the port that some proxies add, which differs for each connection, and reduces IPv6
 * addresses to their /64 network, because one subscriber owns all addresses of it.
 */
function rateLimitKey(address: string): string {
  if (!address.includes(':')) return address
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(address) ?? []
  if (v4 !== undefined) return v4
  const [, v6 = address] = /^\[(.+)\](?::\d+)?$/.exec(address) ?? []
  return isIPv6(v6) ? `${networkOf(v6)}::/64` : address
}

/** First four of the eight groups, in a canonical notation. */
function networkOf(address: string): string {
  const [left = '', right] = address.split('::')
  const before = groupsOf(left)
  const after = groupsOf(right ?? '')
  const zeros = right === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}

function groupsOf(text: string): string[] {
  if (text === '') return []
  // An IPv4 address at the end replaces two groups, which are never among the first four.
  return text
    .replace(/\d+\.\d+\.\d+\.\d+/, '0:0')
    .split(':')
    .map((group) => Number.parseInt(group, 16).toString(16))
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

/** Starts requests in order and in limited number, so that a burst does not block the server. */
export interface Admission {
  /** True if the limit of requests in flight is reached. */
  readonly isFull: boolean
  readonly inFlight: number
  /** Returns a promise if the request must wait for its turn. */
  acquire(now: number): Promise<void> | undefined
  release(): void
}

/**
 * Time in which requests are started in one turn of the event loop. Further requests wait here
 * instead of in their sockets, so that they are counted and health checks are answered meanwhile.
 */
const YIELD_MS = 50
/** Upper limit, used while receiving and refusing requests takes much time. */
const MAX_YIELD_MS = 200
/** Exceeds the number of requests that can start within that time. */
const MAX_PER_TURN = 1_000

export function createAdmission(maxInFlight: number): Admission {
  const waiting: (() => void)[] = []
  let inFlight = 0
  /** True if a request has started in this turn, and until when others may start. */
  let isTurn = false
  let turnEnds = 0
  let isQueueing = false

  const endTurn = () => {
    isTurn = false
  }

  /** Runs first in each turn while requests wait, and starts as many as fit into the turn. */
  const admit = () => {
    const now = performance.now()
    // At least as long as the time spent on receiving and refusing, so that requests make progress.
    turnEnds = now + Math.min(Math.max(YIELD_MS, now - turnEnds), MAX_YIELD_MS)
    isQueueing = waiting.length > 0
    if (!isQueueing) return endTurn()
    setImmediate(admit)
    for (let n = Math.min(waiting.length, MAX_PER_TURN); n > 0; n--) setImmediate(admitOne)
  }

  // One callback per request, so that its synchronous work is done before the next one starts.
  const admitOne = () => {
    if (performance.now() < turnEnds) waiting.shift()?.()
  }

  return {
    get isFull() {
      return inFlight >= maxInFlight
    },
    get inFlight() {
      return inFlight
    },
    acquire(now) {
      inFlight++
      if (!isTurn && !isQueueing) {
        isTurn = true
        turnEnds = now + YIELD_MS
        setImmediate(endTurn)
      }
      if (!isQueueing && now < turnEnds) return undefined
      if (!isQueueing) setImmediate(admit)
      isQueueing = true
      return new Promise((resolve) => waiting.push(resolve))
    },
    release() {
      inFlight--
    },
  }
}
