import { withTimeout } from '../timers/withTimeout'

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
): CachedProbe<T> {
  let lastResult = initial
  let isOk = true
  let probedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  const run = async () => {
    try {
      lastResult = await probe()
      isOk = true
      probedAt = performance.now()
    } catch {
      isOk = false
    } finally {
      running = undefined
    }
  }

  return {
    async refresh() {
      if (performance.now() - probedAt >= maxAgeMs) running ??= run()
      if (running)
        await withTimeout(running, timeoutMs, () => {
          isOk = false
        })
      return lastResult
    },
    last: () => lastResult,
    isOk: () => isOk,
  }
}
