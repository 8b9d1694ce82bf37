import { DAY, HOUR, type Instant, MINUTE, parseInstant } from '../core/time'
import { createLocalTimes } from '../insights/timeZone'
import type { Reminder } from './reminder'

/** Rule of a reminder that repeats. */
export type Rule = Pick<Reminder, 'every_days' | 'at' | 'from'>

/** Times at which repeating reminders are due in a time zone. */
export interface Schedule {
  /** Returns the first time after the given one; null if the rule is incomplete. */
  next(rule: Rule, after: Instant): Instant | null
  /** Returns the last time up to the given one; null if there is none. */
  last(rule: Rule, until: Instant): Instant | null
}

/** Local time and UTC differ by less than a day, and a skipped local time is at most a day long. */
const MARGIN = 3 * DAY

export function createSchedule(zone: string): Schedule {
  const toInstant = createLocalTimes(zone)

  /** Generates the times of a rule in their order, beginning before the given one if possible. */
  function* times({ every_days, at, from }: Rule, around: Instant): Generator<Instant> {
    const firstDay = from === null ? null : parseInstant(from)
    if (every_days === null || at === null || firstDay === null) return
    const [hours = 0, minutes = 0] = at.split(':').map(Number)
    const first = firstDay + hours * HOUR + minutes * MINUTE
    const step = every_days * DAY
    for (let n = Math.max(0, Math.floor((around - MARGIN - first) / step)); ; n++)
      yield toInstant(first + n * step)
  }

  return {
    next(rule, after) {
      for (const time of times(rule, after)) if (time > after) return time
      return null
    },
    last(rule, until) {
      let last: Instant | null = null
      for (const time of times(rule, until)) {
        if (time > until) break
        last = time
      }
      return last
    },
  }
}
