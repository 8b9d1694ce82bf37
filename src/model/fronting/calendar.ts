import { DAY, type Instant } from '../time'
import type { Span } from './replay'
import type { Offset } from './zone'

export const periods = ['day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

/** A day, week or month of a zone's calendar. */
export interface Bucket {
  readonly start: Instant
  readonly end: Instant
}

/** No day, week or month is longer than this, in days. */
const LONGEST = { day: 2, week: 8, month: 32 }

/** What the calendar of a span may reach beyond it. */
export const MARGIN = 40 * DAY

/** Whether a span surely has more than so many, known before the zone is asked. */
export function isTooLong({ since, until }: Span, period: Period, most: number): boolean {
  return until - since > most * LONGEST[period] * DAY
}

/**
 * The calendar's days, weeks or months that a span touches; null when there are more than so many.
 * One begins with the first moment at which the clocks show its first day or a later one, so a day
 * whose midnight never was begins later, one that never was has no time, and none of them overlap.
 */
export function findBuckets(
  offsets: readonly Offset[],
  period: Period,
  { since, until }: Span,
  most: number,
): Bucket[] | null {
  const startOf = (day: number) => firstMoment(offsets, day * DAY)
  let day = firstDay(period, localDay(offsets, since))
  while (startOf(nextDay(period, day)) <= since) day = nextDay(period, day)
  const buckets: Bucket[] = []
  for (let start = startOf(day); start < until; ) {
    day = nextDay(period, day)
    const end = startOf(day)
    if (end > start) buckets.push({ start, end })
    if (buckets.length > most) return null
    start = end
  }
  return buckets
}

/** The first moment at which the clocks show a time or a later one. */
function firstMoment(offsets: readonly Offset[], local: number): Instant {
  for (const [at, { from, ahead }] of offsets.entries()) {
    const moment = Math.max(from, local - ahead)
    if (moment < (offsets[at + 1]?.from ?? Infinity)) return moment
  }
  throw new Error('the last offset has no end')
}

/** Days since 1970 that the clocks show. */
function localDay(offsets: readonly Offset[], at: Instant): number {
  const { ahead } = offsets.findLast(({ from }) => from <= at) ?? { ahead: 0 }
  return Math.floor((at + ahead) / DAY)
}

/** The first day of what a day belongs to. */
function firstDay(period: Period, day: number): number {
  if (period === 'day') return day
  if (period === 'week') return day - weekdayOf(day)
  const date = dateOf(day)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
}

/** The first day of the next one. */
function nextDay(period: Period, first: number): number {
  if (period !== 'month') return first + (period === 'day' ? 1 : 7)
  const date = dateOf(first)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1))
}

/** Monday is 0. The first day of 1970 was a Thursday. */
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
