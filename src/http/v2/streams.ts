import { t } from 'elysia'
import { newestPosition, streamEvents } from '../../events/eventStream'
import type { Events } from '../../events/events'
import type { StreamChecks, StreamWriter } from '../../events/stream'
import { error } from '../../model/errors'
import type { EventType } from '../../model/events'
import { isOwner, isWatcher, requireSystem, type Viewer } from '../../model/privacy'
import type { System } from '../../model/system'
import type { Deps } from '../../service/deps'
import { getFronters } from '../../service/switches'
import { getSystem } from '../../service/systems'
import { describe } from '../openapi'
import { clientOf, contextOf, routes } from '../routeGroup'
import { systemRef } from './params'
import { showFront } from './views'

const TAG = 'Events'

/** Events that can change the fronters, or the visibility of their fields. */
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
export function streamRoutes(deps: Deps, events: Events, bodyLimit: number) {
  const pendingFronters: PendingFronters = new Map()
  return routes(bodyLimit)
    .get(
      '/systems/@me/events',
      async ({ request, viewer }) => {
        requireSystem(viewer, 'follow')
        const { uuid } = await getSystem(deps, viewer, '@me')
        // Read before the response: events recorded after it must be sent.
        const position = parseLastEventId(request.headers) ?? (await newestPosition(events, viewer))
        const checks = { isAuthorized: isStillValid(request, viewer) }
        return eventStream(events, clientKeyOf(request), checks, (reader) =>
          streamEvents(events, viewer, reader, uuid, position),
        )
      },
      {
        detail: describe({
          tag: TAG,
          id: 'streamEvents',
          summary: 'Stream the events of your system',
          description:
            'Server-Sent Events with `id`, `event` and JSON as `data`. Each event is sent once, in the order of IDs. With `Last-Event-ID`, missed events are sent first. If some of them are no longer stored, or the ID is above the newest one, a `gap` event with `{ "after": id, "before": id }` is sent instead. A comment is sent every 15 seconds to keep the connection open.',
          requiresAuth: true,
          responses: { 200: eventStreamSchema },
          types: ['text/event-stream'],
          headers: { 'Last-Event-ID': '`id` of the last event that the client received' },
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
    .get(
      '/systems/:systemRef/fronters/stream',
      async ({ params, request, viewer }) => {
        const system = await getSystem(deps, viewer, params.systemRef)
        await getFronters(deps, viewer, system)
        const checks = {
          isAuthorized: isStillValid(request, viewer),
          // A deleted system has no further events, so the stream checks whether it still exists.
          exists: async () => Boolean(await getSystem(deps, viewer, system.uuid)),
        }
        return eventStream(events, clientKeyOf(request), checks, (reader) =>
          followFronters(deps, events, pendingFronters, reader, viewer, system),
        )
      },
      {
        params: t.Object({ systemRef }),
        detail: describe({
          tag: TAG,
          id: 'streamFronters',
          summary: 'Stream the current fronters',
          description:
            'Server-Sent Events: one `fronters` event immediately, then one on each change. `data` is the response of `GET …/fronters`. No token is needed for systems whose front is public.',
          responses: { 200: eventStreamSchema },
          types: ['text/event-stream'],
          errors: ['badRequest', 'unauthorized', 'systemNotFound', 'frontersHidden'],
        }),
      },
    )
}

const eventStreamSchema = t.String({ description: 'Server-Sent Events' })

/** Key for counting concurrent streams; null (no limit) for bots and for programs on this machine. */
function clientKeyOf(request: Request): string | null {
  const { kind, system } = contextOf(request).caller
  if (kind === 'bot') return null
  const { address, isLocal } = clientOf(request)
  if (isLocal) return null
  return system ? `system ${system.id}` : address
}

function eventStream(
  { streams }: Events,
  client: string | null,
  checks: StreamChecks,
  begin: (reader: StreamWriter) => () => void,
): Response {
  return new Response(streams.open(client, checks, begin), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Otherwise nginx would buffer the stream.
      'x-accel-buffering': 'no',
    },
  })
}

/** Sends the fronters, as visible to this viewer, whenever they change. */
function followFronters(
  deps: Deps,
  { hub }: Events,
  pendingFronters: PendingFronters,
  reader: StreamWriter,
  viewer: Viewer,
  system: SystemIds,
): () => void {
  let last: string | undefined
  let newest: number | null = null
  let sent = 0
  let isSending = false
  const sendFronters = async (id: number) => {
    const data = await getSharedFronters(deps, pendingFronters, viewer, system, id)
    // Check the capacity again, because the lookup took time.
    if (data === last || !(await reader.waitForCapacity())) return
    last = data
    // The hub may pass an event after a higher one; IDs of a stream only grow.
    sent = Math.max(sent, id)
    reader.send({ id: sent, event: 'fronters', data })
  }
  /** Sends one after the other, so that an older result never overtakes a newer one. */
  const sendPending = async () => {
    isSending = true
    while (newest !== null && (await reader.waitForCapacity())) {
      const id = newest
      newest = null
      await sendFronters(id)
    }
    isSending = false
  }
  const change = (id: number) => {
    newest = id
    if (!isSending) sendPending().catch(() => reader.end())
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

type PendingFronters = Map<string, Promise<string>>

/** The IDs of a system that never change. */
type SystemIds = Pick<System, 'id' | 'uuid'>

/** Looks the fronters up once per event, however many streams of the system are open. */
function getSharedFronters(
  deps: Deps,
  pendingFronters: PendingFronters,
  viewer: Viewer,
  { id, uuid }: SystemIds,
  eventId: number,
): Promise<string> {
  const owner = isOwner(viewer, id)
  const watcher = isWatcher(viewer, id) && (viewer.watchesPrivate ? 'of all' : 'of some')
  const key = `${id} ${owner} ${watcher} ${eventId}`
  let fronters = pendingFronters.get(key)
  if (!fronters) {
    fronters = renderFronters(deps, viewer, uuid, owner).finally(() => pendingFronters.delete(key))
    pendingFronters.set(key, fronters)
  }
  return fronters
}

async function renderFronters(deps: Deps, viewer: Viewer, uuid: string, owner: boolean) {
  const front = await getFronters(deps, viewer, await getSystem(deps, viewer, uuid))
  return JSON.stringify(front && showFront(front, owner))
}

/**
 * Whether the credential of the caller is still valid: its token may have been revoked, or its system
 * deleted. The lookup is repeated only if something was written since.
 */
function isStillValid(request: Request, viewer: Viewer): () => Promise<boolean> {
  return async () => {
    const policy = { requiresBotKey: false, isLogin: false }
    const caller = await contextOf(request).authenticate(request, policy)
    const { system, access, session } = caller.viewer
    return system === viewer.system && access === viewer.access && session === viewer.session
  }
}

function parseLastEventId(headers: Headers): number | null {
  const text = headers.get('last-event-id')
  if (text === null || text === '') return null
  if (!/^\d{1,15}$/.test(text)) throw error('badRequest', 'Last-Event-ID must be a number')
  return Number(text)
}
