import { DAY, HOUR, type Instant, MINUTE, parseInstant, SECOND } from '../../model/core/time'
import { createFormat } from '../../model/insights/timeZone'

const UNITS: Readonly<Record<string, number>> = {
  y: 365 * DAY,
  mo: 30 * DAY,
  w: 7 * DAY,
  d: DAY,
  h: HOUR,
  m: MINUTE,
  s: SECOND,
}

const DURATION =
  /^(?:\d+(?:\.\d+)?\s*(?:years?|y|months?|mon?|weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\s*)+$/

/** Parses a duration such as `1d12h30m`; null if the text is none. */
export function parseDuration(text: string): number | null {
  const folded = text.trim().toLowerCase()
  if (!DURATION.test(folded)) return null
  let sum = 0
  for (const [, count, unit = ''] of folded.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g))
    sum += Number(count) * (UNITS[unit.startsWith('mo') ? 'mo' : unit.slice(0, 1)] ?? 0)
  return Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : null
}

interface LocalDay {
  readonly year: number
  readonly month: number
  readonly day: number
}

/**
 * Parses a moment as people type it: how long ago, a date, a time of the day, or both in either
 * order, in the time zone of the system. A time without a date is the latest one before now.
 */
export function parseWhen(text: string, now: Instant, zone: string): Instant | null {
  const folded = text
    .trim()
    .toLowerCase()
    .replace(/\s+ago$/, '')
    .replace(/\s+/g, ' ')
  if (folded === 'now') return now
  const [, discord] = /^<t:(-?\d{1,11})(?::[a-z])?>$/.exec(folded) ?? []
  if (discord !== undefined) return Number(discord) * SECOND
  const duration = parseDuration(folded)
  if (duration !== null) return now - duration
  if (/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d.*(?:z|[+-]\d\d:?\d\d)$/.test(folded))
    return parseInstant(folded.toUpperCase())
  return parseLocal(folded, now, zone)
}

function parseLocal(folded: string, now: Instant, zone: string): Instant | null {
  const today = localDay(now, zone)
  const words = folded
    .replace(/,/g, '')
    .replace(/(\d)t(\d)/, '$1 $2')
    .replace(/ ([ap]m)\b/, '$1')
    .replace(/^last night (?=\S)/, 'yesterday ')
    .replace(/^last (?=[a-z]+day\b)/, '')
  const parts = words.split(' ').filter((word) => word !== 'at')
  for (let split = 0; split <= parts.length; split++)
    for (const [first, second] of [
      [parts.slice(0, split), parts.slice(split)],
      [parts.slice(split), parts.slice(0, split)],
    ]) {
      const date = parseDate((first ?? []).join(' '), today)
      const time = parseTime((second ?? []).join(' '))
      if (date === null || time === null) continue
      if (date !== 'none') return toInstant(date, time === 'none' ? 0 : time, zone)
      if (time === 'none') continue
      const ofToday = toInstant(today, time, zone)
      return ofToday <= now ? ofToday : toInstant({ ...today, day: today.day - 1 }, time, zone)
    }
  return null
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Parses a date; `none` for an empty text, null for one that is no date. */
function parseDate(text: string, today: LocalDay): LocalDay | 'none' | null {
  if (text === '') return 'none'
  if (text === 'today') return today
  if (text === 'yesterday') return { ...today, day: today.day - 1 }
  const weekday = WEEKDAYS.findIndex((name) => name === text || name.slice(0, 3) === text)
  if (weekday !== -1) return { ...today, day: today.day - daysSince(weekday, today) }
  const date = parseCalendarDate(text)
  if (!date) return null
  const { year, month, day } = date
  if (year !== null) return { year, month, day }
  const isAhead = month > today.month || (month === today.month && day > today.day)
  return { year: isAhead ? today.year - 1 : today.year, month, day }
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Days since the last such day of the week; a week on the day itself. */
function daysSince(weekday: number, { year, month, day }: LocalDay): number {
  return ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() - weekday + 6) % 7) + 1
}

