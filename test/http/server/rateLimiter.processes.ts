import { heapStats } from 'bun:jsc'
import { createRateLimiter, type Scope } from '../../../src/http/server/requestLimits'
import { describe, expect, test } from '../../tools/test'

describe('rate limiter with many addresses', () => {
  const limits = { generic_get: 10, message: 10, generic_update: 1 }
  const scopes: Scope[] = ['generic_get', 'message', 'generic_update']
  const start = Date.UTC(2026, 4, 6, 12)

  const ADDRESSES = 200_000

  test('many addresses take little memory in the rate limiter', () => {
    const take = createRateLimiter(limits)
    Bun.gc(true)
    const before = heapStats().heapSize
    // All within one second. Without a bound they would take 40 MiB.
    for (let n = 0; n < ADDRESSES; n++)
      take(
        scopes[n % 3] as Scope,
        `2001:db8:${n >> 16}:${n & 0xffff}::/64`,
        start + (n * 1000) / ADDRESSES,
      )
    Bun.gc(true)
    expect(heapStats().heapSize - before).toBeLessThan(32 * 1024 * 1024)
    expect(take('generic_update', 'one more', start + 1000).remaining).toBe(0)
  })

  test('a client stays limited when thousands of addresses follow in the same second', () => {
    const take = createRateLimiter(limits)
    take('generic_update', 'a', start)
    for (let n = 0; n < 15_000; n++) take('generic_update', `other ${n}`, start + n / 20)
    expect(take('generic_update', 'a', start + 750).retryAfter).toBe(250)
  })
})
