import type { EventDeps } from './deps'
import { eventsAfter, eventsAmong, latestEventId, type StoredEvent, settledEventId } from './outbox'

type Listener = (event: StoredEvent) => void

/** Passes on what is written to the outbox, in order, soon after it was committed. */
export interface Hub {
  /** Called for each event of one system until the returned function is called. */
  listen(systemId: number, listener: Listener): () => void
  /** Called for each event of every system, as long as anything may come of it. */
  listenToAll(listener: Listener, mayMatter: () => boolean): void
  /** The number of the newest event there ever was. */
  latest(): Promise<number>
  /** Something may have been written. */
  wake(): void
  start(): Promise<void>
  stop(): void
}

const BATCH = 500

/**
 * Numbers are drawn before the commit, so where many write at once one may be seen before a lower
 * one. What was skipped is asked for so long; most of it was never written.
 */
const SKIPPED_FOR_MS = 60_000
const MAX_SKIPPED = 1000

export function createHub({ db, pulse, warn }: EventDeps): Hub {
  const listeners = new Map<number, Set<Listener>>()
  const all: { listener: Listener; mayMatter: () => boolean }[] = []
  let seen = 0
  let isLooking = false
  let isMore = false
  let isStopped = false
  /** Numbers that were skipped, and when. */
  const skippedIds = new Map<number, number>()

  const emit = (event: StoredEvent) => {
    for (const listener of [
      ...all.map((one) => one.listener),
      ...(listeners.get(event.system_id) ?? []),
    ])
      try {
        listener(event)
      } catch (cause) {
        // One that fails keeps the event from nobody else.
        warn('an event could not be passed on', { id: event.id, cause: String(cause) })
      }
  }

  /** With nobody to tell, events need not even be read. */
  const isHeard = () => listeners.size > 0 || all.some(({ mayMatter }) => mayMatter())

  /** In the order of their numbers, also where one comes late. */
  const passMissed = async () => {
    if (skippedIds.size === 0) return
    for (const event of await eventsAmong(db, [...skippedIds.keys()])) {
      skippedIds.delete(event.id)
      emit(event)
    }
    const longAgo = performance.now() - SKIPPED_FOR_MS
    for (const [id, at] of skippedIds) if (at < longAgo) skippedIds.delete(id)
  }

  const noteMissed = (before: number, id: number) => {
    if (db.driver.dialect.maxUncommittedIds === 0) return
    for (let at = Math.max(before + 1, id - MAX_SKIPPED); at < id; at++)
      skippedIds.set(at, performance.now())
  }

  const look = async () => {
    try {
      while (isMore && !isStopped) {
        isMore = false
        if (!isHeard()) {
          const settled = await settledEventId(db)
          // A listener that came meanwhile may have read the outbox before these were written.
          if (isHeard()) {
            isMore = true
            continue
          }
          seen = settled
          skippedIds.clear()
          continue
        }
        await passMissed()
        const batch = await eventsAfter(db, seen, BATCH)
        for (const event of batch) {
          noteMissed(seen, event.id)
          seen = event.id
          emit(event)
        }
        isMore ||= batch.length === BATCH
      }
    } catch (cause) {
      warn('events could not be read', { cause: String(cause) })
    }
    isLooking = false
  }

  const wake = () => {
    isMore = true
    if (isLooking || isStopped) return
    isLooking = true
    // One look for everything that is written in the same moment, and never two at once.
    setImmediate(look)
  }

  return {
    listen(systemId, listener) {
      // Without listeners nothing was read, so it is not known which IDs were skipped.
      if (!isHeard()) wake()
      const own = listeners.get(systemId) ?? new Set()
      own.add(listener)
      listeners.set(systemId, own)
      return () => {
        own.delete(listener)
        if (own.size === 0 && listeners.get(systemId) === own) listeners.delete(systemId)
      }
    },
    listenToAll: (listener, mayMatter) => void all.push({ listener, mayMatter }),
    latest: () => latestEventId(db),
    wake,
    async start() {
      seen = await settledEventId(db)
      // Other processes write too, and cannot wake this one.
      pulse.onTick((isNew) => (isNew || skippedIds.size > 0) && wake())
      pulse.start()
    },
    stop() {
      isStopped = true
      pulse.stop()
    },
  }
}
