import type { StoppableSleep } from '../../runtime/timers/backoff'
import type { Clock } from '../../runtime/timers/clock'

/** Limit on the requests of one second, and pauses that Discord orders for all requests. */
export interface GlobalLimit {
  /** Resolves when a request may be sent, in the order of the calls. */
  acquire(): Promise<void>
  pause(ms: number): void
}

export function createGlobalLimit(
  { perWindow, windowMs }: { readonly perWindow: number; readonly windowMs: number },
  { clock, sleeper }: { readonly clock: Clock; readonly sleeper: StoppableSleep },
): GlobalLimit {
  /** Times of the latest requests, oldest first; at most `perWindow`. */
  const sent: number[] = []
  let pausedUntil = 0
  let turn: Promise<void> = Promise.resolve()

  const waitMs = () => {
    const oldest = sent.length < perWindow ? undefined : sent[0]
    const freeAt = oldest === undefined ? 0 : oldest + windowMs
    return Math.max(freeAt, pausedUntil) - clock.monotonic()
  }
  const waitForTurn = async () => {
    for (let ms = waitMs(); ms > 0 && !sleeper.isStopped; ms = waitMs()) await sleeper.sleep(ms)
    sent.push(clock.monotonic())
    if (sent.length > perWindow) sent.shift()
  }
  return {
    acquire() {
      turn = turn.then(waitForTurn)
      return turn
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms)
    },
  }
}
