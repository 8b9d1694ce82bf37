import { DAY, HOUR, type Instant } from '../core/time'
import { weekdayOf } from './calendar'
import { compareIds, wholeSeconds } from './exactSum'
import type { ReplayListener } from './replay'
import type { Offset } from './timeZone'
import type { IsHidden } from './totals'

const HOURS = 24
const WEEK = 7 * DAY
const WEEK_HOURS = 7 * HOURS

export interface Hours {
  /** Seconds by hour of the day, per member. */
  members: [member: string, hours: number[]][]
  /** Seconds by weekday and hour of all these members together, Monday first. */
  weekdays: number[][]
}

/** Sums up front time per member by hour of the day in a time zone. */
export function sumHours(
  offsets: readonly Offset[],
  hides: IsHidden,
): ReplayListener & { hours(): Hours } {
  const shown = new Map<string, Float64Array>()
  const week = new Float64Array(WEEK_HOURS)
  const addMember = (member: string) => {
    const day = new Float64Array(HOURS)
    shown.set(member, day)
    return day
  }
  return {
    ended(member, from, to) {
      if (hides?.(member)) return
      const day = shown.get(member) ?? addMember(member)
      splitByHour(offsets, from, to, (hour, micros) => {
        week[hour] = (week[hour] ?? 0) + micros
        day[hour % HOURS] = (day[hour % HOURS] ?? 0) + micros
      })
    },

    hours: () => ({
      members: [...shown]
        .sort(([a], [b]) => compareIds(a, b))
        .map(([member, day]) => [member, Array.from(day, wholeSeconds)]),
      weekdays: Array.from({ length: 7 }, (_, weekday) =>
        Array.from(week.subarray(weekday * HOURS, (weekday + 1) * HOURS), wholeSeconds),
      ),
    }),
  }
}

/** Splits a span by hour of the week. */
function splitByHour(
  offsets: readonly Offset[],
  from: Instant,
  to: Instant,
  add: (hour: number, micros: number) => void,
): void {
  let index = offsets.findLastIndex((offset) => offset.from <= from)
  for (let start = from; start < to; index++) {
    const { ahead } = offsets[index] as Offset
    const end = Math.min(to, offsets[index + 1]?.from ?? Infinity)
    splitEvenly(start + ahead, end + ahead, add)
    start = end
  }
}

/** Like splitByHour, without changes of the UTC offset. A full week has each hour once. */
function splitEvenly(from: number, to: number, add: (hour: number, micros: number) => void): void {
  const weeks = Math.floor((to - from) / WEEK)
  if (weeks > 0) for (let hour = 0; hour < WEEK_HOURS; hour++) add(hour, weeks * HOUR)
  for (let start = from + weeks * WEEK; start < to; ) {
    const hour = Math.floor(start / HOUR)
    const end = Math.min(to, (hour + 1) * HOUR)
    const day = Math.floor(hour / HOURS)
    add(weekdayOf(day) * HOURS + hour - day * HOURS, end - start)
    start = end
  }
}
