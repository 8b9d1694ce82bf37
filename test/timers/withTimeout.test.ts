import { withTimeout } from '../../src/timers/withTimeout'
import { describe, expect, test } from '../test'

describe('timeout', () => {
  const never = new Promise<string>(() => {})

  test('returns or throws the result of work that ends in time', async () => {
    const late = () => 'late'
    expect(await withTimeout(Promise.resolve('done'), 1_000, late)).toBe('done')
    expect(withTimeout(Promise.reject(new Error('broken')), 1_000, late)).rejects.toThrow('broken')
  })

  test('returns or throws the result of the callback afterwards', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late')
    const fail = () => {
      throw new Error('late')
    }
    expect(withTimeout(never, 1, fail)).rejects.toThrow('late')
  })

  test('handles a failure of the work after the timeout', async () => {
    const unhandled: unknown[] = []
    const listener = (cause: unknown) => unhandled.push(cause)
    process.on('unhandledRejection', listener)
    const failing = Bun.sleep(5).then(() => Promise.reject(new Error('too late')))
    expect(await withTimeout(failing, 1, () => 'late')).toBe('late')
    await Bun.sleep(15)
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })
})
