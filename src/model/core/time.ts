/**
 * Microseconds since 1970: safe integers between the years 1684 and 2255. A Date would lose the
 * last three digits.
 */
export type Instant = number

export const SECOND = 1_000_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Parses ISO 8601. A time without a zone is UTC; digits beyond microseconds are dropped. */
export function parseInstant(text: string): Instant | null {
  const match = PATTERN.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  // Date converts 30 February to a day in March; reject such dates.
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  if (Number.isNaN(date.getTime()) || date.toISOString() !== written) return null
  const offset = zone ? offsetOf(zone) : 0
  if (offset === null) return null
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'))
  const instant = date.getTime() * 1000 + micros - offset
  return Number.isSafeInteger(instant) ? instant : null
}

/** Formats as `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, without trailing zeros in the fraction. */
export function formatInstant(instant: Instant): string {
  const millis = Math.floor(instant / 1000)
  const iso = new Date(millis).toISOString()
  const rest = instant - millis * 1000
  if (rest === 0 && millis % 1000 === 0) return `${iso.slice(0, 19)}Z`
  const fraction = `${iso.slice(20, 23)}${String(rest).padStart(3, '0')}`
  return `${iso.slice(0, 19)}.${fraction.replace(/0+$/, '')}Z`
}

function offsetOf(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = zone.length === 3 ? 0 : Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * HOUR + minutes * MINUTE)
}
