import { type Clock, systemClock } from '../runtime/timers/clock'
import { withTimeout } from '../runtime/timers/withTimeout'

/** Last result of a probe that may fail or hang. */
export interface CachedProbe<T> {
  /** Probes again unless the result is recent; returns the last result within the time limit. */
  refresh(): Promise<T>
  last(): T
  /** Returns true if the last probe succeeded in time. */
  isOk(): boolean
}

export function createCachedProbe<T>(
  probe: () => Promise<T>,
  initial: T,
  maxAgeMs: number,
  timeoutMs: number,
  clock: Clock = systemClock,
): CachedProbe<T> {
  let lastResult = initial
  let isOk = true
  let probedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  const run = async () => {
    try {
      lastResult = await probe()
      isOk = true
      probedAt = clock.monotonic()
    } catch {
      isOk = false
    } finally {
      running = undefined
    }
  }

  const recordTimeout = () => {
    isOk = false
  }

  return {
    async refresh() {
      if (clock.monotonic() - probedAt >= maxAgeMs) running ??= run()
      if (running) await withTimeout(running, timeoutMs, recordTimeout, clock)
      return lastResult
    },
    last: () => lastResult,
    isOk: () => isOk,
  }
}
