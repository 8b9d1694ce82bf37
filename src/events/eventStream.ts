import { isUnavailable } from '../model/errors'
import { requireSystem, type Viewer } from '../model/privacy'
import type { Events } from './events'
import { boundsOfSystem, eventsOfSystemAfter, type StoredEvent } from './outbox'
import { serializeEvent } from './serialize'
import type { StreamWriter } from './stream'

/** How much of the outbox is read at once for one reader. */
const PAGE = 20
const PAUSE_MS = 500

/** The position of a stream that is opened without one: it sends only what follows. */
export async function newestPosition({ deps }: Events, viewer: Viewer): Promise<number> {
  const { newest } = await boundsOfSystem(deps.db, requireSystem(viewer, 'follow'))
  return newest
}

/**
 * Sends the events of the caller's own system after a position, each once and in the order of
 * their IDs. Events of one system are committed in that order: their transactions hold its row.
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
  let isMore = false
  const tell = (event: StoredEvent) => {
    sent = event.id
    const data = JSON.stringify(serializeEvent(event, uuid))
    reader.send({ id: event.id, event: event.type, data })
  }
  /** Its ID is the one before the next event, so that a client that resumes with it gets no other. */
  const sendGap = (before: number) => {
    const data = JSON.stringify({ after: sent, before })
    sent = before - 1
    reader.send({ id: sent, event: 'gap', data })
  }
  const readOutbox = async () => {
    while (isReading) {
      isMore = false
      const page = await eventsOfSystemAfter(deps.db, id, sent, PAGE)
      // In this order: what is pruned in between is in the page.
      const { pruned, newest } = await boundsOfSystem(deps.db, id)
      for (const event of page) {
        if (!(await reader.waitForCapacity())) return
        if (sent < pruned && pruned < event.id && sent + 1 < event.id) sendGap(event.id)
        tell(event)
      }
      // An ID above the newest one is from a database that a restored backup has replaced.
      const end = sent > newest ? newest : pruned
      const isLost = sent > newest || (page.length === 0 && sent < pruned)
      if (isLost && (await reader.waitForCapacity())) sendGap(end + 1)
      isReading = page.length > 0 || isMore
    }
  }
  /** Needs not read what was just passed on, only what comes while there is no room for it. */
  const tellHeard = async (event: StoredEvent) => {
    isReading = true
    isMore = false
    if (!(await reader.waitForCapacity())) return
    tell(event)
    isReading = isMore
    await readOutbox()
  }
  /** Where one may be heard before a lower one, all are read, in their order. */
  const mayJump = deps.db.driver.dialect.maxUncommittedIds > 0
  const readOn = async () => {
    isReading = true
    await readOutbox()
  }
  let pausing: ReturnType<typeof setTimeout> | undefined
  /** Where the database is away for a while the stream stays, and then goes on where it was. */
  const pauseOrEnd = (cause: unknown) => {
    if (!isUnavailable(cause)) return reader.end()
    pausing = setTimeout(() => void readOn().catch(pauseOrEnd), PAUSE_MS)
  }
  const stop = hub.listen(id, (event) => {
    if (isReading) isMore = true
    else if (mayJump) readOn().catch(pauseOrEnd)
    else if (event.id > sent) tellHeard(event).catch(() => reader.end())
  })
  readOn().catch(pauseOrEnd)
  return () => {
    clearTimeout(pausing)
    stop()
  }
}
