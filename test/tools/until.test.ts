import { outcomeOf } from './outcomeOf'
import { describe, expect, test, timeLeft, withTimeout } from './test'
import { until } from './until'

describe('until', () => {
  test('returns the first value that is accepted', async () => {
    let count = 0
    expect(await until(() => ++count >= 2)).toBe(true)
    expect(
      await until(
        async () => ++count,
        (value) => value > 4,
      ),
    ).toBe(5)
  })

  test('throws an error of the read', async () => {
    const read = () => Promise.reject(new Error('closed'))
    expect(await outcomeOf(until(read))).toThrow('closed')
  })

  test('throws the condition and the last value when no time is left', async () => {
    const names = ['Wren']
    const waiting = until(
      () => names,
      ({ length }) => length === 5,
      () => names.push('Finch') < 3,
    )
    expect(await outcomeOf(waiting)).toThrow(
      /not reached: .*length === 5.* of .*names; last value: \[ "Wren", "Finch", "Finch" \]/,
    )
  })

  withTimeout(900_000).test('has the time of the test', () =>
    expect(timeLeft()).toBeGreaterThan(600_000),
  )
})