/** Year of birthdays that have none. */
const NO_YEAR = 4

/** Parses a birthday to `YYYY-MM-DD`, with the year 0004 if it has none. */
export function parseBirthday(text: string): string | null {
  const date = parseCalendarDate(text.trim().toLowerCase().replace(/,/g, ''))
  if (!date) return null
  const { year, month, day } = date
  const pad = (value: number, width: number) => String(value).padStart(width, '0')
  return `${pad(year ?? NO_YEAR, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

/** Parses a date with digits (year first, or month and day) or with the name of the month. */
function parseCalendarDate(
  text: string,
): (Omit<LocalDay, 'year'> & { year: number | null }) | null {
  const [, year, month, day] = /^(?:(\d{4})[-/. ])?(\d{1,2})[-/. ](\d{1,2})$/.exec(text) ?? []
  if (month !== undefined) return validDay(year, Number(month), Number(day))
  const words = text.split(' ').map((word) => word.replace(/^(\d+)(?:st|nd|rd|th)$/, '$1'))
  const named = words.find((word) => /^[a-z]{3,}$/.test(word)) ?? ''
  const index = MONTHS.indexOf(named.slice(0, 3))
  const numbers = words.filter((word) => word !== named)
  const days = numbers.filter((word) => /^\d{1,2}$/.test(word))
  const years = numbers.filter((word) => /^\d{4}$/.test(word))
  if (index === -1 || days.length !== 1 || days.length + years.length !== numbers.length)
    return null
  return years.length > 1 ? null : validDay(years[0], index + 1, Number(days[0]))
}

function validDay(yearText: string | undefined, month: number, day: number) {
  const year = yearText === undefined ? null : Number(yearText)
  const date = new Date(0)
  date.setUTCFullYear(year ?? NO_YEAR, month - 1, day)
  const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isSame ? { year, month, day } : null
}

/** Parses a time of the day to microseconds; `none` for an empty text. */
function parseTime(text: string): number | 'none' | null {
  if (text === '') return 'none'
  if (text === 'noon') return 12 * HOUR
  if (text === 'midnight') return 0
  const [, hours, minutes] = /^(\d\d)(\d\d)$/.exec(text) ?? []
  if (hours !== undefined) return parseTime(`${hours}:${minutes}`)
  const [, hour, minute, second = '0', half] =
    /^(\d{1,2})(?::(\d\d))?(?::(\d\d))?([ap]m)?$/.exec(text) ?? []
  if (hour === undefined || (minute === undefined && half === undefined)) return null
  const isValid = half === undefined ? Number(hour) < 24 : Number(hour) >= 1 && Number(hour) <= 12
  if (!isValid || Number(minute ?? 0) > 59 || Number(second) > 59) return null
  const base = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  return base * HOUR + Number(minute ?? 0) * MINUTE + Number(second) * SECOND
}

function localDay(at: Instant, zone: string): LocalDay {
  const [month = 1, day = 1, year = 1970] = numbersOf(at, zone)
  return { year, month, day }
}

function toInstant({ year, month, day }: LocalDay, time: number, zone: string): Instant {
  const local = Date.UTC(year, month - 1, day) * 1000 + time
  // The offset at the local time read as UTC may differ from the right one near a change.
  const guess = local - offsetAt(local, zone)
  return local - offsetAt(guess, zone)
}

function offsetAt(at: Instant, zone: string): number {
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = numbersOf(at, zone)
  const shown = Date.UTC(year, month - 1, day, hour, minute, second) * 1000
  return shown - Math.floor(at / SECOND) * SECOND
}

function numbersOf(at: Instant, zone: string): number[] {
  return (
    createFormat(zone)
      .format(at / 1000)
      .match(/\d+/g) ?? []
  ).map(Number)
}
