import { t } from 'elysia'
import type { Events } from '../../events/events'
import { eventsOfSystemAfter, findGap, latestEventId, type StoredEvent } from '../../events/outbox'
import { spellEvent } from '../../events/spell'
import type { Listener } from '../../events/stream'
import { error } from '../../model/errors'
import type { EventType } from '../../model/events'
import { isOwner, type Viewer } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { getFronters } from '../../service/switches'
import { getSystem, getSystemById, requireSystem } from '../../service/systems'
import { callerOf, clientOf } from '../context'
import { describe } from '../docs'
import { findCaller, routes } from '../viewer'
import { systemRef } from './params'
import { showFront } from './views'

const TAG = 'Events'
/** How much of the outbox is read at once for one reader. */
const PAGE = 20

/** What can change who fronts, or what is seen of them. */
const frontChanges: ReadonlySet<string> = new Set<string>([
  'CREATE_SWITCH',
  'UPDATE_SWITCH',
  'DELETE_SWITCH',
  'DELETE_ALL_SWITCHES',
  'UPDATE_MEMBER',
  'DELETE_MEMBER',
  'UPDATE_SYSTEM',
  'SUCCESSFUL_IMPORT',
] satisfies EventType[])

/** Live streams as Server-Sent Events. */
export function streamRoutes(
  deps: Deps,
  events: Events,
  bodyLimit: number,
  trustedProxies: number,
) {
  const clientNamed = (request: Request) => nameClient(request, trustedProxies)
  const asked: Asked = new Map()
  return routes(bodyLimit)
    .get(
      '/systems/@me/events',
      async ({ request, viewer }) => {
        const system = await getSystemById(deps.db, requireSystem(viewer))
        const since = parseLastEventId(request.headers)
        return eventStream(events, clientNamed(request), (reader) => {
          reader.mayHear = stillHas(deps, request, viewer)
          return follow(events, reader, system, since)
        })
      },
      {
        detail: describe({
          tag: TAG,
          id: 'streamEvents',
          summary: 'Follow all events of the own system',
          description:
            'Server-Sent Events, each with `id`, `event` and JSON as `data`. With `Last-Event-ID`, what was missed comes first. Where some of it is no longer kept, an event `gap` says so, with `{ "after": id, "before": id }`. A comment comes every 15 seconds.',
          isOwn: true,
          answers: { 200: eventStreamSchema },
          types: ['text/event-stream'],
          headers: { 'Last-Event-ID': 'The `id` of the last event that was received' },
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronters/stream',
      async ({ params, request, viewer }) => {
        const system = await getSystem(deps, viewer, params.systemRef)
        await getFronters(deps, viewer, system)
        return eventStream(events, clientNamed(request), (reader) => {
          reader.mayHear = stillHas(deps, request, viewer)
          // Nothing is told of a system that is deleted, so its end is noticed here.
          reader.mayStay = async () => Boolean(await getSystemById(deps.db, system.id))
          return followFronters(deps, events, asked, reader, viewer, system.id)
        })
      },
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: TAG,
          id: 'streamFronters',
          summary: 'Follow who fronts',
          description:
            'Server-Sent Events: one `fronters` event at once, then one at each change, with what `GET …/fronters` answers as `data`. Without a token it works for systems whose front is public.',
          answers: { 200: eventStreamSchema },
          types: ['text/event-stream'],
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
}

const eventStreamSchema = t.String({ description: 'Server-Sent Events' })

/** Whom a stream is counted for; null where this machine's own programs and bots ask. */
function nameClient(request: Request, trustedProxies: number): string | null {
  const { kind, system } = callerOf(request)
  if (kind === 'bot') return null
  const { address, isLocal } = clientOf(request, trustedProxies)
  if (isLocal) return null
  return system ? `system ${system.id}` : address
}

function eventStream(
  { streams }: Events,
  client: string | null,
  begin: (reader: Listener) => () => void,
): Response {
  return new Response(streams.open(client, begin), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // nginx would hold the stream back otherwise.
      'x-accel-buffering': 'no',
    },
  })
}

/**
 * Sends what was missed, then what happens. Whenever the reader has no room, the outbox keeps what
 * happens until it has.
 */
function follow(
  { deps, hub }: Events,
  reader: Listener,
  { id, uuid }: { id: number; uuid: string },
  since: number | null,
): () => void {
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
  const begin = async () => {
    const latest = await latestEventId(deps.db)
    // A number of another time, before a backup was put back, must not silence what comes.
    sent = Math.min(since ?? latest, latest)
    await readOutbox()
  }
  const stop = hub.listen(id, (event) => {
    if (isReading) isMore = true
    else if (event.id > sent) tellHeard(event).catch(() => reader.end())
  })
  begin().catch(() => reader.end())
  return stop
}

/** Sends who fronts whenever that is something else than before, as this viewer may see it. */
function followFronters(
  deps: Deps,
  { hub }: Events,
  asked: Asked,
  reader: Listener,
  viewer: Viewer,
  systemId: number,
): () => void {
  let last: string | undefined
  let newest: number | null = null
  let isTelling = false
  const tell = async (id: number) => {
    const data = await sharedFront(deps, asked, viewer, systemId, id)
    // Once more, because it took time to look up.
    if (data === last || !(await reader.room())) return
    last = data
    reader.send({ id, event: 'fronters', data })
  }
  /** One after the other, so that an older answer never overtakes a newer one. */
  const tellAll = async () => {
    isTelling = true
    while (newest !== null && (await reader.room())) {
      const id = newest
      newest = null
      await tell(id)
    }
    isTelling = false
  }
  const change = (id: number) => {
    newest = id
    if (!isTelling) tellAll().catch(() => reader.end())
  }
  const stop = hub.listen(systemId, ({ id, type }) => {
    if (frontChanges.has(type)) change(id)
  })
  latestEventId(deps.db).then(
    (id) => change(Math.max(id, newest ?? 0)),
    () => reader.end(),
  )
  return stop
}

type Asked = Map<string, Promise<string>>

/** A thousand widgets of one system ask the same after one event: it is looked up once. */
function sharedFront(
  deps: Deps,
  asked: Asked,
  viewer: Viewer,
  systemId: number,
  eventId: number,
): Promise<string> {
  const owner = isOwner(viewer, systemId)
  const key = `${systemId} ${owner} ${eventId}`
  let answer = asked.get(key)
  if (!answer) {
    answer = frontersOf(deps, viewer, systemId, owner).finally(() => asked.delete(key))
    asked.set(key, answer)
  }
  return answer
}

async function frontersOf(deps: Deps, viewer: Viewer, systemId: number, owner: boolean) {
  const front = await getFronters(deps, viewer, await getSystemById(deps.db, systemId))
  return JSON.stringify(front && showFront(front, owner))
}

/**
 * Whether the caller is still who it was: its token may have been revoked, its system deleted. It is
 * looked up again only when anything was written since.
 */
function stillHas(deps: Deps, { headers, url }: Request, viewer: Viewer): () => Promise<boolean> {
  const { pathname } = new URL(url)
  return async () => {
    const caller = await findCaller(deps, headers, pathname)
    return caller.viewer.system === viewer.system
  }
}

function parseLastEventId(headers: Headers): number | null {
  const text = headers.get('last-event-id')
  if (text === null || text === '') return null
  if (!/^\d{1,15}$/.test(text)) throw error('badRequest', 'Last-Event-ID must be a number')
  return Number(text)
}
