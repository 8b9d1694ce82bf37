import type { EventDeps } from './deps'
import { eventsAfter, latestEventId, type StoredEvent } from './outbox'

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

/** Other processes write too (the command line), and cannot wake this one. */
const POLL_MS = 1000
const BATCH = 500

export function createHub({ db, warn }: EventDeps): Hub {
  const listeners = new Map<number, Set<Listener>>()
  const all: { listener: Listener; mayMatter: () => boolean }[] = []
  let seen = 0
  let isLooking = false
  let isMore = false
  let isStopped = false
  let poll: ReturnType<typeof setInterval> | undefined

  const pass = (event: StoredEvent) => {
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

  const look = async () => {
    try {
      while (isMore && !isStopped) {
        isMore = false
        if (!isHeard()) {
          seen = await latestEventId(db)
          continue
        }
        const batch = await eventsAfter(db, seen, BATCH)
        for (const event of batch) {
          seen = event.id
          pass(event)
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
      seen = await latestEventId(db)
      poll = setInterval(wake, POLL_MS)
      poll.unref()
    },
    stop() {
      isStopped = true
      clearInterval(poll)
    },
  }
}
