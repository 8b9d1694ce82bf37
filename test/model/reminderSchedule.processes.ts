import { DAY, type Instant, MINUTE, parseInstant } from '../../src/model/core/time'
import { createSchedule } from '../../src/model/reminders/reminderSchedule'
import { dueTimes, type OracleRule } from '../tools/reminderOracle'
import { describe, expect, test } from '../tools/test'

const at = (text: string): Instant => parseInstant(text) ?? Number.NaN

/** Zones with the beginning of the 400 days: Samoa skipped a day in December 2011. */
const zones: [zone: string, since: string][] = [
  ['Europe/Oslo', '2026-01-01T00:00:00Z'],
  ['America/Costa_Rica', '2026-01-01T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-01-01T00:00:00Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z'],
  ['Pacific/Apia', '2011-06-01T00:00:00Z'],
]

const rules = (since: string): OracleRule[] => {
  const from = since.slice(0, 10)
  return [
    { every_days: 1, at: '00:00', from },
    { every_days: 1, at: '02:00', from },
    { every_days: 1, at: '02:15', from },
    { every_days: 1, at: '02:30', from },
    { every_days: 1, at: '23:59', from },
    { every_days: 3, at: '09:05', from },
    { every_days: 7, at: '02:45', from: '1999-12-31' },
    { every_days: 365, at: '12:00', from },
  ]
}

describe.each(zones)('the schedule in %s', (zone, start) => {
  const since = at(start)
  const until = since + 400 * DAY
  const schedule = createSchedule(zone)

  test.each(rules(start))(
    'every $every_days days at $at from $from is that of the oracle',
    (rule) => {
      const expected = dueTimes(zone, rule, since, until)
      expect(expected.length).toBeGreaterThan(0)
      const found: Instant[] = []
      let next = schedule.next(rule, since - 1)
      while (next !== null && next <= until) {
        found.push(next)
        next = schedule.next(rule, next)
      }
      expect(found).toEqual(expected)
      for (const [index, time] of expected.entries()) {
        expect(schedule.last(rule, time)).toBe(time)
        expect(schedule.last(rule, time + MINUTE - 1)).toBe(time)
        expect(schedule.next(rule, time - 1)).toBe(time)
        const before = expected[index - 1]
        if (before !== undefined) expect(schedule.last(rule, time - 1)).toBe(before)
      }
    },
  )
})
