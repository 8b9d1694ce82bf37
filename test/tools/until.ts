import { timeLeft } from './test'

/** Leaves time to report the failure before Bun ends the test without one. */
const MARGIN_MS = 2000

/** Reached after a second: what takes long need not be asked often. */
const MAX_PAUSE_MS = 50

/**
 * Waits until a value is accepted, by default until it is true, and returns it. Has no time limit
 * but that of the test, and throws the last value just before.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  isDone: (value: T) => boolean = Boolean,
  hasTime = () => timeLeft() > MARGIN_MS,
): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs + 1, MAX_PAUSE_MS)) {
    const value = await read()
    if (isDone(value)) return value
    if (!hasTime()) {
      const condition = isDone === Boolean ? read : `${isDone} of ${read}`
      throw new Error(`not reached: ${condition}; last value: ${Bun.inspect(value)}`)
    }
    await Bun.sleep(pauseMs)
  }
}
