import { DAY, HOUR, type Instant, MINUTE } from '../../model/core/time'
import { BUCKET_MARGIN, type Bucket, findBuckets } from '../../model/insights/calendar'
import type { Span } from '../../model/insights/replay'
import { createFormat, findOffsets, type Offset } from '../../model/insights/timeZone'
import { strings } from '../texts/texts'

export type Clock = 'device' | '12' | '24'

export function nowInstant(): Instant {
  return Date.now() * 1000
}

/** Formats a duration, rounded down: "6 h 19 min"; in days from 48 hours. */
export function formatDuration(micros: number): string {
  const minutes = Math.max(0, Math.floor(micros / MINUTE))
  if (minutes < 1) return strings.lessThanMinute
  if (minutes < 60) return strings.duration({ minutes })
  const hours = Math.floor(minutes / 60)
  if (hours < 48)
    return strings.duration(minutes % 60 === 0 ? { hours } : { hours, minutes: minutes % 60 })
  const days = Math.floor(hours / 24)
  return strings.duration(hours % 24 === 0 ? { days } : { days, hours: hours % 24 })
}

/** Formats an age in its largest unit: "6 h ago". */
export function formatAgo(micros: number): string {
  if (micros < MINUTE) return strings.justNow
  if (micros < HOUR) return strings.ago.minutes(Math.floor(micros / MINUTE))
  if (micros < 2 * DAY) return strings.ago.hours(Math.floor(micros / HOUR))
  return strings.ago.days(Math.floor(micros / DAY))
}

export function createFormatter(zone: string, clock: Clock, locale: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, ...options })
  const hours =
    clock === 'device' ? {} : { hourCycle: clock === '24' ? ('h23' as const) : ('h12' as const) }
  const dayOptions = { weekday: 'short', day: 'numeric', month: 'short' } as const
  const dayKey = keyOf(zone)
  let found12Hours: boolean | undefined
  const is12Hours = () => {
    found12Hours ??= format({ hour: 'numeric', ...hours }).resolvedOptions().hour12 === true
    return found12Hours
  }
  /** "3:15 PM", but "03:15" on a clock of 24 hours. */
  const timeOptions = () =>
    ({ hour: is12Hours() ? 'numeric' : '2-digit', minute: '2-digit', ...hours }) as const
  /** Creates the formatter when it is first used, because that takes browsers milliseconds. */
  const formatWith = (options: Intl.DateTimeFormatOptions, hasTime = false) => {
    let formatter: Intl.DateTimeFormat | undefined
    return (at: Instant) => {
      formatter ??= format(hasTime ? { ...options, ...timeOptions() } : options)
      return formatter.format(at / 1000)
    }
  }
  const time = formatWith({}, true)
  const dayAndTime = formatWith(dayOptions, true)
  const clockTime = formatWith({ timeZone: 'UTC' }, true)
  const clockHour = formatWith({ hour: 'numeric', ...hours, timeZone: 'UTC' })
  let twoDigits: Intl.NumberFormat | undefined
  const weekday = formatWith({ weekday: 'short', timeZone: 'UTC' })
  return {
    zone,
    time,
    day: formatWith(dayOptions),
    longDay: formatWith({ weekday: 'long', day: 'numeric', month: 'long' }),
    month: formatWith({ month: 'long', year: 'numeric' }),
    shortMonth: formatWith({ month: 'short', year: 'numeric' }),
    shortDay: formatWith({ month: 'short', day: 'numeric' }),
    date: formatWith({ day: 'numeric', month: 'long', year: 'numeric' }),
    dayAndTime,
    /** Time only if it is today, otherwise day and time. */
    moment: (at: Instant, now: Instant) => (dayKey(at) === dayKey(now) ? time(at) : dayAndTime(at)),
    /** Time since which someone is here, and how long that is. */
    since(at: Instant, now: Instant): string {
      const length = now - at < MINUTE ? strings.justNow : formatDuration(now - at)
      return strings.hereSince(this.moment(at, now), length)
    },
    /** Time of day, independent of date and zone. */
    clock: (hour: number) => clockTime(hour * HOUR),
    /** Hour on an axis: "06", or "6 AM" and "Noon". */
    hour(hour: number): string {
      twoDigits ??= new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 })
      if (!is12Hours()) return twoDigits.format(hour)
      return hour === 12 ? strings.noon : clockHour(hour * HOUR)
    },
    /** Short name of a weekday; 1 is Monday. */
    weekday: (day: number) => weekday(FIRST_MONDAY + (day - 1) * DAY),
    /** Birthday; year 4 means "no year". */
    birthday: (date: string) => formatBirthday(date, locale),
  }
}

