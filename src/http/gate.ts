import { error } from '../model/errors'

/** Lets requests in one after the other, so that none keeps the whole server from the others. */
export interface Gate {
  /** Waits until the request may begin; throws if too many are there already. */
  enter(now: number): Promise<void> | undefined
  leave(): void
}

/**
 * How long requests are begun in one turn of the event loop. Whatever has arrived beyond that waits
 * here and not unseen in its socket, so that it can be counted, and health be told meanwhile.
 */
const TURN_MS = 20
/** More than begin within that time. */
const MOST_IN_TURN = 500

/** Made once: it is said when there is no time. */
const overloaded = error('unavailable', 'too many requests at once')

export function createGate(most: number): Gate {
  const waiting: (() => void)[] = []
  let inFlight = 0
  /** When the first request of this turn came; 0 before it. */
  let turnBegan = 0
  let isQueue = false

  const endTurn = () => {
    turnBegan = 0
  }

  /** Comes first in each turn as long as somebody waits, and lets in as many as fit into it. */
  const admit = () => {
    turnBegan = performance.now()
    isQueue = waiting.length > 0
    if (!isQueue) return endTurn()
    setImmediate(admit)
    for (let n = Math.min(waiting.length, MOST_IN_TURN); n > 0; n--) setImmediate(admitOne)
  }

  // Each in a callback of its own, after which its work is done as far as it goes without waiting.
  const admitOne = () => {
    if (performance.now() - turnBegan < TURN_MS) waiting.shift()?.()
  }

  return {
    enter(now) {
      if (inFlight >= most) throw overloaded
      inFlight++
      if (turnBegan === 0) {
        turnBegan = now
        setImmediate(endTurn)
      }
      if (!isQueue && now - turnBegan < TURN_MS) return undefined
      if (!isQueue) setImmediate(admit)
      isQueue = true
      return new Promise((resolve) => waiting.push(resolve))
    },
    leave() {
      inFlight--
    },
  }
}
