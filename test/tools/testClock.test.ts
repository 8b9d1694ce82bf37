import { describe, expect, test } from './test'
import { createTestClock } from './testClock'

describe('test clock', () => {
  test('runs timers in the order of their times, also those that a timer sets', async () => {
    const clock = createTestClock(1_000)
    const seen: string[] = []
    const note = (name: string) => () => seen.push(`${name} at ${clock.now()}`)
    clock.setTimeout(note('late'), 30)
    clock.setTimeout(() => {
      note('early')()
      clock.setTimeout(note('set by early'), 10)
    }, 10)
    clock.setTimeout(note('stopped'), 15).stop()
    const interval = clock.setInterval(note('interval'), 12)
    await clock.advance(30)
    interval.stop()
    await clock.advance(100)
    expect(seen).toEqual([
      'early at 1010',
      'interval at 1012',
      'set by early at 1020',
      'interval at 1024',
      'late at 1030',
    ])
    expect([clock.now(), clock.monotonic()]).toEqual([1_130, 130])
  })

  test('runs the timers of a skipped time once, afterwards', async () => {
    const clock = createTestClock()
    const seen: number[] = []
    const interval = clock.setInterval(() => seen.push(clock.monotonic()), 10)
    clock.skip(35)
    expect(seen).toEqual([])
    await clock.advance(0)
    interval.stop()
    expect(seen).toEqual([35])
  })

  test('waits for a timer to be set', async () => {
    const clock = createTestClock()
    const waiting = clock.untilTimer(50).then(() => 'set')
    clock.setTimeout(() => {}, 40)
    await clock.advance(0)
    expect(await Promise.race([waiting, 'not set'])).toBe('not set')
    const sleeping = clock.sleep(50)
    expect(await waiting).toBe('set')
    await clock.advance(50)
    await sleeping
  })

  test('advances to the timers that work sets, but not for timers without a reference', async () => {
    const clock = createTestClock()
    let runs = 0
    const stopped = [clock.setInterval(() => runs++, 10), clock.setTimeout(() => runs++, 200)]
    for (const timer of stopped) timer.unref()
    const work = async () => {
      for (const ms of [100, 50]) await clock.sleep(ms)
      await Bun.file(import.meta.path).text()
      return clock.monotonic()
    }
    expect(await clock.runUntil(work(), 100)).toBe(150)
    expect(runs).toBe(15)
  })

  test('does not advance beyond a limit for work', async () => {
    const clock = createTestClock()
    const work = Promise.withResolvers<void>()
    clock.setTimeout(work.reject, 101)
    const waiting = clock.runUntil(work.promise, 100)
    await clock.advance(0)
    work.resolve()
    await waiting
    expect(clock.monotonic()).toBe(0)
  })
})
