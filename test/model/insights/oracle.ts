import { type Instant, MINUTE, SECOND } from '../../../src/model/core/time'
import type { Period } from '../../../src/model/insights/calendar'
import type { Day } from '../../../src/model/insights/days'
import type { Hours } from '../../../src/model/insights/hours'
import type { Pair } from '../../../src/model/insights/pairs'
import type { Span, SwitchPoint } from '../../../src/model/insights/replay'
import type { Stint } from '../../../src/model/insights/stints'
import type { MemberTotal, Totals } from '../../../src/model/insights/totals'

/**
 * Input of the oracle, which computes expected results slowly: it cuts time wherever anything could
 * change, and searches the history for the fronters of every piece. Calendars are Temporal's.
 */
export interface Question {
  history: readonly SwitchPoint[]
  now: Instant
  span: Span
  zone: string
  /** Members that are hidden from the caller; null for the owner. */
  hidden: ReadonlySet<string> | null
}

interface Piece extends Span {
  front: ReadonlySet<string>
}

/** Returns the fronters at a moment; null before the first switch and in the future. */
function frontAt({ history, now }: Question, at: Instant): ReadonlySet<string> | null {
  const known = history.filter(({ timestamp }) => timestamp <= Math.min(at, now))
  const last = known.toSorted((a, b) => b.timestamp - a.timestamp)[0]
  return at > now || last === undefined ? null : new Set(last.members)
}

function piecesOf(question: Question, { since, until }: Span, cuts: Instant[] = []): Piece[] {
  const end = Math.min(until, question.now)
  const times = [since, end, ...cuts, ...question.history.map(({ timestamp }) => timestamp)]
  const points = [...new Set(times)].filter((at) => at >= since && at <= end).sort((a, b) => a - b)
  return points.slice(0, -1).flatMap((from, at) => {
    const front = frontAt(question, from)
    return front === null ? [] : [{ since: from, until: points[at + 1] as Instant, front }]
  })
}

/** Returns uninterrupted spans in which a condition holds. */
function runsOf(pieces: Piece[], holds: (front: ReadonlySet<string>) => boolean): Span[] {
  const runs: Span[] = []
  for (const { since, until, front } of pieces) {
    if (!holds(front)) continue
    const last = runs.at(-1)
    if (last?.until === since) runs[runs.length - 1] = { since: last.since, until }
    else runs.push({ since, until })
  }
  return runs
}

const lengthOf = ({ since, until }: Span) => until - since
const sumOf = (spans: Span[]) => spans.map(lengthOf).reduce((a, b) => a + b, 0)
const seconds = (micros: number) => Math.floor(micros / SECOND)

/** Returns a fraction with four decimals, rounded half up. */
function fourDecimals(part: number, total: number): number {
  const times = Number((BigInt(part) * 10_000n) / BigInt(total))
  const rest = Number(BigInt(part) * 10_000n - BigInt(times) * BigInt(total))
  return (times + (rest * 2 >= total ? 1 : 0)) / 10_000
}

function allMembers({ history }: Question): string[] {
  return [...new Set(history.flatMap(({ members }) => members))].sort()
}

function shownMembers(question: Question): string[] {
  return allMembers(question).filter((member) => !question.hidden?.has(member))
}

export function totalsOf(question: Question, span = question.span): Totals {
  const pieces = piecesOf(question, span)
  const end = Math.min(span.until, question.now)
  const hidden = allMembers(question)
    .filter((member) => question.hidden?.has(member))
    .map((member) => runsOf(pieces, (front) => front.has(member)))
    .filter((runs) => runs.length > 0)
  const members = shownMembers(question).flatMap((member): MemberTotal[] => {
    const runs = runsOf(pieces, (front) => front.has(member))
    if (runs.length === 0) return []
    const lengths = runs.map(lengthOf).sort((a, b) => a - b)
    const [low, high] = [lengths[(lengths.length - 1) >> 1] ?? 0, lengths[lengths.length >> 1] ?? 0]
    const lastEnd = runs.at(-1)?.until ?? 0
    return [
      {
        member,
        time: seconds(sumOf(runs)),
        share: fourDecimals(sumOf(runs), lengthOf(span)),
        stints: runs.length,
        longest: seconds(lengths.at(-1) ?? 0),
        shortest: seconds(lengths[0] ?? 0),
        average: seconds(sumOf(runs) / runs.length),
        median: seconds((low + high) / 2),
        last: lastEnd === end ? null : lastEnd,
      },
    ]
  })
  return {
    ...span,
    switches: question.history.filter(({ timestamp: at }) => at >= span.since && at < end).length,
    nobody: seconds(sumOf(pieces.filter(({ front }) => front.size === 0))),
    hidden: question.hidden && {
      time: seconds(sumOf(hidden.flat())),
      stints: hidden.flat().length,
      members: hidden.length,
    },
    members: members.sort((a, b) => b.time - a.time || (a.member < b.member ? -1 : 1)),
  }
}

