import { type PeriodicTaskOptions, startPeriodicTask } from '../../src/timers/periodicTask'
import { until } from '../events/receiver'
import { afterAll, describe, expect, test } from '../test'

const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

describe('periodic task', () => {
  test('repeats after the first pause, and not after it was stopped', async () => {
    let runs = 0
    const task = start({ firstMs: 20, everyMs: 1, run: async () => void runs++ })
    await Bun.sleep(1)
    expect(runs).toBe(0)
    await until(() => runs >= 3)
    await task.stop()
    const count = runs
    await Bun.sleep(20)
    expect(runs).toBe(count)
  })

  test('asks for each pause when it varies', async () => {
    const pauses = [1, 2]
    let runs = 0
    start({ firstMs: 0, everyMs: () => pauses.shift() ?? 60_000, run: async () => void runs++ })
    await until(() => runs === 3)
    expect(pauses).toEqual([])
  })

  test('never overlaps runs, and runs once more if requested during a run', async () => {
    let running = 0
    let most = 0
    let runs = 0
    const task = start({
      everyMs: 1,
      async run() {
        most = Math.max(most, ++running)
        await Bun.sleep(5)
        running--
        runs++
      },
    })
    await until(() => running === 1)
    const before = runs
    await task.runNow()
    expect(runs).toBeGreaterThanOrEqual(before + 2)
    expect(most).toBe(1)
  })

  test('waits for the run in progress when it is stopped, and tells it to end', async () => {
    let hasEnded = false
    const task = start({
      everyMs: 60_000,
      async run(isStopped) {
        while (!isStopped()) await Bun.sleep(1)
        await Bun.sleep(5)
        hasEnded = true
      },
    })
    void task.runNow()
    await Bun.sleep(1)
    await task.stop()
    expect(hasEnded).toBe(true)
  })

  test('runs only while it may', async () => {
    let mayRun = false
    let runs = 0
    const task = start({ everyMs: 1, mayRun: () => mayRun, run: async () => void runs++ })
    await task.runNow()
    await Bun.sleep(10)
    expect(runs).toBe(0)
    mayRun = true
    await until(() => runs > 0)
  })

  test('reports a failed run and continues', async () => {
    const causes: unknown[] = []
    let runs = 0
    start({
      everyMs: 1,
      async run() {
        if (++runs === 1) throw 'first'
      },
      onError: (cause) => causes.push(cause),
    })
    await until(() => runs > 2)
    expect(causes).toEqual(['first'])
  })
})

function start(options: Omit<PeriodicTaskOptions, 'onError'> & Partial<PeriodicTaskOptions>) {
  const task = startPeriodicTask({ onError: () => {}, ...options })
  stops.push(task.stop)
  return task
}
