import { error } from '../../model/core/errors'
import type { Clock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import type { Admission, ClientKey } from './requestLimits'

/** Time limits of a body. */
export interface ArrivalLimits {
  readonly totalMs: number
  /** Limit from the first byte on. */
  readonly afterFirstByteMs?: number
  /** Average speed that the client must have. The runtime closes connections that are below it. */
  readonly bytesPerSecond?: number
  /** Time that the client may be behind that speed: networks of phones pause. */
  readonly toleranceMs?: number
  /** True if unfinished bodies are not counted, because they have a queue of their own. */
  readonly isQueued?: boolean
}

const json: ArrivalLimits = { totalMs: 5_000 }

const file: ArrivalLimits = {
  totalMs: 600_000,
  bytesPerSecond: 16 * 1024,
  toleranceMs: 30_000,
}

export const arrivalLimits = {
  json,
  /** For anonymous callers, whose bodies are short. */
  login: { ...json, afterFirstByteMs: 1_000 },
  file,
  import: { ...file, isQueued: true },
} satisfies Record<string, ArrivalLimits>

/** Request whose body is to be received. */
export interface ArrivingRequest {
  /** True while the request is counted as in flight. */
  hasSlot: boolean
  /** Returns the keys that an unfinished body is counted by; none for a caller without limits. */
  clientKeys(): readonly ClientKey[]
}

/** Receives bodies, and counts those that are unfinished. */
export interface BodyArrival {
  /** Number of requests that wait for the rest of their body. */
  readonly count: number
  /**
   * Yields the chunks of a body. While the request waits for them, it has no slot among the requests
   * in flight: clients that send nothing would take the slots of others.
   */
  receive(
    request: ArrivingRequest,
    chunks: AsyncGenerator<Uint8Array>,
    limits: ArrivalLimits,
  ): AsyncGenerator<Uint8Array>
  /** Receives a body that the runtime collects. */
  receiveWhole(
    request: ArrivingRequest,
    whole: Promise<Uint8Array>,
    limits: ArrivalLimits,
  ): Promise<Uint8Array>
}

/** Maximum number of unfinished bodies per address and per system. */
const MAX_UNFINISHED = 8
const RETRY_AFTER_MS = 1_000

interface BodyArrivalParts {
  readonly clock: Clock
  readonly admission: Admission
  /** Throws the error of an overloaded server, for a request whose body has arrived. */
  readonly rejectOverload: () => Promise<never>
}

export function createBodyArrival({
  clock,
  admission,
  rejectOverload,
}: BodyArrivalParts): BodyArrival {
  /**
   * Returns true if a promise settles in this turn of the event loop. Most bodies arrive together with
   * the head of their request, and need neither a time limit nor a count.
   */
  const settlesAtOnce = createTurnCheck()
  const counts = new Map<ClientKey, number>()
  let count = 0

  /** Gives the slot back, and counts the body. Returns a function that ends this. */
  const beginWaiting = (request: ArrivingRequest, { isQueued }: ArrivalLimits) => {
    const keys = isQueued ? [] : request.clientKeys()
    for (const key of keys)
      if ((counts.get(key) ?? 0) >= MAX_UNFINISHED)
        throw error(
          'tooManyRequests',
          `too many unfinished bodies of this ${nounOf(key)}`,
          RETRY_AFTER_MS,
        )
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    count++
    if (request.hasSlot) admission.release()
    request.hasSlot = false
    return () => {
      count--
      for (const key of keys) {
        const rest = (counts.get(key) ?? 0) - 1
        if (rest > 0) counts.set(key, rest)
        else counts.delete(key)
      }
    }
  }

  const takeSlot = async (request: ArrivingRequest) => {
    if (admission.isFull) await rejectOverload()
    request.hasSlot = true
    await admission.acquire(performance.now())
  }

  const bodyArrival: BodyArrival = {
    get count() {
      return count
    },
    async receiveWhole(request, whole, limits) {
      if (await settlesAtOnce(whole)) return whole
      const chunks = bodyArrival.receive(request, chunkOf(whole), limits)
      const [bytes = new Uint8Array()] = await Array.fromAsync(chunks)
      return bytes
    },
    async *receive(request, chunks, limits) {
      const { totalMs, afterFirstByteMs = totalMs } = limits
      const { bytesPerSecond = Infinity, toleranceMs = totalMs } = limits
      let endWaiting: (() => void) | undefined
      let remaining = totalMs
      let ahead = toleranceMs
      try {
        for (;;) {
          const began = clock.monotonic()
          const next = chunks.next()
          if (!endWaiting && !(await settlesAtOnce(next)))
            endWaiting = beginWaiting(request, limits)
          const limitMs = Math.max(0, Math.min(ahead, remaining))
          const part = await (endWaiting ? withTimeout(next, limitMs, throwTooSlow, clock) : next)
          if (part.done) break
          // Only the client's time counts: between the chunks the server stores them.
          const waited = clock.monotonic() - began
          remaining = Math.min(remaining - waited, afterFirstByteMs)
          const earned = (part.value.byteLength / bytesPerSecond) * 1000
          ahead = Math.min(ahead - waited + earned, toleranceMs)
          yield part.value
        }
      } finally {
        endWaiting?.()
        // Not awaited: it ends when the next chunk arrives or the connection is closed.
        chunks.return(undefined).catch(() => {})
      }
      if (endWaiting) await takeSlot(request)
    },
  }
  return bodyArrival
}

/** Checks promises of bodies. The checks of a turn share one timer. */
function createTurnCheck(): (promise: Promise<unknown>) => Promise<boolean> {
  let waiting: ((isSettled: boolean) => void)[] = []
  const endTurn = () => {
    const late = waiting
    waiting = []
    // Ignored by those that are settled already.
    for (const resolve of late) resolve(false)
  }
  return (promise) =>
    new Promise((resolve) => {
      const settle = () => resolve(true)
      promise.then(settle, settle)
      if (waiting.push(resolve) === 1) setImmediate(endTurn)
    })
}

async function* chunkOf(whole: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await whole
}

/** Systems are counted by their row ID. */
function nounOf(key: ClientKey): string {
  return typeof key === 'number' ? 'system' : 'address'
}

function throwTooSlow(): never {
  throw error('requestTimeout', 'the body took too long to arrive')
}
