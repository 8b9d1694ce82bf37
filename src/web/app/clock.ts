import { signal } from '@preact/signals'
import { nowInstant } from './time'

const OFTEN_MS = 15_000

/** The time, for everything that says how long ago; it moves on by itself. */
export const now = signal(nowInstant())
setInterval(tick, OFTEN_MS)

export function tick(): void {
  now.value = nowInstant()
}
