import { backoffMs } from '../../runtime/timers/backoff'
import type { BotCore } from '../bot/core'

const BACKOFF = { firstMs: 100, maxMs: 1000 }

/**
 * Repeats work while the database is away. Returns null when the time is over, by the monotonic
 * clock, or when the bot stops.
 */
export async function whileDatabaseAway<T>(
  { deps, isDatabaseAway, sleeper }: Pick<BotCore, 'deps' | 'isDatabaseAway' | 'sleeper'>,
  deadline: number,
  work: () => Promise<T>,
): Promise<T | null> {
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (cause) {
      if (!isDatabaseAway(cause)) throw cause
      if (sleeper.isStopped || deps.clock.monotonic() >= deadline) return null
      await sleeper.sleep(backoffMs(BACKOFF, failures))
    }
  }
}
