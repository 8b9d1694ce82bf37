import fc from 'fast-check'
import {
  type Clock,
  createFormatter,
  daysIn,
  fieldsOf,
  firstWeekday,
  formatAgo,
  formatDuration,
  hourMarks,
  instantOf,
  monthOf,
} from '../../src/dashboard/lib/time'
import { loadStrings } from '../../src/dashboard/texts/texts'
import { HOUR, MINUTE, parseInstant, SECOND } from '../../src/model/core/time'
import { rounds } from '../tools/rounds'
import { afterAll, beforeAll, describe, expect, test } from '../tools/test'

await loadStrings('en')

const OSLO = 'Europe/Oslo'
const instant = (text: string) => parseInstant(text) ?? Number.NaN

test.each([
  [30 * SECOND, 'less than 1 min'],
  [15 * MINUTE, '15 min'],
  [HOUR, '1 h'],
  [6 * HOUR + 19 * MINUTE, '6 h 19 min'],
  [47 * HOUR, '47 h'],
  [48 * HOUR, '2 days'],
  [53 * HOUR, '2 days 5 h'],
])('formatDuration formats %d microseconds as %s', (micros, expected) =>
  expect(formatDuration(micros)).toBe(expected),
)

test.each([
  [30 * SECOND, 'just now'],
  [59 * MINUTE, '59 min ago'],
  [6.9 * HOUR, '6 h ago'],
  [75 * HOUR, '3 days ago'],
])('formatAgo formats %d microseconds ago as %s', (micros, expected) =>
  expect(formatAgo(micros)).toBe(expected),
)

test('formats times in the given zone and clock', () => {
  const evening = instant('2026-11-15T19:30:00Z')
  expect(createFormatter(OSLO, '24', 'en-GB').time(evening)).toBe('20:30')
  expect(createFormatter('UTC', '12', 'en-US').time(evening)).toMatch(/^7:30.PM$/)
  expect(createFormatter(OSLO, '24', 'en-GB').moment(evening, evening + 24 * HOUR)).toMatch(
    /15 Nov/,
  )
})

describe('in German', () => {
  beforeAll(() => loadStrings('de'))
  afterAll(() => loadStrings('en'))

  test.each([
    [30 * SECOND, 'unter 1 Min.'],
    [15 * MINUTE, '15 Min.'],
    [6 * HOUR + 19 * MINUTE, '6 Std. 19 Min.'],
  ])('formatDuration formats %d microseconds as %s', (micros, expected) =>
    expect(formatDuration(micros)).toBe(expected),
  )

  test.each([
    [30 * SECOND, 'gerade eben'],
    [59 * MINUTE, 'vor 59 Min.'],
    [75 * HOUR, 'vor 3 Tagen'],
  ])('formatAgo formats %d microseconds ago as %s', (micros, expected) =>
    expect(formatAgo(micros)).toBe(expected),
  )
})

test.each<[Clock, string, string[]]>([
  ['24', 'en-US', ['00', '06', '12', '18']],
  ['device', 'de', ['00', '06', '12', '18']],
  ['device', 'en-GB', ['00', '06', '12', '18']],
  ['device', 'en-US', ['12 AM', '6 AM', 'Noon', '6 PM']],
  ['12', 'en-US', ['12 AM', '6 AM', 'Noon', '6 PM']],
])('labels the hours of an axis by the clock %s, else the locale %s', (clock, locale, expected) => {
  const { hour } = createFormatter('UTC', clock, locale)
  const labels = [0, 6, 12, 18].map(hour)
  expect(labels.map((label) => label.replace(/\s/g, ' '))).toEqual(expected)
})

test.each([
  ['en-US', 7],
  ['en-GB', 1],
  ['de', 1],
  ['ar-EG', 6],
])('a week in %s starts on day %d', (locale, expected) =>
  expect(firstWeekday(locale)).toBe(expected),
)

test.each([
  [30 * SECOND, 'since 19:30 · just now'],
  [90 * MINUTE, 'since 19:30 · 1 h 30 min'],
])('since describes a front of %d microseconds as %s', (length, expected) => {
  const evening = instant('2026-11-15T19:30:00Z')
  expect(createFormatter('UTC', '24', 'en-GB').since(evening, evening + length)).toBe(expected)
})

describe('form fields', () => {
  test('fieldsOf returns the local date and time', () => {
    expect(fieldsOf(instant('2026-07-01T22:05:59Z'), OSLO)).toEqual({
      date: '2026-07-02',
      time: '00:05',
    })
  })

  test('instantOf reads what fieldsOf wrote, to the minute', () => {
    const minute = fc.integer({ min: 0, max: 40_000_000 }).map((count) => count * MINUTE)
    const zones = fc.constantFrom(OSLO, 'UTC', 'Asia/Kathmandu', 'America/St_Johns')
    fc.assert(
      fc.property(minute, zones, (at, zone) => {
        const { date, time } = fieldsOf(at, zone)
        const read = instantOf(date, time, zone)
        // A local hour that occurs twice is read as the first one.
        expect(read === at || read === at - HOUR).toBe(true)
      }),
      { numRuns: rounds(200) },
    )
  })

  test.each([
    ['', '10:00'],
    ['2026-11-15', ''],
    ['2026-02-31', '10:00x'],
  ])('instantOf returns null for %p and %p', (date, time) =>
    expect(instantOf(date, time, OSLO)).toBeNull(),
  )

  test('instantOf returns the end of the gap for a skipped local time', () => {
    expect(instantOf('2026-03-29', '02:30', OSLO)).toBe(instant('2026-03-29T01:00:00Z'))
  })
})

describe('days', () => {
  test('hourMarks are right on a day of 25 hours', () => {
    const noon = instant('2026-10-25T11:00:00Z')
    const [day] = daysIn(OSLO, { since: noon, until: noon + 1 })
    if (!day) throw new Error('no such day')
    expect((day.end - day.start) / HOUR).toBe(25)
    expect(hourMarks(OSLO, day, [6, 12, 18])).toEqual([7 / 25, 13 / 25, 19 / 25])
  })

  test('daysIn returns adjacent days, newest first', () => {
    const until = instant('2026-10-27T12:00:00Z')
    const days = daysIn(OSLO, { since: until - 6 * 24 * HOUR, until })
    expect(days.length).toBe(7)
    for (const [index, { start }] of days.entries())
      expect(days[index + 1]?.end ?? start).toBe(start)
  })

  test('monthOf returns the local month of a time', () => {
    expect(monthOf(OSLO, instant('2026-10-31T23:30:00Z'))).toEqual({
      start: instant('2026-10-31T23:00:00Z'),
      end: instant('2026-11-30T23:00:00Z'),
    })
  })
})
