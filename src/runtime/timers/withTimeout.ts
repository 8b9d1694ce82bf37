import { type Clock, systemClock } from './clock'

/**
 * Awaits work for a limited time, then returns or throws the result of `onTimeout`. The work itself
 * continues.
 */
export async function withTimeout<T, U>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => U,
  clock: Clock = systemClock,
): Promise<T | U> {
  const timeout = Promise.withResolvers<void>()
  const timer = clock.setTimeout(timeout.resolve, ms)
  try {
    return await Promise.race([work, timeout.promise.then(onTimeout)])
  } finally {
    timer.stop()
  }
}
