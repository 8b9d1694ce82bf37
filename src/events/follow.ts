import { isUnavailable } from '../model/errors'
import { requireSystem, type Viewer } from '../model/privacy'
import type { Events } from './events'
import { eventsOfSystemAfter, findGap, latestOfSystem, type StoredEvent } from './outbox'
import { spellEvent } from './spell'
import type { Listener } from './stream'

/** How much of the outbox is read at once for one reader. */
const PAGE = 20
const PAUSE_MS = 500

/**
 * Sends what the caller's own system missed, then what happens. Whenever the reader has no room, the
 * outbox keeps what happens until it has.
 */
export function follow(
  { deps, hub }: Events,
  viewer: Viewer,
  reader: Listener,
  uuid: string,
  since: number | null,
): () => void {
  const id = requireSystem(viewer, 'follow')
  let sent = 0
  let isReading = true
  let isMore = false
  const tell = (event: StoredEvent) => {
    sent = event.id
    const data = JSON.stringify(spellEvent(event, uuid))
    reader.send({ id: event.id, event: event.type, data })
  }
  /** With the number before the next, so that it is told once. */
  const tellGap = (gap: { after: number; before: number }) => {
    sent = gap.before - 1
    reader.send({ id: sent, event: 'gap', data: JSON.stringify(gap) })
  }
  const readOutbox = async () => {
    while (isReading) {
      isMore = false
      const gap = await findGap(deps.db, id, sent)
      if (gap && (await reader.room())) tellGap(gap)
      const page = await eventsOfSystemAfter(deps.db, id, sent, PAGE)
      for (const event of page) {
        if (!(await reader.room())) return
        tell(event)
      }
      isReading = page.length > 0 || isMore
    }
  }
  /** Needs not read what was just passed on, only what comes while there is no room for it. */
  const tellHeard = async (event: StoredEvent) => {
    isReading = true
    isMore = false
    if (!(await reader.room())) return
    tell(event)
    isReading = isMore
    await readOutbox()
  }
  let hasBegun = false
  /** The first that happened since the reader came. */
  let firstHeard = Infinity
  const begin = async () => {
    const latest = await latestOfSystem(deps.db, id)
    // A number of another time, before a backup was put back, must not silence what comes.
    sent = Math.min(since ?? latest, latest, firstHeard - 1)
    hasBegun = true
  }
  /** Where one may be heard before a lower one, all are read, in their order. */
  const mayJump = deps.db.driver.dialect.unsettled > 0
  const readOn = async () => {
    isReading = true
    if (!hasBegun) await begin()
    await readOutbox()
  }
  let pausing: ReturnType<typeof setTimeout> | undefined
  /** Where the database is away for a while the stream stays, and then goes on where it was. */
  const pauseOrEnd = (cause: unknown) => {
    if (!isUnavailable(cause)) return reader.end()
    pausing = setTimeout(() => void readOn().catch(pauseOrEnd), PAUSE_MS)
  }
  const stop = hub.listen(id, (event) => {
    firstHeard = Math.min(firstHeard, event.id)
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
