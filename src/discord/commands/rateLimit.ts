/** Work that has a limit of its own, besides the one for all commands. */
export type LimitedWork = 'command' | 'transfer' | 'lookup'

/** Limits on the work of accounts. */
export interface RateLimit {
  /**
   * Takes the next turn of an account, and returns the milliseconds until it. Takes none and returns
   * null if it would come too late.
   */
  takeTurn(account: string, work: LimitedWork): number | null
}

interface Limit {
  /** Turns at once. */
  readonly burst: number
  /** Milliseconds until another turn. */
  readonly refillMs: number
  /** Longest wait for a turn in milliseconds. */
  readonly maxWaitMs: number
}

interface Bucket {
  /** Turns left; negative while some that were taken are still to come. */
  tokens: number
  /** Milliseconds at which the tokens were counted. */
  at: number
}

export const limits: Record<LimitedWork, Limit> = {
  command: { burst: 20, refillMs: 1_000, maxWaitMs: 20_000 },
  transfer: { burst: 3, refillMs: 200_000, maxWaitMs: 0 },
  lookup: { burst: 10, refillMs: 6_000, maxWaitMs: 0 },
}

const MAX_BUCKETS = 10_000

/** Creates limits that allow each account several turns at once, then one at a time. */
export function createRateLimit(monotonicMs: () => number): RateLimit {
  const buckets = new Map<string, Bucket>()
  return {
    takeTurn(account, work) {
      const { burst, refillMs, maxWaitMs } = limits[work]
      const key = `${work} ${account}`
      const now = monotonicMs()
      const bucket = buckets.get(key) ?? { tokens: burst, at: now }
      // Re-inserted, so that the map is in order of use and the oldest can be removed.
      buckets.delete(key)
      buckets.set(key, bucket)
      for (const oldest of buckets.keys()) {
        if (buckets.size <= MAX_BUCKETS) break
        buckets.delete(oldest)
      }
      bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs)
      bucket.at = now
      const waitMs = Math.max(0, Math.ceil((1 - bucket.tokens) * refillMs))
      if (waitMs > maxWaitMs) return null
      bucket.tokens -= 1
      return waitMs
    },
  }
}