/** First Monday since 1970. */
const FIRST_MONDAY = 4 * DAY

/** Returns the first day of the week in a locale; 1 is Monday. */
export function firstWeekday(locale: string): number {
  const weekLocale: WeekLocale = new Intl.Locale(locale)
  return (weekLocale.getWeekInfo?.() ?? weekLocale.weekInfo)?.firstDay ?? 1
}

/** Browsers have the one, the other, or none. */
interface WeekLocale {
  readonly getWeekInfo?: () => { firstDay: number }
  readonly weekInfo?: { firstDay: number }
}

export type Formatter = ReturnType<typeof createFormatter>

/** Returns `2026-11-15` and `06:54`, as native form fields use them. */
export function fieldsOf(at: Instant, zone: string): { date: string; time: string } {
  const format = memoize(formats, zone, () => createFormat(zone))
  const shown = Object.fromEntries(
    format.formatToParts(at / 1000).map(({ type, value }) => [type, value]),
  )
  const year = String(shown.year).padStart(4, '0')
  return { date: `${year}-${shown.month}-${shown.day}`, time: `${shown.hour}:${shown.minute}` }
}

/** Returns the local weekday of a time; 1 is Monday. */
export function weekdayOf(at: Instant, zone: string): number {
  return new Date(`${fieldsOf(at, zone).date}T12:00:00Z`).getUTCDay() || 7
}

const formats = new Map<string, Intl.DateTimeFormat>()

function keyOf(zone: string): (at: Instant) => string {
  return (at) => fieldsOf(at, zone).date
}

/** Returns the instant of a local time; if the clocks skip it, the instant after the gap. */
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

/**
 * Returns the UTC offsets in a span, extended to whole quarters so that most calls hit the cache.
 */
function offsetsIn(zone: string, span: Span): Offset[] {
  const since = Math.floor((span.since - BUCKET_MARGIN) / QUARTER) * QUARTER
  const until = Math.ceil((span.until + BUCKET_MARGIN) / QUARTER) * QUARTER
  return memoize(offsets, `${zone} ${since} ${until}`, () => lookUpOffsets(zone, { since, until }))
}

const QUARTER = 90 * DAY

const offsets = new Map<string, Offset[]>()

/** Runs to the end without yielding, because the page's spans are short. */
function lookUpOffsets(zone: string, span: Span): Offset[] {
  const iterator = findOffsets(zone, span)
  for (;;) {
    const { value, done } = iterator.next()
    if (done) return value
  }
}

const MAX_ENTRIES = 50

/** Caches by key: creating an Intl formatter for a zone takes browsers milliseconds. */
function memoize<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  if (cache.size >= MAX_ENTRIES) cache.clear()
  const value = make()
  cache.set(key, value)
  return value
}

/** Returns the local days that a span touches, newest first. */
export function daysIn(zone: string, span: Span): Bucket[] {
  return (findBuckets(offsetsIn(zone, span), 'day', span, 400) ?? []).toReversed()
}

export function monthOf(zone: string, at: Instant): Bucket | null {
  const span = { since: at, until: at + 1 }
  return findBuckets(offsetsIn(zone, span), 'month', span, 2)?.[0] ?? null
}

/**
 * Returns the positions of full hours within a day (0 to 1), correct for days with a clock change.
 */
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

function formatBirthday(date: string, locale: string): string {
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
