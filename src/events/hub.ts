import type { EventDeps } from './deps'
import { eventsAfter, eventsAmong, latestEventId, type StoredEvent, settledEventId } from './outbox'

type Listener = (event: StoredEvent) => void

/** Emits events from the outbox to listeners, in order, soon after their commit. */
export interface Hub {
  /** Calls the listener for each event of a system, until the returned function is called. */
  listen(systemId: number, listener: Listener): () => void
  /** Calls the listener for the events of all systems; skips events while `mayMatter` returns false. */
  listenToAll(listener: Listener, mayMatter: () => boolean): void
  /** Returns the highest event ID ever assigned. */
  latest(): Promise<number>
  /** Reads the outbox soon, because an event may have been written. */
  wake(): void
  start(): Promise<void>
  stop(): void
}

const BATCH = 500

/**
 * IDs are assigned before the commit, so an event may become visible after one with a higher ID.
 * Skipped IDs are queried again for this long; most of them were never written.
 */
const RETRY_SKIPPED_MS = 60_000
const MAX_SKIPPED = 1000

export function createHub({ db, changes, clock, warn }: EventDeps): Hub {
  const listeners = new Map<number, Set<Listener>>()
  const all: { listener: Listener; mayMatter: () => boolean }[] = []
  let lastId = 0
  let isReading = false
  let hasMore = false
  let isStopped = false
  /** Skipped IDs, with the time at which they were skipped. */
  const skippedIds = new Map<number, number>()

  const emit = (event: StoredEvent) => {
    for (const listener of [
      ...all.map(({ listener }) => listener),
      ...(listeners.get(event.system_id) ?? []),
    ])
      try {
        listener(event)
      } catch (cause) {
        // A failing listener must not prevent calls of the next ones.
        warn('event listener failed', { id: event.id, cause: String(cause) })
      }
  }

  /** Without listeners the events need not be read. */
  const hasListeners = () => listeners.size > 0 || all.some(({ mayMatter }) => mayMatter())

  /** Emits skipped events that are visible by now, ordered by ID. */
  const emitSkipped = async () => {
    if (skippedIds.size === 0) return
    for (const event of await eventsAmong(db, [...skippedIds.keys()])) {
      skippedIds.delete(event.id)
      emit(event)
    }
    const oldest = clock.monotonic() - RETRY_SKIPPED_MS
    for (const [id, at] of skippedIds) if (at < oldest) skippedIds.delete(id)
  }

  const recordSkipped = (before: number, id: number) => {
    if (db.driver.dialect.maxUncommittedIds === 0) return
    for (let skippedId = Math.max(before + 1, id - MAX_SKIPPED); skippedId < id; skippedId++)
      skippedIds.set(skippedId, clock.monotonic())
  }

  const readOutbox = async () => {
    try {
      while (hasMore && !isStopped) {
        hasMore = false
        if (!hasListeners()) {
          const settled = await settledEventId(db)
          // A listener added meanwhile may have read the outbox before these events were written.
          if (hasListeners()) {
            hasMore = true
            continue
          }
          lastId = settled
          skippedIds.clear()
          continue
        }
        await emitSkipped()
        const batch = await eventsAfter(db, lastId, BATCH)
        for (const event of batch) {
          recordSkipped(lastId, event.id)
          lastId = event.id
          emit(event)
        }
        hasMore ||= batch.length === BATCH
      }
    } catch (cause) {
      warn('event read failed', { cause: String(cause) })
    }
    isReading = false
  }

  const wake = () => {
    hasMore = true
    if (isReading || isStopped) return
    isReading = true
    // One read for all events of the same moment, and never two reads at once.
    setImmediate(readOutbox)
  }

  return {
    listen(systemId, listener) {
      // Without listeners nothing was read, so skipped IDs are unknown.
      if (!hasListeners()) wake()
      const systemListeners = listeners.get(systemId) ?? new Set()
      systemListeners.add(listener)
      listeners.set(systemId, systemListeners)
      return () => {
        systemListeners.delete(listener)
        if (systemListeners.size === 0 && listeners.get(systemId) === systemListeners)
          listeners.delete(systemId)
      }
    },
    listenToAll: (listener, mayMatter) => void all.push({ listener, mayMatter }),
    latest: () => latestEventId(db),
    wake,
    async start() {
      lastId = await settledEventId(db)
      // Other processes write too, and cannot call `wake` here.
      changes.onTick((isNew) => (isNew || skippedIds.size > 0) && wake())
      changes.start()
    },
    stop() {
      isStopped = true
      changes.stop()
    },
  }
}
