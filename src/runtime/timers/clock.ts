/** Times and timers of the program. Tests pass a clock that they advance. */
export interface Clock {
  /** Milliseconds since 1970, which an operator may set back. */
  now(): number
  /** Milliseconds since an unspecified start, which never go back. */
  monotonic(): number
  setTimeout(run: () => void, ms: number): Timer
  setInterval(run: () => void, ms: number): Timer
  sleep(ms: number): Promise<void>
}

export interface Timer {
  stop(): void
  /** Lets the process exit although the timer is set. */
  unref(): Timer
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, ms) => systemTimer(setTimeout(run, ms), clearTimeout),
  setInterval: (run, ms) => systemTimer(setInterval(run, ms), clearInterval),
  sleep: (ms) => Bun.sleep(ms),
}

function systemTimer<T extends ReturnType<typeof setTimeout>>(
  handle: T,
  clear: (handle: T) => void,
): Timer {
  const timer: Timer = {
    stop: () => clear(handle),
    unref() {
      handle.unref()
      return timer
    },
  }
  return timer
}