export function daysOf(question: Question, by: Period): Day[] {
  const { span, zone } = question
  return bucketsOf(span, zone, by).map(({ since: start, until: end }) => {
    const part = { since: Math.max(start, span.since), until: Math.min(end, span.until) }
    const { switches, nobody, hidden, members } = totalsOf(question, part)
    return {
      start,
      end,
      switches,
      nobody,
      hidden,
      members: members
        .map(({ member, time }): [string, number] => [member, time])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    }
  })
}

/** Returns the buckets that overlap the span, searching from some days before it. */
function bucketsOf({ since, until }: Span, zone: string, by: Period): Span[] {
  const days = { [`${by}s`]: 1 }
  const startOf = (date: Temporal.PlainDate) =>
    date.toZonedDateTime({ timeZone: zone }).epochMilliseconds * 1000
  const dateOf = (at: Instant) =>
    Temporal.Instant.fromEpochMilliseconds(Math.floor(at / 1000))
      .toZonedDateTimeISO(zone)
      .toPlainDate()
  let date = dateOf(since).subtract({ days: 3 })
  if (by === 'week') date = date.subtract({ days: date.dayOfWeek - 1 })
  if (by === 'month') date = date.with({ day: 1 })
  const buckets: Span[] = []
  for (; startOf(date) < until; date = date.add(days))
    buckets.push({ since: startOf(date), until: startOf(date.add(days)) })
  return buckets.filter((bucket) => bucket.until > bucket.since && bucket.until > since)
}

export function hoursOf(question: Question): Hours {
  const { span, zone } = question
  const minutes: Instant[] = []
  for (let at = Math.ceil(span.since / MINUTE) * MINUTE; at < span.until; at += MINUTE)
    minutes.push(at)
  const pieces = piecesOf(question, span, minutes).map((piece) => ({
    ...piece,
    ...clockAt(zone, piece.since),
  }))
  const sum = (chosen: typeof pieces) => seconds(sumOf(chosen))
  const members = shownMembers(question).flatMap((member): Hours['members'] => {
    const fronted = pieces.filter(({ front }) => front.has(member))
    const hours = Array.from({ length: 24 }, (_, at) =>
      sum(fronted.filter(({ hour }) => hour === at)),
    )
    return fronted.length === 0 ? [] : [[member, hours]]
  })
  const counted = shownMembers(question).flatMap((member) =>
    pieces.filter(({ front }) => front.has(member)),
  )
  const weekdays = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, at) =>
      sum(counted.filter(({ hour, weekday }) => hour === at && weekday === day)),
    ),
  )
  return { members, weekdays }
}

const clocks = new Map<string, { hour: number; weekday: number }>()

/** Returns local hour and weekday; cached, because the same minutes are queried repeatedly. */
function clockAt(zone: string, at: Instant): { hour: number; weekday: number } {
  const minute = Math.floor(at / MINUTE)
  const key = `${zone} ${minute}`
  const cached = clocks.get(key)
  if (cached) return cached
  const moment = Temporal.Instant.fromEpochMilliseconds((minute * MINUTE) / 1000)
  const { hour, dayOfWeek } = moment.toZonedDateTimeISO(zone)
  const found = { hour, weekday: dayOfWeek - 1 }
  clocks.set(key, found)
  return found
}

export function pairsOf(question: Question): Pair[] {
  const pieces = piecesOf(question, question.span)
  const shown = shownMembers(question)
  const pairs = shown.flatMap((a, at) =>
    shown.slice(at + 1).flatMap((b): Pair[] => {
      const runs = runsOf(pieces, (front) => front.has(a) && front.has(b))
      return runs.length === 0
        ? []
        : [{ members: [a, b], time: seconds(sumOf(runs)), times: runs.length }]
    }),
  )
  return pairs.sort((a, b) => b.time - a.time || (`${a.members}` < `${b.members}` ? -1 : 1))
}

/** Returns all stints that overlap the span, newest first, then by member. */
export function stintsOf(question: Question): Stint[] {
  const { history, now, span } = question
  const first = Math.min(...history.map(({ timestamp }) => timestamp))
  const pieces = history.length === 0 ? [] : piecesOf(question, { since: first, until: now })
  const end = Math.min(span.until, now)
  return shownMembers(question)
    .flatMap((member) =>
      runsOf(pieces, (front) => front.has(member)).map(({ since, until }) => {
        const isOpen = until === now && frontAt(question, now)?.has(member)
        return { member, from: since, to: isOpen ? null : until }
      }),
    )
    .filter(({ from, to }) => from < end && (to ?? now) > span.since)
    .sort((a, b) => b.from - a.from || (a.member < b.member ? -1 : 1))
}
