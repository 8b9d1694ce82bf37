import { type PeriodicTaskOptions, startPeriodicTask } from '../../src/runtime/timers/periodicTask'
import { describe, expect, test } from '../tools/test'
import { createTestClock } from '../tools/testClock'

describe('periodic task', () => {
  test('repeats after the first pause, and not after it was stopped', async () => {
    let runs = 0
    const { task, clock } = start({ firstMs: 20, everyMs: 10, run: async () => void runs++ })
    await clock.advance(19)
    expect(runs).toBe(0)
    await clock.advance(1)
    expect(runs).toBe(1)
    await clock.advance(20)
    expect(runs).toBe(3)
    await task.stop()
    await clock.advance(1000)
    expect(runs).toBe(3)
  })

  test('asks for each pause when it varies', async () => {
    const pauses = [10, 20]
    let runs = 0
    const everyMs = () => pauses.shift() ?? 60_000
    const { clock } = start({ firstMs: 0, everyMs, run: async () => void runs++ })
    await clock.advance(0)
    await clock.advance(10)
    expect(runs).toBe(2)
    await clock.advance(19)
    expect(runs).toBe(2)
    await clock.advance(1)
    expect(runs).toBe(3)
    expect(pauses).toEqual([])
  })

  test('never overlaps runs, and runs once more if requested during a run', async () => {
    const ends: (() => void)[] = []
    const { task, clock } = start({
      everyMs: 10,
      run: () => new Promise((resolve) => ends.push(resolve)),
    })
    await clock.advance(10)
    const requested = task.runNow()
    await clock.advance(1000)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await clock.advance(0)
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await requested
  })

  test('waits for the run in progress when it is stopped, and tells it to end', async () => {
    const steps: string[] = []
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { task } = start({
      everyMs: 60_000,
      async run(isStopped) {
        steps.push(`stopped: ${isStopped()}`)
        await mayEnd
        steps.push(`stopped: ${isStopped()}`)
      },
    })
    void task.runNow()
    await Promise.resolve()
    const stopped = task.stop().then(() => steps.push('stop returned'))
    end()
    await stopped
    expect(steps).toEqual(['stopped: false', 'stopped: true', 'stop returned'])
  })

  test('runs only while it may', async () => {
    let mayRun = false
    let runs = 0
    const { task, clock } = start({
      everyMs: 10,
      mayRun: () => mayRun,
      run: async () => void runs++,
    })
    await task.runNow()
    await clock.advance(100)
    expect(runs).toBe(0)
    mayRun = true
    await clock.advance(10)
    expect(runs).toBe(1)
  })

  test('reports a failed run and continues', async () => {
    const causes: unknown[] = []
    let runs = 0
    const { clock } = start({
      everyMs: 10,
      async run() {
        if (++runs === 1) throw 'first'
      },
      onError: (cause) => causes.push(cause),
    })
    await clock.advance(20)
    expect(runs).toBe(2)
    expect(causes).toEqual(['first'])
  })
})

function start(
  options: Omit<PeriodicTaskOptions, 'onError' | 'clock'> & Partial<PeriodicTaskOptions>,
) {
  const clock = createTestClock()
  return { clock, task: startPeriodicTask({ clock, onError: () => {}, ...options }) }
}
