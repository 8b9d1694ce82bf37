import { DAY, type Instant, SECOND } from '../core/time'
import type { Span } from './replay'

/** UTC offset of a zone from a moment on, in microseconds. */
export interface Offset {
  readonly from: Instant
  readonly ahead: number
}

/** Shorter than the shortest interval between two offset changes of any zone, 6.9 days. */
const STEP = 5 * DAY

const PROBES_PER_YIELD = 200

/**
 * Finds the UTC offsets of a zone in a span; the first one has no start. A long span takes
 * thousands of lookups, so the caller may let other requests run at each `yield`.
 */
export function* findOffsets(zone: string, { since, until }: Span): Generator<void, Offset[]> {
  const offsetAt = createOffsetLookup(zone)
  let at = Math.floor(since / SECOND) * SECOND
  let ahead = offsetAt(at)
  const offsets = [{ from: -Infinity, ahead }]
  for (let probes = 1; at < until; probes++) {
    const next = at + STEP
    const aheadNext = offsetAt(next)
    if (aheadNext !== ahead)
      offsets.push({ from: findChange(offsetAt, at, next), ahead: aheadNext })
    at = next
    ahead = aheadNext
    if (probes % PROBES_PER_YIELD === 0) yield
  }
  return offsets
}

/** Returns the first second with the offset of `end`. */
function findChange(offsetAt: (at: Instant) => number, start: Instant, end: Instant): Instant {
  const after = offsetAt(end)
  let [low, high] = [start / SECOND, end / SECOND]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * SECOND) === after) high = middle
    else low = middle
  }
  return high * SECOND
}

/**
 * Returns a function that converts local times of a zone, as microseconds without a zone. A local time
 * that is skipped becomes the next one that exists; of one that occurs twice, the first is meant.
 */
export function createLocalTimes(zone: string): (local: number) => Instant {
  const offsetAt = createOffsetLookup(zone)
  return (local) => {
    // No offset exceeds a day, and no zone changes its offset twice within two days.
    const [start, end] = [local - DAY, local + DAY]
    const [before, after] = [offsetAt(start), offsetAt(end)]
    if (before === after) return local - before
    const change = findChange(offsetAt, start, end)
    return local - before < change ? local - before : Math.max(change, local - after)
  }
}

/** Zones without daylight saving time whose offset is not a whole number of hours. */
const partialHours: Readonly<Record<string, string>> = {
  '-9:30': 'Pacific/Marquesas',
  '+3:30': 'Asia/Tehran',
  '+4:30': 'Asia/Kabul',
  '+5:30': 'Asia/Kolkata',
  '+5:45': 'Asia/Kathmandu',
  '+6:30': 'Asia/Yangon',
  '+8:45': 'Australia/Eucla',
  '+9:30': 'Australia/Darwin',
}

/** Returns the zone of a fixed offset such as `UTC+05`; null for another text. */
export function zoneOfOffset(text: string): string | null {
  const [, sign, hours, minutes = '00'] =
    /^(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d\d))?$/i.exec(text.trim()) ?? []
  if (sign === undefined) return null
  const ahead = Number(hours)
  if (minutes !== '00') return partialHours[`${sign}${ahead}:${minutes}`] ?? null
  if (ahead === 0) return 'UTC'
  // The names of these zones have the opposite sign.
  return ahead > (sign === '+' ? 14 : 12) ? null : `Etc/GMT${sign === '+' ? '-' : '+'}${ahead}`
}

/** Creates a numeric format of local times in a zone. */
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

/** Returns a function that computes the UTC offset at a whole second. */
export function createOffsetLookup(zone: string): (at: Instant) => number {
  const format = createFormat(zone)
  if (format.resolvedOptions().timeZone === 'UTC') return () => 0
  return (at) => {
    const shown = format.format(at / 1000).match(/\d+/g) ?? []
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = shown.map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 - at
  }
}
