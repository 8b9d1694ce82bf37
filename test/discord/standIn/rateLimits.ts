import { createHash } from 'node:crypto'
import { type Clock, randomFrom } from './clock'
import { DiscordError } from './errors'
import type { RouteLimit, StandInOptions } from './options'
import type { DiscordRecord } from './record'

/** Reported publicly, not documented: clients must read the headers. */
const defaults: Record<string, RouteLimit> = {
  'POST /webhooks/{webhook_id}/{webhook_token}': { limit: 5, windowMs: 2000 },
  'DELETE /channels/{channel_id}/messages/{message_id}': { limit: 5, windowMs: 1000 },
  'POST /channels/{channel_id}/messages': { limit: 5, windowMs: 5000 },
  'GET /channels/{channel_id}/webhooks': { limit: 5, windowMs: 1000 },
}

const otherRoutes: RouteLimit = { limit: 10, windowMs: 1000 }

/** Interaction callbacks have no limit of their own ("Rate Limits, Global Rate Limit"). */
const unlimited = ['POST /interactions/{interaction_id}/{interaction_token}/callback']

/** Requests that were on their way when the 429 was sent do not count as ignoring it. */
const GRACE_MS = 100

interface Bucket {
  remaining: number
  resetAt: number
  /** Time until which Retry-After asked the client to wait. */
  blockedFrom: number
  blockedUntil: number
}

export interface LimitHeaders {
  [header: string]: string
}

/** Buckets of "Rate Limits", separate for each major parameter. */
export class RateLimits {
  private readonly buckets = new Map<string, Bucket>()
  private readonly globals = new Map<string, Bucket>()
  private readonly hidden: () => number

  constructor(
    private readonly options: StandInOptions,
    private readonly clock: Clock,
    private readonly record: DiscordRecord,
  ) {
    this.hidden = randomFrom(options.hiddenLimitSeed)
  }

  limitOf(route: string): RouteLimit {
    const { routeLimits, rateLimits } = this.options
    const drawn = typeof rateLimits === 'object' ? drawLimit(route, rateLimits.seed) : undefined
    return routeLimits[route] ?? drawn ?? defaults[route] ?? otherRoutes
  }

  /**
   * Takes one request from the buckets. Returns the headers of the answer, or throws 429. `owner`
   * is the bot token or, without one, the address: both have a global limit of their own.
   */
  take(route: string, major: string, owner: string): LimitHeaders {
    if (this.options.rateLimits === 'off') return {}
    this.takeGlobal(owner)
    if (unlimited.includes(route)) return {}
    const shared = this.options.sharedBuckets.findIndex((routes) => routes.includes(route))
    const name = shared < 0 ? route : `shared ${shared}`
    const { limit, windowMs } = this.limitOf(
      shared < 0 ? route : (this.options.sharedBuckets[shared]?.[0] ?? route),
    )
    const bucket = this.bucketOf(this.buckets, `${name} ${major}`, limit, windowMs)
    this.rejectIgnored(bucket, route)
    if (bucket.remaining === 0) throw this.limited(bucket, limit, name, 'user', bucket.resetAt)
    if (this.hidden() < this.options.hiddenLimitShare)
      throw this.limited(bucket, limit, name, 'shared', this.clock.now() + 50 + this.hidden() * 200)
    bucket.remaining--
    return this.headers(bucket, limit, name)
  }

  /** 429 of a fault, which the client has to respect like any other. */
  injected(route: string, major: string, scope: 'user' | 'shared' | 'global', waitMs: number) {
    const { limit, windowMs } = this.limitOf(route)
    const bucket = this.bucketOf(this.buckets, `${route} ${major}`, limit, windowMs)
    return this.limited(bucket, limit, route, scope, this.clock.now() + waitMs)
  }

  private takeGlobal(owner: string): void {
    const { globalPerSecond } = this.options
    const bucket = this.bucketOf(this.globals, owner, globalPerSecond, 1000)
    this.rejectIgnored(bucket, 'all routes')
    if (bucket.remaining === 0)
      throw this.limited(bucket, globalPerSecond, 'global', 'global', bucket.resetAt)
    bucket.remaining--
  }

  private bucketOf(all: Map<string, Bucket>, key: string, limit: number, windowMs: number): Bucket {
    const now = this.clock.now()
    const known = all.get(key)
    if (known && known.resetAt > now) return known
    const bucket = {
      remaining: limit,
      resetAt: now + windowMs,
      blockedFrom: known?.blockedFrom ?? 0,
      blockedUntil: known?.blockedUntil ?? 0,
    }
    all.set(key, bucket)
    return bucket
  }

  private rejectIgnored(bucket: Bucket, route: string): void {
    const now = this.clock.now()
    if (now > bucket.blockedFrom + GRACE_MS && now < bucket.blockedUntil)
      this.record.addProblem(`${route} was requested during a pending Retry-After`)
  }

  private limited(
    bucket: Bucket,
    limit: number,
    name: string,
    scope: 'user' | 'shared' | 'global',
    until: number,
  ): DiscordError {
    const now = this.clock.now()
    const seconds = Math.max(0.001, Math.ceil(until - now) / 1000)
    bucket.blockedFrom = now
    bucket.blockedUntil = until
    return new DiscordError(
      429,
      {
        message: 'You are being rate limited.',
        retry_after: seconds,
        global: scope === 'global',
        code: 0,
      },
      {
        'Retry-After': String(Math.ceil(seconds)),
        'X-RateLimit-Scope': scope,
        ...(scope === 'global'
          ? { 'X-RateLimit-Global': 'true' }
          : this.headers(bucket, limit, name, scope === 'user' ? 0 : bucket.remaining)),
      },
    )
  }

  private headers(
    bucket: Bucket,
    limit: number,
    name: string,
    left = bucket.remaining,
  ): LimitHeaders {
    const after = Math.max(0, bucket.resetAt - this.clock.now()) / 1000
    return {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(left),
      'X-RateLimit-Reset': (bucket.resetAt / 1000).toFixed(3),
      'X-RateLimit-Reset-After': after.toFixed(3),
      'X-RateLimit-Bucket': createHash('md5').update(name).digest('hex'),
    }
  }
}

/** Limit of a route that depends on the route and the seed only. */
function drawLimit(route: string, seed: number): RouteLimit {
  const random = randomFrom(Bun.hash.crc32(route, seed))
  return { limit: 1 + Math.floor(random() * 8), windowMs: 200 + Math.floor(random() * 1800) }
}
