import type { Clock, Timer } from './clock'

/** Waits that end early when their owner stops. */
export interface StoppableSleep {
  /** Resolves after this time, or at `stop`; callers check `isStopped` afterwards. */
  sleep(ms: number): Promise<void>
  readonly isStopped: boolean
  stop(): void
}

export function createStoppableSleep(clock: Clock): StoppableSleep {
  let isStopped = false
  const wakes = new Set<() => void>()
  return {
    sleep(ms) {
      if (isStopped || ms <= 0) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => {
        timer.stop()
        wakes.delete(wake)
        resolve()
      }
      const timer: Timer = clock.setTimeout(wake, ms)
      wakes.add(wake)
      return promise
    },
    get isStopped() {
      return isStopped
    },
    stop() {
      isStopped = true
      for (const wake of [...wakes]) wake()
    },
  }
}

export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/** Pause before an attempt: doubles each time up to the maximum, with half of it at random. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  const full = Math.min(maxMs, firstMs * 2 ** (failures - 1))
  return full / 2 + (Math.random() * full) / 2
}
