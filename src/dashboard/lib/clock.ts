import { signal } from '@preact/signals'
import { nowInstant } from './time'

const TICK_MS = 15_000

/** Current time for relative times; refreshed every 15 seconds. */
export const now = signal(nowInstant())
setInterval(tick, TICK_MS)

export function tick(): void {
  now.value = nowInstant()
}
