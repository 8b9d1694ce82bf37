import { withTimeout } from '../../src/runtime/timers/withTimeout'
import { outcomeOf } from '../tools/outcomeOf'
import { describe, expect, test } from '../tools/test'
import { createTestClock } from '../tools/testClock'

describe('timeout', () => {
  const never = new Promise<string>(() => {})

  test('returns or throws the result of work that ends in time', async () => {
    const late = () => 'late'
    expect(await withTimeout(Promise.resolve('done'), 1_000, late)).toBe('done')
    expect(await outcomeOf(withTimeout(Promise.reject(new Error('broken')), 1_000, late))).toThrow(
      'broken',
    )
  })

  test('returns or throws the result of the callback afterwards', async () => {
    const clock = createTestClock()
    const returning = withTimeout(never, 10, () => 'late', clock)
    const fail = () => {
      throw new Error('late')
    }
    const throwing = withTimeout(never, 10, fail, clock).catch(String)
    await clock.advance(9)
    expect(await Promise.race([returning, throwing, 'neither'])).toBe('neither')
    await clock.advance(1)
    expect(await returning).toBe('late')
    expect(await throwing).toBe('Error: late')
  })

  test('handles a failure of the work after the timeout', async () => {
    const clock = createTestClock()
    const unhandled: unknown[] = []
    const listener = (cause: unknown) => unhandled.push(cause)
    process.on('unhandledRejection', listener)
    const { promise: work, reject } = Promise.withResolvers<string>()
    const result = withTimeout(work, 10, () => 'late', clock)
    await clock.advance(10)
    expect(await result).toBe('late')
    reject(new Error('too late'))
    await clock.advance(0)
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })
})
