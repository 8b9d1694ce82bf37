import type { Log } from '../log'
import { error } from '../model/errors'
import { serializeError } from '../serializers/error'
import { CORS, createBaseHeaders, retryAfterOf } from './headers'

/** Starts requests in order and in limited number, so that a burst does not block the server. */
export interface Admission {
  /** Whether the limit of requests in flight is reached. */
  readonly isFull: boolean
  readonly inFlight: number
  /** Returns a promise if the request must wait for its turn. */
  acquire(now: number): Promise<void> | undefined
  release(): void
}

/**
 * Time in which requests are started in one turn of the event loop. Further requests wait here
 * instead of in their sockets, so that they are counted and health checks are answered meanwhile.
 */
const YIELD_MS = 50
/** Upper limit, used while receiving and refusing requests takes much time. */
const MAX_YIELD_MS = 200
/** Exceeds the number of requests that can start within that time. */
const MAX_PER_TURN = 1_000

export function createAdmission(maxInFlight: number): Admission {
  const waiting: (() => void)[] = []
  let inFlight = 0
  /** Whether a request has started in this turn, and until when others may start. */
  let isTurn = false
  let turnEnds = 0
  let isQueueing = false

  const endTurn = () => {
    isTurn = false
  }

  /** Runs first in each turn while requests wait, and starts as many as fit into the turn. */
  const admit = () => {
    const now = performance.now()
    // At least as long as the time spent on receiving and refusing, so that requests make progress.
    turnEnds = now + Math.min(Math.max(YIELD_MS, now - turnEnds), MAX_YIELD_MS)
    isQueueing = waiting.length > 0
    if (!isQueueing) return endTurn()
    setImmediate(admit)
    for (let n = Math.min(waiting.length, MAX_PER_TURN); n > 0; n--) setImmediate(admitOne)
  }

  // One callback per request, so that its synchronous work is done before the next one starts.
  const admitOne = () => {
    if (performance.now() < turnEnds) waiting.shift()?.()
  }

  return {
    get isFull() {
      return inFlight >= maxInFlight
    },
    get inFlight() {
      return inFlight
    },
    acquire(now) {
      inFlight++
      if (!isTurn && !isQueueing) {
        isTurn = true
        turnEnds = now + YIELD_MS
        setImmediate(endTurn)
      }
      if (!isQueueing && now < turnEnds) return undefined
      if (!isQueueing) setImmediate(admit)
      isQueueing = true
      return new Promise((resolve) => waiting.push(resolve))
    },
    release() {
      inFlight--
    },
  }
}

/** Delay before a rejected request is answered, and minimum interval between log lines about rejections. */
const REFUSAL_DELAY_MS = 500

/**
 * Creates the 503 response of an overloaded server. Refusals are delayed and sent together, because
 * clients that retry immediately would take more time to refuse than to serve.
 */
export function createOverloadResponder(
  log: Log,
): (isSameOriginOnly: boolean) => Promise<Response> {
  const failure = error('unavailable', 'too many requests at once')
  const body = JSON.stringify(serializeError(failure))
  const retryAfter = { 'retry-after': retryAfterOf(failure) }
  const sameOriginHeaders = createBaseHeaders(retryAfter).json
  const headers = createBaseHeaders({ ...CORS, ...retryAfter }).json
  let refused = 0
  let pending: Promise<void> | undefined
  const wait = async () => {
    await Bun.sleep(REFUSAL_DELAY_MS)
    log.warn('requests refused: server overloaded', { refused })
    refused = 0
    pending = undefined
  }
  return async (isSameOriginOnly) => {
    refused++
    pending ??= wait()
    await pending
    return new Response(body, {
      status: failure.status,
      headers: isSameOriginOnly ? sameOriginHeaders : headers,
    })
  }
}
