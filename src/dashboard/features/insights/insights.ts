import { DAY, HOUR, type Instant, parseInstant } from '../../../model/core/time'
import type { Pair } from '../../../model/insights/pairs'
import type { Span } from '../../../model/insights/replay'
import type { MemberTotal } from '../../../model/insights/totals'
import { createDraft } from '../../core/drafts'
import { instantOf } from '../../lib/time'

/** Data of Insights, derived from the server's responses. */

export const spanKinds = ['week', 'fortnight', 'month', 'year', 'all', 'own'] as const
export type SpanKind = (typeof spanKinds)[number]

/** Span selected on Insights; `from` and `to` keep what was typed for a custom span. */
export interface SpanDraft {
  readonly kind: SpanKind
  readonly from: string
  readonly to: string
}
const defaultSpan: SpanDraft = { kind: 'fortnight', from: '', to: '' }
export const spanDraft = createDraft(defaultSpan)

const lengths = { week: 7 * DAY, fortnight: 14 * DAY, month: 30 * DAY, year: 365 * DAY }

export type Total = Omit<MemberTotal, 'last'> & { readonly last: string | null }

/** A week or month as serialized by the server. */
export interface Period {
  readonly start: string
  readonly end: string
  readonly switches: number
  readonly nobody: number
  /** Seconds by member ID. */
  readonly members: Readonly<Record<string, number>>
}

export interface Figures {
  readonly span: Span
  readonly switches: number
  readonly members: readonly Total[]
  /** Seconds for each hour of the day, by member ID. */
  readonly hours: Readonly<Record<string, readonly number[]>>
  readonly pairs: readonly Pair[]
  readonly by: 'week' | 'month'
  readonly periods: readonly Period[]
}

/** Returns a span that ends now; null for kinds whose start has to be found or typed. */
export function recentSpan(kind: SpanKind, now: Instant): Span | null {
  return kind === 'all' || kind === 'own' ? null : { since: now - lengths[kind], until: now }
}

export type SpanProblem = 'noDays' | 'wrongOrder' | 'notYet'

/** Returns the span between two days, both included, cut off at now. */
export function customSpan(
  { from, to }: { from: string; to: string },
  zone: string,
  now: Instant,
): Span | SpanProblem {
  const since = instantOf(from, '00:00', zone)
  const end = instantOf(dayAfter(to), '00:00', zone)
  if (since === null || end === null) return 'noDays'
  if (since >= end) return 'wrongOrder'
  return since >= now ? 'notYet' : { since, until: Math.min(end, now) }
}

function dayAfter(date: string): string {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(midnight) ? '' : new Date(midnight + DAY / 1000).toISOString().slice(0, 10)
}

/** Returns the shortest predefined span that reaches back to a time. */
export function nearestSpan(at: Instant, now: Instant): SpanKind {
  return (
    spanKinds.find((kind) => {
      const span = recentSpan(kind, now)
      return span !== null && span.since <= at
    }) ?? 'all'
  )
}

export function longestStay(members: readonly Total[]): Total | null {
  return members.reduce<Total | null>(
    (best, total) => (best && best.longest >= total.longest ? best : total),
    null,
  )
}

export function switchesADay({ switches, span }: Figures): number {
  return switches / ((span.until - span.since) / DAY)
}

/** If the emptiest hour reaches this part of the fullest one, there is no peak. */
const FLAT_RATIO = 0.8

/** Returns the hour with the most fronting time; null if all hours are about the same. */
export function peakHour(hours: readonly number[]): number | null {
  const most = Math.max(...hours)
  return Math.min(...hours) >= FLAT_RATIO * most ? null : hours.indexOf(most)
}

/** Longer spans are grouped by month. */
const MAX_WEEKS = 60
/** The server's limit for a list of months. */
const MAX_MONTHS_SPAN = 390 * 30 * DAY

export function periodOf({ since, until }: Span): { by: 'week' | 'month'; since: Instant } {
  const by = until - since > MAX_WEEKS * 7 * DAY ? 'month' : 'week'
  return { by, since: Math.max(since, until - MAX_MONTHS_SPAN) }
}

/** Sums days into weeks that begin on a weekday (1 is Monday), because the server's begin on Monday. */
export function groupWeeks(
  days: readonly Period[],
  weekStart: number,
  weekdayOf: (at: Instant) => number,
): Period[] {
  const weeks: Period[] = []
  for (const day of days) {
    const last = weeks.at(-1)
    if (!last || weekdayOf(parseInstant(day.start) ?? 0) === weekStart) weeks.push(day)
    else weeks[weeks.length - 1] = addPeriods(last, day)
  }
  return weeks
}

function addPeriods(period: Period, next: Period): Period {
  const members = { ...period.members }
  for (const [id, seconds] of Object.entries(next.members))
    members[id] = (members[id] ?? 0) + seconds
  return {
    start: period.start,
    end: next.end,
    switches: period.switches + next.switches,
    nobody: period.nobody + next.nobody,
    members,
  }
}

export interface Stack {
  readonly period: Period
  /** Seconds in the order of the shown members; `others` is the rest. */
  readonly parts: readonly number[]
  readonly others: number
  readonly sum: number
}

/** Builds stacked bars: one part for each shown member, and one for all others together. */
export function stackPeriods(periods: readonly Period[], shown: readonly string[]): Stack[] {
  return periods.map((period) => {
    const sum = Object.values(period.members).reduce((all, seconds) => all + seconds, 0)
    const parts = shown.map((id) => period.members[id] ?? 0)
    return { period, parts, others: sum - parts.reduce((all, part) => all + part, 0), sum }
  })
}

/**
 * Returns the member with the most fronting time in the most periods, and how many; the first on a
 * tie.
 */
export function leaderOf(periods: readonly Period[]): { id: string; count: number } | null {
  const counts = new Map<string, number>()
  for (const { members } of periods) {
    const [first] = Object.entries(members).sort(([, a], [, b]) => b - a)
    if (first) counts.set(first[0], (counts.get(first[0]) ?? 0) + 1)
  }
  const [leader] = [...counts].sort(([, a], [, b]) => b - a)
  return leader ? { id: leader[0], count: leader[1] } : null
}

/** Returns noon of the period's first day, which is unaffected by clock changes at midnight. */
export function dayIn({ start }: Period): Instant {
  return (parseInstant(start) ?? 0) + 12 * HOUR
}
