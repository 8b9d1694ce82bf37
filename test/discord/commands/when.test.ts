import { parseBirthday, parseDuration, parseWhen } from '../../../src/discord/commands/when'
import { parseInstant } from '../../../src/model/core/time'
import { describe, expect, test } from '../../tools/test'

describe('times', () => {
  const now = parseInstant('2024-05-10T12:00:00Z') ?? 0
  const cases: [text: string, expected: string | null, zone?: string][] = [
    ['now', '2024-05-10T12:00:00Z'],
    ['1d12h30m', '2024-05-08T23:30:00Z'],
    ['1 hour', '2024-05-10T11:00:00Z'],
    ['2 hours 5 mins ago', '2024-05-10T09:55:00Z'],
    ['1w', '2024-05-03T12:00:00Z'],
    ['90s', '2024-05-10T11:58:30Z'],
    ['9:30', '2024-05-10T09:30:00Z'],
    ['13:00', '2024-05-09T13:00:00Z'],
    ['9pm', '2024-05-09T21:00:00Z'],
    ['9:15 pm', '2024-05-09T21:15:00Z'],
    ['12am', '2024-05-10T00:00:00Z'],
    ['yesterday', '2024-05-09T00:00:00Z'],
    ['yesterday 9pm', '2024-05-09T21:00:00Z'],
    ['9pm yesterday', '2024-05-09T21:00:00Z'],
    ['today at 8:00', '2024-05-10T08:00:00Z'],
    ['2024-05-03', '2024-05-03T00:00:00Z'],
    ['2024-05-03 14:30', '2024-05-03T14:30:00Z'],
    ['2024-05-03T14:30:15', '2024-05-03T14:30:15Z'],
    ['2024-05-03T14:30:00+02:00', '2024-05-03T12:30:00Z'],
    ['May 3', '2024-05-03T00:00:00Z'],
    ['3rd of may', null],
    ['3 May 2023 10:00', '2023-05-03T10:00:00Z'],
    ['Dec 24', '2023-12-24T00:00:00Z'],
    ['<t:1714732200:f>', '2024-05-03T10:30:00Z'],
    ['9:30', '2024-05-10T07:30:00Z', 'Europe/Oslo'],
    ['2024-01-03 14:30', '2024-01-03T13:30:00Z', 'Europe/Oslo'],
    ['2024-03-31 03:30', '2024-03-31T01:30:00Z', 'Europe/Oslo'],
    ['yesterday', '2024-05-09T12:00:00Z', 'Pacific/Auckland'],
    ['2330', '2024-05-09T23:30:00Z'],
    ['0930', '2024-05-10T09:30:00Z'],
    ['1.5h', '2024-05-10T10:30:00Z'],
    ['monday 3pm', '2024-05-06T15:00:00Z'],
    ['last monday 9:00', '2024-05-06T09:00:00Z'],
    ['friday', '2024-05-03T00:00:00Z'],
    ['last night 11pm', '2024-05-09T23:00:00Z'],
    ['last night', null],
    ['2575', null],
    ['2024-02-30', null],
    ['25:00', null],
    ['13pm', null],
    ['', null],
    ['soon', null],
    ['1x', null],
    [`${'9'.repeat(400)}d`, null],
  ]
  for (const [text, expected, zone = 'UTC'] of cases)
    test(`${text.slice(0, 40)} in ${zone} is ${expected ?? 'not a time'}`, () => {
      expect(parseWhen(text, now, zone)).toBe(expected === null ? null : parseInstant(expected))
    })

  test('durations are sums of their parts', () => {
    expect(parseDuration('1d 2h')).toBe(26 * 60 * 60 * 1_000_000)
    expect(parseDuration('1mo')).toBe(30 * 24 * 60 * 60 * 1_000_000)
    expect(parseDuration('2m')).toBe(2 * 60 * 1_000_000)
    expect(parseDuration('h')).toBeNull()
  })

  test('birthdays need no year', () => {
    expect(parseBirthday('May 3')).toBe('0004-05-03')
    expect(parseBirthday('Feb 29')).toBe('0004-02-29')
    expect(parseBirthday('3 May, 1990')).toBe('1990-05-03')
    expect(parseBirthday('1990-5-3')).toBe('1990-05-03')
    expect(parseBirthday('13-45')).toBeNull()
  })
})
