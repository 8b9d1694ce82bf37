import { error } from '../../../model/core/errors'
import { type Clock, systemClock, type Timer } from '../../../runtime/timers/clock'
import { RETRY_AFTER_MS } from './spool'

/**
 * Queue in which clients wait before they send a file. A client that sends without a place is
 * served too, but may be refused after it has sent a large file.
 */
export interface UploadQueue {
  /**
   * Waits for a place of the system and reserves it; returns false if none became free in time.
   * Throws the signal's reason when the client closes its connection.
   */
  reserve(systemId: number, signal: AbortSignal): Promise<boolean>
  /** Frees a reserved place, because its file is being received. */
  release(systemId: number): void
  /** Assigns places that have become free. */
  assign(): void
}

export interface UploadLimits {
  /** Files that are being received, waiting or being imported, and reserved places. */
  maxFiles: number
  maxWaiting: number
  /** Time that a request waits; short, so that a server that stops need not wait for it. */
  waitMs: number
  /** Time that a client keeps its position between two requests. */
  absentMs: number
  /** Time within which an upload must begin. */
  reservedMs: number
}

const LIMITS: UploadLimits = {
  // As many of the largest files as the spool has room for.
  maxFiles: 8,
  maxWaiting: 100,
  waitMs: 10_000,
  absentMs: 5_000,
  reservedMs: 30_000,
}

interface UploadOptions {
  readonly limits?: UploadLimits
  readonly clock?: Clock | undefined
}

/** Requests of one system that wait, from any number of devices. */
interface Waiting {
  readonly requests: Set<() => void>
  /** Removes the system from the queue, unless it asks again. */
  leaving?: Timer | undefined
}

export function createUploadQueue(
  /** Systems whose files are being received, waiting or being imported. */
  busy: ReadonlySet<number>,
  { limits = LIMITS, clock = systemClock }: UploadOptions = {},
): UploadQueue {
  const { maxFiles, maxWaiting, waitMs, absentMs, reservedMs } = limits
  /** Systems with a reserved place, with the timer that frees it. */
  const reserved = new Map<number, Timer>()
  const waiting = new Map<number, Waiting>()

  const release = (systemId: number) => {
    reserved.get(systemId)?.stop()
    reserved.delete(systemId)
  }

  const hold = (systemId: number) => {
    release(systemId)
    const expire = () => {
      reserved.delete(systemId)
      assign()
    }
    reserved.set(systemId, clock.setTimeout(expire, reservedMs).unref())
  }

  const assign = () => {
    for (const [systemId, { requests }] of waiting) {
      if (busy.size + reserved.size >= maxFiles) return
      if (busy.has(systemId) || requests.size === 0) continue
      waiting.delete(systemId)
      hold(systemId)
      for (const grant of requests) grant()
    }
  }

  const join = (systemId: number): Waiting => {
    const existing = waiting.get(systemId)
    existing?.leaving?.stop()
    if (existing) return existing
    if (waiting.size >= maxWaiting)
      throw error('tooManyRequests', 'other files are being imported', RETRY_AFTER_MS)
    const joined = { requests: new Set<() => void>() }
    waiting.set(systemId, joined)
    return joined
  }

  return {
    release,
    assign,
    async reserve(systemId, signal) {
      signal.throwIfAborted()
      // A client whose answer was lost asks again.
      if (reserved.has(systemId)) {
        hold(systemId)
        return true
      }
      const waiter = join(systemId)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const grant = () => resolve(true)
      const giveUp = () => resolve(false)
      waiter.requests.add(grant)
      const timer = clock.setTimeout(giveUp, waitMs)
      signal.addEventListener('abort', giveUp, { once: true })
      assign()
      const isGranted = await promise
      timer.stop()
      signal.removeEventListener('abort', giveUp)
      waiter.requests.delete(grant)
      if (!isGranted && waiter.requests.size === 0) {
        const leave = () => {
          if (waiting.get(systemId) === waiter) waiting.delete(systemId)
        }
        if (signal.aborted) leave()
        else waiter.leaving = clock.setTimeout(leave, absentMs).unref()
      }
      signal.throwIfAborted()
      return isGranted
    },
  }
}
