import type { StoppableSleep } from '../../runtime/timers/backoff'
import type { Clock } from '../../runtime/timers/clock'

/** Limits new sessions: Discord accepts one IDENTIFY per bucket of shards in 5 seconds. */
export interface IdentifyLimiter {
  /** Resolves when the shard may send IDENTIFY. */
  acquire(shard: number): Promise<void>
}

export function createIdentifyLimiter(
  maxConcurrency: number,
  windowMs: number,
  { clock, sleeper }: { readonly clock: Clock; readonly sleeper: StoppableSleep },
): IdentifyLimiter {
  const buckets = new Map<number, Promise<void>>()
  const lastAt = new Map<number, number>()
  return {
    acquire(shard) {
      const bucket = shard % maxConcurrency
      const turn = (buckets.get(bucket) ?? Promise.resolve()).then(async () => {
        const last = lastAt.get(bucket)
        if (last !== undefined) await sleeper.sleep(last + windowMs - clock.monotonic())
        lastAt.set(bucket, clock.monotonic())
      })
      buckets.set(bucket, turn)
      return turn
    },
  }
}
