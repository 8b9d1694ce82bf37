import { DAY, type Instant, SECOND } from '../time'
import type { Span } from './replay'

/** From a moment on, a zone's clocks are so far ahead of UTC, in microseconds. */
export interface Offset {
  readonly from: Instant
  readonly ahead: number
}

/** No zone ever kept its clocks for less than 6.9 days between two changes. */
const STEP = 5 * DAY

const PROBES = 200

/**
 * How the clocks of a zone went in a span, the first since ever. Where that is long, the runtime is
 * asked thousands of times, so others may have their turn at each `yield`.
 */
export function* findOffsets(zone: string, { since, until }: Span): Generator<void, Offset[]> {
  const clock = createClock(zone)
  let at = Math.floor(since / SECOND) * SECOND
  let ahead = clock(at)
  const offsets = [{ from: -Infinity, ahead }]
  for (let looks = 1; at < until; looks++) {
    const next = at + STEP
    const aheadNext = clock(next)
    if (aheadNext !== ahead) offsets.push({ from: findChange(clock, at, next), ahead: aheadNext })
    at = next
    ahead = aheadNext
    if (looks % PROBES === 0) yield
  }
  return offsets
}

/** The first second at which the clocks go as they do at the end. */
function findChange(clock: (at: Instant) => number, start: Instant, end: Instant): Instant {
  const after = clock(end)
  let [low, high] = [start / SECOND, end / SECOND]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (clock(middle * SECOND) === after) high = middle
    else low = middle
  }
  return high * SECOND
}

/** What the clocks of a zone show, in figures. */
export function createFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
}

/** How far a zone's clocks are ahead of UTC at a whole second. */
function createClock(zone: string): (at: Instant) => number {
  const format = createFormat(zone)
  if (format.resolvedOptions().timeZone === 'UTC') return () => 0
  return (at) => {
    const shown = format.format(at / 1000).match(/\d+/g) ?? []
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = shown.map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 - at
  }
}
