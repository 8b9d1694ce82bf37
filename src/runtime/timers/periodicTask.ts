import type { Clock, Timer } from './clock'

export interface PeriodicTaskOptions {
  readonly clock: Clock
  /** Pause between the end of a run and the next one; a function if it varies. */
  readonly everyMs: number | (() => number)
  /** Pause before the first run; `everyMs` by default. */
  readonly firstMs?: number
  /** Returns whether this process may run the task; asked before each run. */
  readonly mayRun?: () => boolean
  /** Long work ends early when `isStopped` returns true: at `stop`, or if it may no longer run. */
  readonly run: (isStopped: () => boolean) => Promise<void>
  readonly onError: (cause: unknown) => void
}

export interface PeriodicTask {
  /** Runs the task in addition, after a run in progress, because that one may have read old data. */
  runNow(): Promise<void>
  /** Starts no further run and waits for the one in progress. */
  stop(): Promise<void>
}

/** Repeats work. Runs never overlap, and the timer does not keep the process alive. */
export function startPeriodicTask({
  clock,
  everyMs,
  firstMs,
  mayRun = () => true,
  run,
  onError,
}: PeriodicTaskOptions): PeriodicTask {
  let hasStopped = false
  let lastRun: Promise<void> = Promise.resolve()
  let timer: Timer | undefined

  const isStopped = () => hasStopped || !mayRun()
  const runUnlessStopped = async () => {
    try {
      if (!isStopped()) await run(isStopped)
    } catch (cause) {
      onError(cause)
    }
  }
  const runNow = () => {
    lastRun = lastRun.then(runUnlessStopped)
    return lastRun
  }
  const nextPause = () => (typeof everyMs === 'number' ? everyMs : everyMs())
  const schedule = (pauseMs: number) => {
    const runAndRepeat = async () => {
      await runNow()
      if (!hasStopped) schedule(nextPause())
    }
    timer = clock.setTimeout(() => void runAndRepeat(), pauseMs).unref()
  }

  schedule(firstMs ?? nextPause())
  return {
    runNow,
    stop() {
      hasStopped = true
      timer?.stop()
      return lastRun
    },
  }
}
