import { DAY, type Instant } from '../core/time'
import type { Span } from './replay'
import type { Offset } from './timeZone'

export const periods = ['day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

/** A day, week or month in a time zone. */
export interface Bucket {
  readonly start: Instant
  readonly end: Instant
}

/** Upper bound of a period's length, in days. */
const MAX_PERIOD_DAYS = { day: 2, week: 8, month: 32 }

/** Maximum time by which the buckets of a span extend beyond it. */
export const BUCKET_MARGIN = 40 * DAY

/** Rejects spans that certainly have too many buckets, before any time zone lookup. */
export function isTooLong({ since, until }: Span, period: Period, maxBuckets: number): boolean {
  return until - since > maxBuckets * MAX_PERIOD_DAYS[period] * DAY
}

/**
 * Returns the days, weeks or months that overlap a span, or null if there are too many. A bucket
 * starts when the local clock first shows its first day or a later one: a day whose midnight is
 * skipped starts later, a skipped day has no bucket, and buckets never overlap.
 */
export function findBuckets(
  offsets: readonly Offset[],
  period: Period,
  { since, until }: Span,
  maxBuckets: number,
): Bucket[] | null {
  const startOf = (day: number) => firstMoment(offsets, day * DAY)
  let day = firstDay(period, localDay(offsets, since))
  while (startOf(nextDay(period, day)) <= since) day = nextDay(period, day)
  const buckets: Bucket[] = []
  for (let start = startOf(day); start < until; ) {
    day = nextDay(period, day)
    const end = startOf(day)
    if (end > start) buckets.push({ start, end })
    if (buckets.length > maxBuckets) return null
    start = end
  }
  return buckets
}

/** Returns the first moment at which the local clock shows a time or a later one. */
function firstMoment(offsets: readonly Offset[], local: number): Instant {
  for (const [index, { from, ahead }] of offsets.entries()) {
    const moment = Math.max(from, local - ahead)
    if (moment < (offsets[index + 1]?.from ?? Infinity)) return moment
  }
  throw new Error('the last offset has no end')
}

/** Returns the local date in days since 1970. */
function localDay(offsets: readonly Offset[], at: Instant): number {
  const { ahead } = offsets.findLast(({ from }) => from <= at) ?? { ahead: 0 }
  return Math.floor((at + ahead) / DAY)
}

/** Returns the first day of the period that contains a day. */
function firstDay(period: Period, day: number): number {
  if (period === 'day') return day
  if (period === 'week') return day - weekdayOf(day)
  const date = dateOf(day)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
}

/** Returns the first day of the next period. */
function nextDay(period: Period, first: number): number {
  if (period !== 'month') return first + (period === 'day' ? 1 : 7)
  const date = dateOf(first)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1))
}

/** Returns 0 for Monday. 1 January 1970 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

const DAY_MS = DAY / 1000

function dateOf(day: number): Date {
  return new Date(day * DAY_MS)
}

function dayOf(time: number): number {
  return time / DAY_MS
}
