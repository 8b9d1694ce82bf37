import fc from 'fast-check'
import { DAY, formatInstant, HOUR, MINUTE, parseInstant, SECOND } from '../../src/model/core/time'
import { describe, expect, test } from '../tools/test'

const NOON = Date.UTC(2023, 4, 6, 12) * 1000

describe('parseInstant', () => {
  const accepted: [title: string, text: string, instant: number][] = [
    ['with Z as UTC', '2023-05-06T12:00:00Z', NOON],
    ['without a zone as UTC', '2023-05-06T12:00:00', NOON],
    ['with a space instead of T', '2023-05-06 12:00:00', NOON],
    ['in lower case', '2023-05-06t12:00:00z', NOON],
    ['without seconds', '2023-05-06T12:00Z', NOON],
    ['without hours as midnight', '2023-05-06', NOON - 12 * HOUR],
    ['with an offset', '2023-05-06T14:00:00+02:00', NOON],
    ['with an offset without a colon', '2023-05-06T14:00:00+0200', NOON],
    ['with an offset of hours only', '2023-05-06 14:00:00+02', NOON],
    ['with an offset of half hours', '2023-05-06T17:30:00+05:30', NOON],
    ['with a negative offset', '2023-05-06T04:15:00-07:45', NOON],
    ['with an offset that changes the day', '2023-05-07T01:00:00+13:00', NOON],
    ['with tenths', '2023-05-06T12:00:00.5Z', NOON + SECOND / 2],
    ['with a comma before the fraction', '2023-05-06T12:00:00,25Z', NOON + SECOND / 4],
    ['with milliseconds', '2023-05-06T12:00:00.123Z', NOON + 123_000],
    ['with microseconds', '2023-05-06T12:00:00.123456Z', NOON + 123_456],
    ['with leading zeros in the fraction', '2023-05-06T12:00:00.000007Z', NOON + 7],
    ['with nanoseconds, which are dropped', '2023-05-06T12:00:00.1234569Z', NOON + 123_456],
    [
      'with 40 digits, of which 34 are dropped',
      `2023-05-06T12:00:00.${'9'.repeat(40)}Z`,
      NOON + 999_999,
    ],
    ['on a leap day', '2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000],
    ['before 1970 as a negative number', '1969-12-31T23:59:59.999999Z', -1],
    ['at the epoch as 0', '1970-01-01T00:00:00+00:00', 0],
  ]

  test.each(accepted)('parses a time %s: %s', (_, text, instant) => {
    expect(parseInstant(text)).toBe(instant)
  })

  const rejected: [title: string, text: string][] = [
    ['empty text', ''],
    ['a word', 'now'],
    ['a number', '1683374400'],
    ['29 February in a common year', '2023-02-29T12:00:00Z'],
    ['day 31 of a short month', '2023-04-31'],
    ['month 13', '2023-13-01'],
    ['month 0', '2023-00-01'],
    ['hour 24', '2023-05-06T24:00:00Z'],
    ['minute 60', '2023-05-06T12:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['an offset of 24 hours', '2023-05-06T12:00:00+24:00'],
    ['an offset of 60 minutes', '2023-05-06T12:00:00+01:60'],
    ['an offset of one digit', '2023-05-06T12:00:00+2'],
    ['a zone name', '2023-05-06T12:00:00 Europe/Oslo'],
    ['a zone without hours', '2023-05-06Z'],
    ['a dot without a fraction', '2023-05-06T12:00:00.Z'],
    ['an hour alone', '2023-05-06T12Z'],
    ['a year of two digits', '23-05-06T12:00:00Z'],
    ['a year of six digits', '+002023-05-06T12:00:00Z'],
    ['surrounding spaces', ' 2023-05-06T12:00:00Z '],
    ['a trailing line break', '2023-05-06T12:00:00Z\n'],
    ['an HTTP date', 'Sat, 06 May 2023 12:00:00 GMT'],
    ['a year whose microseconds exceed the safe integers', '9999-12-31T23:59:59Z'],
    ['a year whose microseconds are below the safe integers', '0001-01-01T00:00:00Z'],
  ]

  test.each(rejected)('rejects %s: %p', (_, text) => {
    expect(parseInstant(text)).toBeNull()
  })
})

describe('formatInstant', () => {
  const written: [instant: number, text: string][] = [
    [NOON, '2023-05-06T12:00:00Z'],
    [NOON + 1, '2023-05-06T12:00:00.000001Z'],
    [NOON + 10, '2023-05-06T12:00:00.00001Z'],
    [NOON + 500_000, '2023-05-06T12:00:00.5Z'],
    [NOON + 123_000, '2023-05-06T12:00:00.123Z'],
    [NOON + 123_456, '2023-05-06T12:00:00.123456Z'],
    [NOON + 999_999, '2023-05-06T12:00:00.999999Z'],
    [0, '1970-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [-SECOND, '1969-12-31T23:59:59Z'],
    [Number.MAX_SAFE_INTEGER, '2255-06-05T23:47:34.740991Z'],
    [Number.MIN_SAFE_INTEGER, '1684-07-28T00:12:25.259009Z'],
  ]

  test.each(written)('formats %d as %s', (instant, text) => {
    expect(formatInstant(instant)).toBe(text)
    expect(parseInstant(text)).toBe(instant)
  })
})

describe('for any time', () => {
  // A day less, so that the local time of any offset is a safe integer too.
  const max = Number.MAX_SAFE_INTEGER - DAY
  const instants = fc.integer({ min: -max, max })

  test('parses any formatted time to the same microsecond', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseInstant(formatInstant(instant))).toBe(instant)
      }),
    )
  })

  test('formats consecutive microseconds differently', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        expect(formatInstant(instant + 1)).not.toBe(formatInstant(instant))
      }),
    )
  })

  test('parses the same time with any offset', () => {
    const offsets = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 })
    fc.assert(
      fc.property(instants, offsets, (instant, minutes) => {
        const local = formatInstant(instant + minutes * MINUTE).replace('Z', '')
        expect(parseInstant(`${local}${formatOffset(minutes)}`)).toBe(instant)
      }),
    )
  })

  test('parses any text to a safe integer or null without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const instant = parseInstant(text)
        expect(instant === null || Number.isSafeInteger(instant)).toBe(true)
      }),
    )
  })
})

function formatOffset(minutes: number): string {
  const parts = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const [hours, rest] = parts.map((part) => String(part).padStart(2, '0'))
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}
