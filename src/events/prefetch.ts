import type { Db } from '../db/types'
import { eventsOfSystemAfter, type StoredEvent } from './outbox'
import { serializeEvent } from './serialize'
import { sign } from './sign'
import { findSystemUuid, type Webhook } from './webhooks'

/** An event as it goes out to a webhook. */
export interface ReadyEvent {
  readonly event: StoredEvent
  readonly body: string
  readonly headers: Record<string, string>
}

/** The events that wait for one webhook. The next ones are made ready while one is on its way. */
export interface EventPrefetcher {
  /** The first that waits, if any. */
  first(hook: Webhook): Promise<ReadyEvent | null>
  /** Gets ready what comes after the first, as it will be when that one has arrived. */
  prefetch(hook: Webhook): Promise<void>
}

/** How many are read at once. */
const PAGE = 20

export function createEventPrefetcher(db: Db, systemId: number): EventPrefetcher {
  let page: StoredEvent[] = []
  /** Of which moment the page is: what it follows, and how much had been pruned. */
  let follows = -1
  let dropped = 0
  let ready: (ReadyEvent & { readonly token: string }) | null = null

  const readPage = async (cursor: number) => {
    page = await eventsOfSystemAfter(db, systemId, cursor, PAGE)
    follows = cursor
  }

  const makeReady = async ({ token }: Webhook) => {
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
      if (page.length === 0 || hook.cursor !== follows || hook.dropped !== dropped) {
        dropped = hook.dropped
        await readPage(hook.cursor)
      }
      await makeReady(hook)
      return ready
    },
    async prefetch(hook) {
      const under = page.shift()
      if (!under) return
      follows = under.id
      try {
        if (page.length === 0) await readPage(under.id)
        await makeReady(hook)
      } catch {
        // Whatever is wrong with the next one is told when its turn has come.
        page = []
      }
    },
  }
}
