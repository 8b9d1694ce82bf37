import type { Pair } from '../../model/fronting/pairs'
import type { Span } from '../../model/fronting/replay'
import type { MemberTotal } from '../../model/fronting/totals'
import { DAY, HOUR, type Instant, parseInstant } from '../../model/time'
import { instantOf } from './time'

/** What Insights shows, worked out of what the server answers. */

export const spanKinds = ['week', 'fortnight', 'month', 'year', 'all', 'own'] as const
export type SpanKind = (typeof spanKinds)[number]

const lengths = { week: 7 * DAY, fortnight: 14 * DAY, month: 30 * DAY, year: 365 * DAY }

export type Total = Omit<MemberTotal, 'last'> & { readonly last: string | null }

/** A week or a month, as the server spells it. */
export interface Period {
  readonly start: string
  readonly end: string
  readonly switches: number
  readonly nobody: number
  /** Seconds by member. */
  readonly members: Readonly<Record<string, number>>
}

export interface Figures {
  readonly span: Span
  readonly switches: number
  readonly members: readonly Total[]
  /** Seconds by the hour of the clock, by member. */
  readonly hours: Readonly<Record<string, readonly number[]>>
  readonly pairs: readonly Pair[]
  readonly by: 'week' | 'month'
  readonly periods: readonly Period[]
}

/** A span that ends now; null for those that begin when somebody says so. */
export function recentSpan(kind: SpanKind, now: Instant): Span | null {
  return kind === 'all' || kind === 'own' ? null : { since: now - lengths[kind], until: now }
}

export type SpanProblem = 'noDays' | 'wrongOrder' | 'notYet'

/** From one day to another, both included, as far as it is over. */
export function ownSpan(
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

/** The shortest of the usual spans that reaches back to a moment. */
export function nearestSpan(at: Instant, now: Instant): SpanKind {
  return (
    spanKinds.find((kind) => {
      const span = recentSpan(kind, now)
      return span !== null && span.since <= at
    }) ?? 'all'
  )
}

/** As if these members were not there. */
export function leaveOut(figures: Figures, isOut: (id: string) => boolean): Figures {
  const without = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([id]) => !isOut(id)))
  return {
    ...figures,
    members: figures.members.filter(({ member }) => !isOut(member)),
    hours: without(figures.hours),
    pairs: figures.pairs.filter(({ members }) => !members.some(isOut)),
    periods: figures.periods.map((period) => ({ ...period, members: without(period.members) })),
  }
}

/** Who stayed longest at one time. */
export function longestStay(members: readonly Total[]): Total | null {
  return members.reduce<Total | null>(
    (best, one) => (best && best.longest >= one.longest ? best : one),
    null,
  )
}

export function switchesADay({ switches, span }: Figures): number {
  return switches / ((span.until - span.since) / DAY)
}

/** Below this part of the fullest hour, an hour counts as empty enough to speak of a peak. */
const FLAT = 0.8

/** At which hour somebody is here most; null where every hour is about the same. */
export function peakHour(hours: readonly number[]): number | null {
  const most = Math.max(...hours)
  return Math.min(...hours) >= FLAT * most ? null : hours.indexOf(most)
}

/** Beyond this many weeks, months say more. */
const MOST_WEEKS = 60
/** As far back as the server lists months. */
const MOST_MONTHS = 390 * 30 * DAY

export function periodOf({ since, until }: Span): { by: 'week' | 'month'; since: Instant } {
  const by = until - since > MOST_WEEKS * 7 * DAY ? 'month' : 'week'
  return { by, since: Math.max(since, until - MOST_MONTHS) }
}

export interface Stack {
  readonly period: Period
  /** Seconds in the order of who is shown; what is left belongs to others. */
  readonly parts: readonly number[]
  readonly others: number
  readonly sum: number
}

/** Weeks or months, one on the other: the given ones each, everybody else together. */
export function stackPeriods(periods: readonly Period[], shown: readonly string[]): Stack[] {
  return periods.map((period) => {
    const sum = Object.values(period.members).reduce((all, seconds) => all + seconds, 0)
    const parts = shown.map((id) => period.members[id] ?? 0)
    return { period, parts, others: sum - parts.reduce((all, part) => all + part, 0), sum }
  })
}

/** Who was here longest in the most weeks or months, and in how many; the first where equal. */
export function leaderOf(periods: readonly Period[]): { id: string; count: number } | null {
  const counts = new Map<string, number>()
  for (const { members } of periods) {
    const [first] = Object.entries(members).sort(([, a], [, b]) => b - a)
    if (first) counts.set(first[0], (counts.get(first[0]) ?? 0) + 1)
  }
  const [leader] = [...counts].sort(([, a], [, b]) => b - a)
  return leader ? { id: leader[0], count: leader[1] } : null
}

/** In the middle of its first day, whatever the clocks do at its beginning. */
export function dayIn({ start }: Period): Instant {
  return (parseInstant(start) ?? 0) + 12 * HOUR
}
