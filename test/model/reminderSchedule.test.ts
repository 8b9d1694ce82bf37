import { type Instant, parseInstant } from '../../src/model/core/time'
import { createSchedule } from '../../src/model/reminders/reminderSchedule'
import { describe, expect, test } from '../tools/test'

const at = (text: string): Instant => parseInstant(text) ?? Number.NaN

describe('a schedule', () => {
  const oslo = createSchedule('Europe/Oslo')
  const daily = { every_days: 1, at: '02:30', from: '2026-01-01' }

  test.each<[string, string, string]>([
    [
      'is due at the next local time if the wanted one is skipped',
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:00:00Z',
    ],
    [
      'is due at the first of two equal local times',
      '2026-10-24T12:00:00Z',
      '2026-10-25T00:30:00Z',
    ],
    [
      'is not due again at the second of two equal local times',
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ],
    ['is due on its first day, but not before', '2020-01-01T00:00:00Z', '2026-01-01T01:30:00Z'],
  ])('%s', (_, after, expected) => {
    expect(oslo.next(daily, at(after))).toBe(at(expected))
  })

  test('is due once where a whole day is skipped at midnight', () => {
    const apia = createSchedule('Pacific/Apia')
    const rule = { every_days: 1, at: '00:00', from: '2011-12-29' }
    const first = apia.next(rule, at('2011-12-29T10:00:00Z')) ?? 0
    // 30 December did not exist, so its reminder and that of the 31st are the same.
    expect(first).toBe(at('2011-12-30T10:00:00Z'))
    expect(apia.next(rule, first)).toBe(at('2011-12-31T10:00:00Z'))
  })

  test('has no last time before its first day', () => {
    expect(oslo.last(daily, at('2025-12-31T00:00:00Z'))).toBeNull()
  })

  test('has no times if the rule is incomplete', () => {
    expect(oslo.next({ ...daily, at: null }, 0)).toBeNull()
    expect(oslo.last({ ...daily, every_days: null }, 0)).toBeNull()
  })
})
