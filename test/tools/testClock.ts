import type { Clock, Timer } from '../../src/runtime/timers/clock'

interface TestTimer extends Timer {
  readonly at: number
  readonly run: () => void
  /** True for timers that nothing waits for, such as those of periodic tasks. */
  isUnreferenced: boolean
}

/** Clock that stands still until a test advances it. */
export interface TestClock extends Clock {
  /**
   * Moves the time, and runs the timers that are due in the order of their times. Between them, and
   * at the end, the event loop runs, so that what a timer started can set the next one.
   */
  advance(ms: number): Promise<void>
  /** Moves the time and runs no timer, like a process that is suspended. */
  skip(ms: number): void
  /** Waits until a timer for this many milliseconds from now (any, if omitted) is set. */
  untilTimer(ms?: number): Promise<void>
  /**
   * Waits for work, and meanwhile advances to every timer that is at most `limitMs` away as soon as
   * it is set. Only timers that keep a process alive move the time, because periodic tasks would
   * move it without end; time limits that must not run are further away.
   */
  runUntil<T>(work: Promise<T>, limitMs: number): Promise<T>
}

export function createTestClock(start = Date.parse('2026-01-01T12:00:00Z')): TestClock {
  let now = start
  const timers = new Set<TestTimer>()
  const waiting = new Set<() => void>()

  const add = (ms: number, run: (timer: TestTimer) => void): TestTimer => {
    const timer: TestTimer = {
      at: now + Math.max(0, Math.ceil(ms)),
      run: () => {
        timers.delete(timer)
        run(timer)
      },
      stop: () => timers.delete(timer),
      isUnreferenced: false,
      unref() {
        timer.isUnreferenced = true
        return timer
      },
    }
    timers.add(timer)
    for (const check of waiting) check()
    return timer
  }
  const setTimeoutOf = (run: () => void, ms: number) => add(ms, run)
  const earliest = (due: TestTimer[]) => due.sort((a, b) => a.at - b.at)[0]
  const nextDue = (end: number) => earliest([...timers].filter(({ at }) => at <= end))

  const untilChange = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => {
      waiting.delete(wake)
      resolve()
    }
    waiting.add(wake)
    return promise
  }

  const clock: TestClock = {
    now: () => now,
    monotonic: () => now - start,
    setTimeout: setTimeoutOf,
    setInterval(run, ms) {
      let current: TestTimer
      const again = () => {
        const { isUnreferenced } = current
        current = add(ms, again)
        if (isUnreferenced) current.unref()
        run()
      }
      current = add(ms, again)
      const interval: Timer = {
        stop: () => current.stop(),
        unref() {
          current.unref()
          return interval
        },
      }
      return interval
    },
    sleep: (ms) => new Promise((resolve) => setTimeoutOf(resolve, ms)),
    async advance(ms) {
      const end = now + ms
      await runEventLoop()
      for (let timer = nextDue(end); timer; timer = nextDue(end)) {
        now = Math.max(now, timer.at)
        timer.run()
        await runEventLoop()
      }
      now = end
    },
    skip(ms) {
      now += ms
    },
    untilTimer(ms) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const check = () => {
        if (![...timers].some(({ at }) => ms === undefined || at === now + ms)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
      return promise
    },
    async runUntil(work, limitMs) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      while (!isDone) {
        // The code that sets a timer unreferences it immediately afterwards.
        await Promise.resolve()
        const isDue = ({ at, isUnreferenced }: TestTimer) => !isUnreferenced && at <= now + limitMs
        const timer = earliest([...timers].filter(isDue))
        if (timer) await clock.advance(timer.at - now)
        else await Promise.race([done, untilChange()])
      }
      return done
    },
  }
  return clock
}

/** Lets everything run that waits for the event loop, but not for input or output. */
export async function runEventLoop(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}
