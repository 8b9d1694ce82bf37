/** Result of a request to run a command: run it, tell the account to wait, or stay silent. */
export type Allowance = 'run' | 'notice' | 'silence'

/** Work that has a limit of its own, besides the one for all commands. */
export type LimitedWork = 'command' | 'transfer' | 'lookup'

export interface RateLimit {
  request(account: string, work: LimitedWork): Allowance
}

interface Bucket {
  tokens: number
  /** Milliseconds at which the tokens were counted. */
  at: number
  noticedAt: number
}

/** Commands at once, and milliseconds until another one is allowed. */
const limits: Record<LimitedWork, { readonly burst: number; readonly refillMs: number }> = {
  command: { burst: 5, refillMs: 2_000 },
  transfer: { burst: 3, refillMs: 200_000 },
  lookup: { burst: 10, refillMs: 6_000 },
}

const NOTICE_EVERY_MS = 60_000
const MAX_BUCKETS = 10_000

/** Limits commands per account: several at once, then one at a time. */
export function createRateLimit(nowMs: () => number): RateLimit {
  const buckets = new Map<string, Bucket>()
  return {
    request(account, work) {
      const { burst, refillMs } = limits[work]
      const key = `${work} ${account}`
      const now = nowMs()
      const bucket = buckets.get(key) ?? { tokens: burst, at: now, noticedAt: -Infinity }
      // Re-inserted, so that the map is in order of use and the oldest can be removed.
      buckets.delete(key)
      buckets.set(key, bucket)
      for (const oldest of buckets.keys()) {
        if (buckets.size <= MAX_BUCKETS) break
        buckets.delete(oldest)
      }
      // The clock of the machine may be set back.
      const passedMs = Math.max(0, now - bucket.at)
      bucket.tokens = Math.min(burst, bucket.tokens + passedMs / refillMs)
      bucket.at = now
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1
        return 'run'
      }
      if (now - bucket.noticedAt < NOTICE_EVERY_MS) return 'silence'
      bucket.noticedAt = now
      return 'notice'
    },
  }
}
