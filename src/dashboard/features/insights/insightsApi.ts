import { DAY, formatInstant, HOUR, type Instant, parseInstant } from '../../../model/core/time'
import type { Pair } from '../../../model/insights/pairs'
import type { Span } from '../../../model/insights/replay'
import { request } from '../../api/client'
import { switchesPath } from '../../api/paths'
import { statisticsPath } from '../../api/resources'
import { weekStart } from '../../core/appearance'
import { hasOlder, switches } from '../../core/store'
import { daysIn, weekdayOf } from '../../lib/time'
import { type Figures, groupWeeks, type Period, periodOf, type Total } from './insights'

/** Requests for the figures of Insights. */

const MONDAY = 1
/** The server's limit for a list of days, with a margin. */
const MAX_DAYS = 390

interface Options {
  isWithoutCustomFronts: boolean
  signal: AbortSignal
}

export async function loadInsights(
  span: Span,
  zone: string,
  { isWithoutCustomFronts, signal }: Options,
): Promise<Figures | null> {
  const { by, since } = periodOf(span)
  const isGrouped =
    by === 'week' && weekStart.value !== MONDAY && span.until - since <= MAX_DAYS * DAY
  const kind = isWithoutCustomFronts ? '&kind=members' : ''
  const read = <T>(path: string, override: Partial<Span> = {}) =>
    request<T>(`${statisticsPath}/${path}${spanQuery({ ...span, ...override }, zone)}${kind}`, {
      signal,
    })
  const [totals, hours, pairs, periods] = await Promise.all([
    read<{ switches: number; members: Total[] }>('totals?'),
    read<{ members: Record<string, number[]> }>('hours?'),
    read<Pair[]>('pairs?'),
    read<Period[]>(`days?by=${isGrouped ? 'day' : by}&`, { since }),
  ])
  if (!totals || !hours || !pairs || !periods) return null
  const weekdayIn = (at: Instant) => weekdayOf(at + 12 * HOUR, zone)
  const shown = isGrouped ? groupWeeks(periods, weekStart.value, weekdayIn) : periods
  return { span, ...totals, hours: hours.members, pairs, by, periods: shown }
}

function spanQuery({ since, until }: Span, zone: string): string {
  return new URLSearchParams({
    since: formatInstant(since),
    until: formatInstant(until),
    zone,
  }).toString()
}

/** Returns the start of the day of the first switch; null without switches. */
export async function findFirstDay(
  zone: string,
  now: Instant,
  signal: AbortSignal,
): Promise<Instant | null> {
  const oldest = switches.value.at(-1)
  if (!oldest) return null
  if (!hasOlder.value) return startOfDay(zone, oldest.timestamp)
  let until = now
  let first = startOfDay(zone, oldest.timestamp)
  for (;;) {
    const { since } = periodOf({ since: Number.NEGATIVE_INFINITY, until })
    const months = await listPeriods('month', { since, until }, zone, signal)
    const month = months.find(({ switches }) => switches > 0)
    if (month) {
      const span = { since: instantOf(month.start), until: instantOf(month.end) }
      const days = await listPeriods('day', span, zone, signal)
      const day = days.find(({ switches }) => switches > 0)
      first = instantOf((day ?? month).start)
    }
    // The server limits the number of months per request, and few systems exceed it.
    const before = await request<{ timestamp: string }[]>(
      `${switchesPath}?limit=1&before=${encodeURIComponent(formatInstant(since))}`,
      { signal },
    )
    const [earlier] = before ?? []
    if (!earlier) return first
    until = instantOf(earlier.timestamp) + DAY
  }
}

async function listPeriods(
  by: 'day' | 'month',
  span: Span,
  zone: string,
  signal: AbortSignal,
): Promise<Period[]> {
  const path = `${statisticsPath}/days?by=${by}&${spanQuery(span, zone)}`
  return (await request<Period[]>(path, { signal })) ?? []
}

function startOfDay(zone: string, at: Instant): Instant {
  return daysIn(zone, { since: at, until: at + 1 })[0]?.start ?? at
}

function instantOf(time: string): Instant {
  return parseInstant(time) ?? 0
}
