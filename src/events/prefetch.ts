import type { Db } from '../db/types'
import { extEventTypes } from '../model/events'
import { eventsOfSystemAfter, type StoredEvent } from './outbox'
import { serializeEvent } from './serialize'
import { sign } from './sign'
import { findSystemUuid, type Webhook } from './webhooks'

/** An event, serialized and signed for a webhook. */
export interface ReadyEvent {
  readonly event: StoredEvent
  readonly body: string
  readonly headers: Record<string, string>
}

/** Pending events of one webhook. The next event is prepared while one is being sent. */
export interface EventPrefetcher {
  /** Returns the first pending event that the webhook receives, or null. */
  first(hook: Webhook): Promise<ReadyEvent | null>
  /** Returns the ID of the last event that was passed over, because the webhook does not receive it. */
  lastSkipped(): number | null
  /** Prepares the event after the first one, assuming that the first one will be delivered. */
  prefetch(hook: Webhook): Promise<void>
}

/** Number of events per query. */
const PAGE = 20

export function createEventPrefetcher(db: Db, systemId: number): EventPrefetcher {
  let page: StoredEvent[] = []
  /** Cursor and drop count for which the page was read; it is read again if they change. */
  let pageCursor = -1
  let dropped = 0
  let ready: (ReadyEvent & { readonly token: string }) | null = null
  let lastSkipped: number | null = null

  const readPage = async (cursor: number) => {
    page = await eventsOfSystemAfter(db, systemId, cursor, PAGE)
    pageCursor = cursor
  }

  /** Passes over the next events that the webhook does not receive. */
  const skip = async (hook: Webhook) => {
    lastSkipped = null
    for (;;) {
      const [next] = page
      if (!next || isReceived(hook, next)) return
      lastSkipped = next.id
      page.shift()
      if (page.length === 0) page = await eventsOfSystemAfter(db, systemId, next.id, PAGE)
    }
  }

  const prepare = async ({ token }: Webhook) => {
    const [event] = page
    if (ready && ready.event === event && ready.token === token) return
    ready = null
    const uuid = event && (await findSystemUuid(db, systemId))
    if (!event || !uuid) return
    const { type, system_id, id, data } = serializeEvent(event, uuid)
    const body = JSON.stringify({ type, signing_token: token, system_id, id, data })
    ready = { event, body, token, headers: sign(token, event.id, event.at, body) }
  }

  return {
    async first(hook) {
      if (page.length === 0 || hook.cursor !== pageCursor || hook.dropped !== dropped) {
        dropped = hook.dropped
        await readPage(hook.cursor)
      }
      await skip(hook)
      await prepare(hook)
      return ready
    },
    lastSkipped: () => lastSkipped,
    async prefetch(hook) {
      const sending = page.shift()
      if (!sending) return
      pageCursor = sending.id
      try {
        if (page.length === 0) await readPage(sending.id)
        await skip(hook)
        await prepare(hook)
      } catch {
        // A problem with the next event is reported when it is sent.
        page = []
      }
    },
  }
}

/** A webhook that was registered for the events of PluralKit receives no others. */
function isReceived({ events }: Webhook, { type }: StoredEvent): boolean {
  return events === 'all' || !extTypes.has(type)
}

const extTypes: ReadonlySet<string> = new Set(extEventTypes)
