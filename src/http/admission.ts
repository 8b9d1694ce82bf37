import type { Log } from '../log'
import { error } from '../model/errors'
import { serializeError } from '../serializers/error'
import { CORS, createBaseHeaders, retryAfterOf } from './headers'

/** Lets requests in one after the other, so that none keeps the whole server from the others. */
export interface Admission {
  /** Whether as many are in flight as may be. */
  readonly isFull: boolean
  readonly inFlight: number
  /** Waits, where need be, until the request may begin. */
  acquire(now: number): Promise<void> | undefined
  release(): void
}

/**
 * How long requests are begun in one turn of the event loop. Whatever has arrived beyond that waits
 * here and not unseen in its socket, so that it can be counted, and health be told meanwhile.
 */
const YIELD_MS = 50
/** At the most, where much time goes into receiving and refusing others. */
const MAX_YIELD_MS = 200
/** More than begin within that time. */
const MAX_PER_TURN = 1_000

export function createAdmission(most: number): Admission {
  const waiting: (() => void)[] = []
  let inFlight = 0
  /** Whether a request has begun in this turn, and until when others may. */
  let isTurn = false
  let turnEnds = 0
  let isQueue = false

  const endTurn = () => {
    isTurn = false
  }

  /** Comes first in each turn as long as somebody waits, and lets in as many as fit into it. */
  const admit = () => {
    const now = performance.now()
    // As long as others were received and refused meanwhile, lest nothing else is done.
    turnEnds = now + Math.min(Math.max(YIELD_MS, now - turnEnds), MAX_YIELD_MS)
    isQueue = waiting.length > 0
    if (!isQueue) return endTurn()
    setImmediate(admit)
    for (let n = Math.min(waiting.length, MAX_PER_TURN); n > 0; n--) setImmediate(admitOne)
  }

  // Each in a callback of its own, after which its work is done as far as it goes without waiting.
  const admitOne = () => {
    if (performance.now() < turnEnds) waiting.shift()?.()
  }

  return {
    get isFull() {
      return inFlight >= most
    },
    get inFlight() {
      return inFlight
    },
    acquire(now) {
      inFlight++
      if (!isTurn && !isQueue) {
        isTurn = true
        turnEnds = now + YIELD_MS
        setImmediate(endTurn)
      }
      if (!isQueue && now < turnEnds) return undefined
      if (!isQueue) setImmediate(admit)
      isQueue = true
      return new Promise((resolve) => waiting.push(resolve))
    },
    release() {
      inFlight--
    },
  }
}

/** How long who is refused is kept waiting. */
const LOG_EVERY_MS = 500

/**
 * Answers those for whom there is no time, all of a moment together and not at once: who asks again
 * as soon as it is answered would take more time to refuse than to serve.
 */
export function createOverloadResponder(log: Log): (isOfPage: boolean) => Promise<Response> {
  const failure = error('unavailable', 'too many requests at once')
  const body = JSON.stringify(serializeError(failure))
  const later = { 'retry-after': retryAfterOf(failure) }
  const ofPage = createBaseHeaders(later).ofJson
  const headers = createBaseHeaders({ ...CORS, ...later }).ofJson
  let refused = 0
  let moment: Promise<void> | undefined
  const wait = async () => {
    await Bun.sleep(LOG_EVERY_MS)
    log.warn('too many requests at once', { refused })
    refused = 0
    moment = undefined
  }
  return async (isOfPage) => {
    refused++
    moment ??= wait()
    await moment
    return new Response(body, { status: failure.status, headers: isOfPage ? ofPage : headers })
  }
}
