import fc from 'fast-check'
import {
  customSpan,
  type Figures,
  groupWeeks,
  leaderOf,
  longestStay,
  nearestSpan,
  type Period,
  peakHour,
  periodOf,
  recentSpan,
  stackPeriods,
  switchesADay,
  type Total,
} from '../../src/dashboard/features/insights/insights'
import { DAY, HOUR, parseInstant } from '../../src/model/core/time'
import { describe, expect, test } from '../tools/test'

const now = parseInstant('2026-11-15T12:00:00Z') ?? 0
const at = (time: string) => parseInstant(time) ?? Number.NaN

describe('the span', () => {
  test.each([
    ['week', 7],
    ['fortnight', 14],
    ['month', 30],
    ['year', 365],
  ] as const)('recentSpan of a %s is %d times 24 hours until now', (kind, days) => {
    expect(recentSpan(kind, now)).toEqual({ since: now - days * 24 * HOUR, until: now })
  })

  test.each([
    [
      'includes both days',
      { from: '2026-11-01', to: '2026-11-02' },
      { since: at('2026-10-31T23:00:00Z'), until: at('2026-11-02T23:00:00Z') },
    ],
    [
      'covers all 25 hours of a day',
      { from: '2026-10-25', to: '2026-10-25' },
      { since: at('2026-10-24T22:00:00Z'), until: at('2026-10-25T23:00:00Z') },
    ],
    [
      'ends now if the last day is not over',
      { from: '2026-11-15', to: '2027-01-01' },
      { since: at('2026-11-14T23:00:00Z'), until: now },
    ],
    ['rejects an end before the beginning', { from: '2026-11-02', to: '2026-11-01' }, 'wrongOrder'],
    ['rejects days in the future', { from: '2026-11-16', to: '2026-11-17' }, 'notYet'],
    ['rejects an empty start', { from: '', to: '2026-11-17' }, 'noDays'],
    ['rejects an empty end', { from: '2026-11-02', to: '' }, 'noDays'],
  ] as const)('customSpan %s', (_, days, expected) => {
    expect(customSpan(days, 'Europe/Oslo', now)).toEqual(expected)
  })

  test.each([
    [6, 'week'],
    [7, 'week'],
    [8, 'fortnight'],
    [29, 'month'],
    [31, 'year'],
    [400, 'all'],
  ] as const)('nearestSpan for %d days ago is %s', (days, kind) => {
    expect(nearestSpan(now - days * DAY, now)).toBe(kind)
  })

  test.each([
    [14, 'week', 14],
    [420, 'week', 420],
    [421, 'month', 421],
    [40_000, 'month', 11_700],
  ] as const)('periodOf groups %d days by %s', (days, by, back) => {
    expect(periodOf({ since: now - days * DAY, until: now })).toEqual({
      by,
      since: now - back * DAY,
    })
  })
})

const total = (member: string, time: number, longest = time): Total => ({
  member,
  time,
  share: 0,
  stints: 1,
  longest,
  shortest: longest,
  average: longest,
  median: longest,
  last: null,
})

const period = (members: Record<string, number>): Period => ({
  start: '2026-11-01T23:00:00Z',
  end: '2026-11-08T23:00:00Z',
  switches: 1,
  nobody: 0,
  members,
})

const figures: Figures = {
  span: { since: now - 14 * DAY, until: now },
  switches: 21,
  members: [total('wren', 500, 100), total('sleep', 400, 300), total('iris', 300, 300)],
  hours: { wren: [1], sleep: [2], iris: [3] },
  pairs: [
    { members: ['iris', 'wren'], time: 9, times: 1 },
    { members: ['sleep', 'wren'], time: 8, times: 1 },
  ],
  by: 'week',
  periods: [period({ wren: 5, sleep: 4 }), period({ sleep: 4 })],
}

describe('the figures', () => {
  test('longestStay returns the longest stint, and on a tie the member with more time', () => {
    expect(longestStay(figures.members)?.member).toBe('sleep')
    expect(longestStay([])).toBeNull()
  })

  test('switchesADay returns the average number of switches', () => {
    expect(switchesADay(figures)).toBe(1.5)
  })

  test.each([
    [
      'the hour with the most time',
      Array.from({ length: 24 }, (_, hour) => (hour === 11 ? 9 : hour % 3)),
      11,
    ],
    [
      'the first of two equal hours',
      Array.from({ length: 24 }, (_, hour) => (hour % 12 === 7 ? 9 : 0)),
      7,
    ],
    [
      'null if all hours are about the same',
      Array.from({ length: 24 }, (_, hour) => 100 - hour / 2),
      null,
    ],
  ])('peakHour returns %s', (_, hours, expected) => {
    expect(peakHour(hours)).toBe(expected)
  })

  test('leaderOf returns the member with the most time in the most periods', () => {
    expect(leaderOf(figures.periods)).toEqual({ id: 'wren', count: 1 })
    expect(leaderOf([period({ a: 1, b: 2 }), period({ b: 5 }), period({})])).toEqual({
      id: 'b',
      count: 2,
    })
    expect(leaderOf([])).toBeNull()
  })
})

test('groupWeeks sums days into weeks that begin on the chosen weekday', () => {
  const days = Array.from({ length: 10 }, (_, day) => {
    const on = (date: number) => `2026-11-${String(date).padStart(2, '0')}T00:00:00Z`
    return { ...period({ a: 1, [`m${day}`]: 2 }), start: on(day + 12), end: on(day + 13) }
  })
  const weekdayOf = (time: number) => new Date(time / 1000).getUTCDay() || 7
  const weeks = groupWeeks(days, 7, weekdayOf)
  // 12 November 2026 is a Thursday.
  expect(weeks.map(({ start }) => start.slice(8, 10))).toEqual(['12', '15'])
  expect(weeks.map(({ end }) => end.slice(8, 10))).toEqual(['15', '22'])
  expect(weeks.map(({ members }) => members.a)).toEqual([3, 7])
})

test('stackPeriods loses no time, whichever members are shown', () => {
  const members = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(600_000))
  fc.assert(
    fc.property(fc.array(members), fc.subarray(['a', 'b', 'c', 'd', 'e']), (weeks, shown) => {
      for (const { period: week, parts, others, sum } of stackPeriods(weeks.map(period), shown)) {
        expect(parts.reduce((all, part) => all + part, others)).toBe(sum)
        expect(sum).toBe(Object.values(week.members).reduce((all, one) => all + one, 0))
        expect(others).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})
