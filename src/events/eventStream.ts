import { isUnavailable } from '../model/core/errors'
import { requireSystem, type Viewer } from '../model/core/privacy'
import type { Timer } from '../runtime/timers/clock'
import type { Events } from './events'
import { boundsOfSystem, eventsOfSystemAfter, type StoredEvent } from './outbox'
import { serializeEvent } from './serialize'
import type { StreamWriter } from './stream'

/** Number of events per query. */
const PAGE = 20
const PAUSE_MS = 500

/** Returns the position for a stream without one, which sends only later events. */
export async function newestPosition({ deps }: Events, viewer: Viewer): Promise<number> {
  const { newest } = await boundsOfSystem(deps.db, requireSystem(viewer, 'follow'))
  return newest
}

/**
 * Sends the events of the caller's system after a position, each once and ordered by ID. Events of
 * one system are committed in that order, because their transactions lock its row.
 */
export function streamEvents(
  { deps, hub }: Events,
  viewer: Viewer,
  reader: StreamWriter,
  uuid: string,
  position: number,
): () => void {
  const id = requireSystem(viewer, 'follow')
  let sent = position
  let isReading = true
  let hasMore = false
  const send = (event: StoredEvent) => {
    sent = event.id
    const data = JSON.stringify(serializeEvent(event, uuid))
    reader.send({ id: event.id, event: event.type, data })
  }
  /** Uses the ID before the next event, so that a client that resumes there gets no second gap. */
  const sendGap = (before: number) => {
    const data = JSON.stringify({ after: sent, before })
    sent = before - 1
    reader.send({ id: sent, event: 'gap', data })
  }
  const readOutbox = async () => {
    while (isReading) {
      hasMore = false
      const page = await eventsOfSystemAfter(deps.db, id, sent, PAGE)
      // In this order: events that are pruned in between are in the page.
      const { pruned, newest } = await boundsOfSystem(deps.db, id)
      for (const event of page) {
        if (!(await reader.waitForCapacity())) return
        if (sent < pruned && pruned < event.id && sent + 1 < event.id) sendGap(event.id)
        send(event)
      }
      // A position above the newest ID is from before a backup was restored.
      const end = sent > newest ? newest : pruned
      const isLost = sent > newest || (page.length === 0 && sent < pruned)
      if (isLost && (await reader.waitForCapacity())) sendGap(end + 1)
      isReading = page.length > 0 || hasMore
    }
  }
  /** Sends an event from the hub without reading it again, then events that arrived meanwhile. */
  const sendFromHub = async (event: StoredEvent) => {
    isReading = true
    hasMore = false
    if (!(await reader.waitForCapacity())) return
    send(event)
    isReading = hasMore
    await readOutbox()
  }
  /** The hub may emit an event before one with a lower ID; then all are read from the outbox. */
  const isUnordered = deps.db.driver.dialect.maxUncommittedIds > 0
  const resume = async () => {
    isReading = true
    await readOutbox()
  }
  let pauseTimer: Timer | undefined
  /** Keeps the stream open while the database is unavailable, and resumes at its position. */
  const pauseOrEnd = (cause: unknown) => {
    if (!isUnavailable(cause)) return reader.end()
    pauseTimer = deps.clock.setTimeout(() => void resume().catch(pauseOrEnd), PAUSE_MS)
  }
  const stop = hub.listen(id, (event) => {
    if (isReading) hasMore = true
    else if (isUnordered) resume().catch(pauseOrEnd)
    else if (event.id > sent) sendFromHub(event).catch(() => reader.end())
  })
  resume().catch(pauseOrEnd)
  return () => {
    pauseTimer?.stop()
    stop()
  }
}
