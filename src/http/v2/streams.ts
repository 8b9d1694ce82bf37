import { t } from 'elysia'
import { newestPosition, streamEvents } from '../../events/eventStream'
import type { Events } from '../../events/events'
import type { StreamWriter } from '../../events/stream'
import { error } from '../../model/errors'
import type { EventType } from '../../model/events'
import {
  anonymousViewer,
  isOwner,
  isWatcher,
  requireSystem,
  type Viewer,
} from '../../model/privacy'
import type { System } from '../../model/system'
import type { Deps } from '../../service/deps'
import { getFronters } from '../../service/switches'
import { getSystem } from '../../service/systems'
import { callerOf, clientOf, type RequestWithContext } from '../context'
import { describe } from '../openapi'
import { routes } from '../routeGroup'
import { systemRef } from './params'
import { showFront } from './views'

const TAG = 'Events'

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
        requireSystem(viewer, 'follow')
        const { uuid } = await getSystem(deps, viewer, '@me')
        // Before the response: whatever happens after it has to be sent.
        const position = parseLastEventId(request.headers) ?? (await newestPosition(events, viewer))
        return eventStream(events, clientNamed(request), (reader) => {
          reader.isAuthorized = isStillValid(request, viewer)
          return streamEvents(events, viewer, reader, uuid, position)
        })
      },
      {
        detail: describe({
          tag: TAG,
          id: 'streamEvents',
          summary: 'Follow all events of the own system',
          description:
            'Server-Sent Events, each with `id`, `event` and JSON as `data`. Each event is sent once, in the order of IDs. With `Last-Event-ID`, the missed events come first. Where some of them are no longer stored, and when the ID is above the newest one, an event `gap` with `{ "after": id, "before": id }` comes in their place. A comment comes every 15 seconds.',
          requiresAuth: true,
          responses: { 200: eventStreamSchema },
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
          reader.isAuthorized = isStillValid(request, viewer)
          // Nothing is told of a system that is deleted, so its end is noticed here.
          reader.isStillValid = async () => Boolean(await getSystem(deps, viewer, system.uuid))
          return followFronters(deps, events, asked, reader, viewer, system)
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
          responses: { 200: eventStreamSchema },
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
  begin: (reader: StreamWriter) => () => void,
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

/** Sends who fronts whenever that is something else than before, as this viewer may see it. */
function followFronters(
  deps: Deps,
  { hub }: Events,
  asked: Asked,
  reader: StreamWriter,
  viewer: Viewer,
  system: Followed,
): () => void {
  let last: string | undefined
  let newest: number | null = null
  let sent = 0
  let isTelling = false
  const tell = async (id: number) => {
    const data = await sharedFront(deps, asked, viewer, system, id)
    // Once more, because it took time to look up.
    if (data === last || !(await reader.waitForCapacity())) return
    last = data
    // The hub may pass an event after a higher one; IDs of a stream only grow.
    sent = Math.max(sent, id)
    reader.send({ id: sent, event: 'fronters', data })
  }
  /** One after the other, so that an older answer never overtakes a newer one. */
  const tellAll = async () => {
    isTelling = true
    while (newest !== null && (await reader.waitForCapacity())) {
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
  const stop = hub.listen(system.id, ({ id, type }) => {
    if (frontChanges.has(type)) change(id)
  })
  hub.latest().then(
    (id) => change(Math.max(id, newest ?? 0)),
    () => reader.end(),
  )
  return stop
}

type Asked = Map<string, Promise<string>>

/** A system by its names, which never change. */
type Followed = Pick<System, 'id' | 'uuid'>

/** A thousand widgets of one system ask the same after one event: it is looked up once. */
function sharedFront(
  deps: Deps,
  asked: Asked,
  viewer: Viewer,
  { id, uuid }: Followed,
  eventId: number,
): Promise<string> {
  const owner = isOwner(viewer, id)
  const watcher = isWatcher(viewer, id) && (viewer.watchesPrivate ? 'of all' : 'of some')
  const key = `${id} ${owner} ${watcher} ${eventId}`
  let answer = asked.get(key)
  if (!answer) {
    answer = frontersOf(deps, viewer, uuid, owner).finally(() => asked.delete(key))
    asked.set(key, answer)
  }
  return answer
}

async function frontersOf(deps: Deps, viewer: Viewer, uuid: string, owner: boolean) {
  const front = await getFronters(deps, viewer, await getSystem(deps, viewer, uuid))
  return JSON.stringify(front && showFront(front, owner))
}

/**
 * Whether the caller is still who it was: its token may have been revoked, its system deleted. It is
 * looked up again only when anything was written since.
 */
function isStillValid(request: RequestWithContext, viewer: Viewer): () => Promise<boolean> {
  return async () => {
    const found = await request.context?.authenticate(request, {
      requiresBotKey: false,
      isLogin: false,
    })
    const { system, access, session } = found?.viewer ?? anonymousViewer
    return system === viewer.system && access === viewer.access && session === viewer.session
  }
}

function parseLastEventId(headers: Headers): number | null {
  const text = headers.get('last-event-id')
  if (text === null || text === '') return null
  if (!/^\d{1,15}$/.test(text)) throw error('badRequest', 'Last-Event-ID must be a number')
  return Number(text)
}
