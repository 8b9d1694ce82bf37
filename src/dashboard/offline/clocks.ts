import { type Instant, SECOND } from '../../model/core/time'

/** Returns the time by the clock of this device. */
export function deviceTime(): Instant {
  return Date.now() * 1000
}

/**
 * Returns the server's clock minus the clock of this device, from the `Date` of an answer; null
 * without one. `Date` has whole seconds, so clocks that may be equal count as equal.
 */
export function compareClocks(
  date: string | null,
  sent: Instant,
  received: Instant,
): number | null {
  const earliest = Date.parse(date ?? '') * 1000
  if (Number.isNaN(earliest)) return null
  const latest = earliest + SECOND
  if (earliest > received) return earliest - received
  return latest < sent ? latest - sent : 0
}
