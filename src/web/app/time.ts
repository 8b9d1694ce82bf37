import { type Bucket, findBuckets, MARGIN } from '../../model/fronting/calendar'
import type { Span } from '../../model/fronting/replay'
import { createFormat, findOffsets, type Offset } from '../../model/fronting/zone'
import { DAY, HOUR, type Instant, MINUTE } from '../../model/time'

export type Clock = 'device' | '12' | '24'

export function nowInstant(): Instant {
  return Date.now() * 1000
}

/** "6 h 19 min", rounded down; days only where hours say little. */
export function formatDuration(micros: number): string {
  const minutes = Math.max(0, Math.floor(micros / MINUTE))
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days} days` : `${days} days ${hours % 24} h`
}

/** "6 h ago", in the largest unit alone. */
export function formatAgo(micros: number): string {
  if (micros < MINUTE) return 'just now'
  if (micros < HOUR) return `${Math.floor(micros / MINUTE)} min ago`
  if (micros < 2 * DAY) return `${Math.floor(micros / HOUR)} h ago`
  return `${Math.floor(micros / DAY)} days ago`
}

/** How times are spelled in a zone. */
export function createFormatter(zone: string, clock: Clock, locale?: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, ...options })
  const hours =
    clock === 'device' ? {} : { hourCycle: clock === '24' ? ('h23' as const) : ('h12' as const) }
  const time = format({ hour: '2-digit', minute: '2-digit', ...hours })
  const day = format({ weekday: 'short', day: 'numeric', month: 'short' })
  const longDay = format({ weekday: 'long', day: 'numeric', month: 'long' })
  const month = format({ month: 'long', year: 'numeric' })
  const date = format({ day: 'numeric', month: 'long', year: 'numeric' })
  const dayKey = keyOf(zone)
  const spell = (with_: Intl.DateTimeFormat) => (at: Instant) => with_.format(at / 1000)
  return {
    zone,
    time: spell(time),
    day: spell(day),
    longDay: spell(longDay),
    month: spell(month),
    date: spell(date),
    /** The clock alone today, else with the day. */
    moment: (at: Instant, now: Instant) =>
      dayKey(at) === dayKey(now) ? time.format(at / 1000) : `${spell(day)(at)}, ${spell(time)(at)}`,
  }
}

export type Formatter = ReturnType<typeof createFormatter>

/** `2026-11-15` and `06:54` as native fields have them. */
export function fieldsOf(at: Instant, zone: string): { date: string; time: string } {
  const format = memoize(formats, zone, () => createFormat(zone))
  const shown = Object.fromEntries(
    format.formatToParts(at / 1000).map(({ type, value }) => [type, value]),
  )
  const year = String(shown.year).padStart(4, '0')
  return { date: `${year}-${shown.month}-${shown.day}`, time: `${shown.hour}:${shown.minute}` }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function keyOf(zone: string): (at: Instant) => string {
  return (at) => fieldsOf(at, zone).date
}

/** The moment at which the clocks of a zone show this; where they skip it, the one after. */
export function instantOf(date: string, time: string, zone: string): Instant | null {
  const local = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}Z`) * 1000
  if (Number.isNaN(local)) return null
  const around = offsetsIn(zone, { since: local - 2 * DAY, until: local + 2 * DAY })
  for (const [index, { from, ahead }] of around.entries()) {
    const at = Math.max(from, local - ahead)
    if (at < (around[index + 1]?.from ?? Number.POSITIVE_INFINITY)) return at
  }
  return null
}

/** How the clocks of a zone go in the quarters that a span touches, so that most are known already. */
function offsetsIn(zone: string, span: Span): Offset[] {
  const since = Math.floor((span.since - MARGIN) / QUARTER) * QUARTER
  const until = Math.ceil((span.until + MARGIN) / QUARTER) * QUARTER
  return memoize(offsets, `${zone} ${since} ${until}`, () => lookUpOffsets(zone, { since, until }))
}

const QUARTER = 90 * DAY

const offsets = new Map<string, Offset[]>()

/** A page's spans are short, so nobody waits. */
function lookUpOffsets(zone: string, span: Span): Offset[] {
  const finding = findOffsets(zone, span)
  for (;;) {
    const { value, done } = finding.next()
    if (done) return value
  }
}

const MOST_KEPT = 50

/** What was made for a key, once: browsers take milliseconds to learn how a zone is spelled. */
function memoize<T>(kept: Map<string, T>, key: string, make: () => T): T {
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  const made = make()
  kept.set(key, made)
  return made
}

/** The days of a zone's calendar that a span touches, newest first. */
export function daysIn(zone: string, span: Span): Bucket[] {
  return (findBuckets(offsetsIn(zone, span), 'day', span, 400) ?? []).toReversed()
}

/** The month of a zone's calendar that a moment lies in. */
export function monthOf(zone: string, at: Instant): Bucket | null {
  const span = { since: at, until: at + 1 }
  return findBuckets(offsetsIn(zone, span), 'month', span, 2)?.[0] ?? null
}

/** Where the clocks of a day show a full hour, as a part of the day: long days have theirs, too. */
export function hourMarks(
  zone: string,
  { start, end }: Bucket,
  hours: readonly number[],
): number[] {
  const { date } = fieldsOf(start + (end - start) / 2, zone)
  return hours.flatMap((hour) => {
    const at = instantOf(date, `${String(hour).padStart(2, '0')}:00`, zone)
    return at === null ? [] : [(at - start) / (end - start)]
  })
}

/** A birthday in words; the year 4 stands for none. */
export function formatBirthday(date: string, locale?: string): string {
  const at = new Date(0)
  const [year = 4, month = 1, day = 1] = date.split('-').map(Number)
  at.setUTCFullYear(year, month - 1, day)
  return new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    ...(year !== NO_YEAR && { year: 'numeric' }),
  }).format(at)
}

export const NO_YEAR = 4
