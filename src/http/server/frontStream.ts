import type { Events } from '../../events/events'
import type { StreamChecks, StreamWriter } from '../../events/stream'
import { isOwner, isWatcher, type Viewer } from '../../model/core/privacy'
import type { EventType } from '../../model/events'
import type { System } from '../../model/systems/system'
import type { Deps } from '../../service/core/deps'
import { getFronters } from '../../service/front/switches'
import { getSystem } from '../../service/systems/systems'
import { clientOf, contextOf } from './routeGroup'

/** Streams of the current front as Server-Sent Events. */

/** Events that can change the fronters, or the visibility of their fields. */
export const frontChanges: readonly EventType[] = [
  'CREATE_SWITCH',
  'UPDATE_SWITCH',
  'DELETE_SWITCH',
  'DELETE_ALL_SWITCHES',
  'UPDATE_MEMBER',
  'DELETE_MEMBER',
  'UPDATE_SYSTEM',
  'SUCCESSFUL_IMPORT',
]

/** A representation of the front that clients can follow. */
interface FrontStream {
  /** Name of the messages. */
  readonly event: string
  /** Events that can change what a message shows. */
  readonly changes: readonly EventType[]
  /** Renders the front as JSON, as visible to this viewer. */
  readonly render: (deps: Deps, viewer: Viewer, system: System) => Promise<string>
}

/** Creates the function that opens a stream of the front of a system. */
export function createFrontStream(deps: Deps, events: Events, stream: FrontStream) {
  const pending: PendingFronts = new Map()
  const changes: ReadonlySet<string> = new Set<string>(stream.changes)
  return async (request: Request, viewer: Viewer, ref: string): Promise<Response> => {
    const system = await getSystem(deps, viewer, ref)
    await getFronters(deps, viewer, system)
    const checks = {
      isAuthorized: isStillValid(request, viewer),
      // A deleted system has no further events, so the stream checks whether it still exists.
      exists: async () => Boolean(await getSystem(deps, viewer, system.uuid)),
    }
    const render = async () =>
      stream.render(deps, viewer, await getSystem(deps, viewer, system.uuid))
    const show = (eventId: number) =>
      renderOnce(pending, `${keyOf(viewer, system.id)} ${eventId}`, render)
    return eventStream(events, clientKeyOf(request), checks, (reader) =>
      followFront(events, reader, system.id, { event: stream.event, changes, show }),
    )
  }
}

/** Key for counting concurrent streams; null (no limit) for bots and for programs on this machine. */
export function clientKeyOf(request: Request): string | null {
  const { kind, system } = contextOf(request).caller
  if (kind === 'bot') return null
  const { address, isLocal } = clientOf(request)
  if (isLocal) return null
  return system ? `system ${system.id}` : address
}

export function eventStream(
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

/**
 * Returns a check that the caller's credential is still valid: its token may have been revoked,
 * or its system deleted. The lookup is repeated only if something was written since.
 */
export function isStillValid(request: Request, viewer: Viewer): () => Promise<boolean> {
  return async () => {
    const policy = { requiresBotKey: false, isLogin: false }
    const caller = await contextOf(request).authenticate(request, policy)
    const { system, access, session } = caller.viewer
    return system === viewer.system && access === viewer.access && session === viewer.session
  }
}

/** Sends the front, as visible to this viewer, whenever it changes. */
function followFront(
  { hub }: Events,
  reader: StreamWriter,
  systemId: number,
  {
    event,
    changes,
    show,
  }: { event: string; changes: ReadonlySet<string>; show: (eventId: number) => Promise<string> },
): () => void {
  let last: string | undefined
  let newest: number | null = null
  let sent = 0
  let isSending = false
  const sendFront = async (id: number) => {
    const data = await show(id)
    // Check the capacity again, because the lookup took time.
    if (data === last || !(await reader.waitForCapacity())) return
    last = data
    // The hub may pass an event after a higher one; IDs of a stream only grow.
    sent = Math.max(sent, id)
    reader.send({ id: sent, event, data })
  }
  /** Sends one after the other, so that an older result never overtakes a newer one. */
  const sendPending = async () => {
    isSending = true
    while (newest !== null && (await reader.waitForCapacity())) {
      const id = newest
      newest = null
      await sendFront(id)
    }
    isSending = false
  }
  const change = (id: number) => {
    newest = id
    if (!isSending) sendPending().catch(() => reader.end())
  }
  const stop = hub.listen(systemId, ({ id, type }) => {
    if (changes.has(type)) change(id)
  })
  hub.latest().then(
    (id) => change(Math.max(id, newest ?? 0)),
    () => reader.end(),
  )
  return stop
}

type PendingFronts = Map<string, Promise<string>>

/** Key of viewers that see the same. */
function keyOf(viewer: Viewer, systemId: number): string {
  const watcher = isWatcher(viewer, systemId) && (viewer.watchesPrivate ? 'of all' : 'of some')
  return `${systemId} ${isOwner(viewer, systemId)} ${watcher}`
}

/** Renders the front once per event, however many streams of the system are open. */
function renderOnce(
  pending: PendingFronts,
  key: string,
  render: () => Promise<string>,
): Promise<string> {
  let front = pending.get(key)
  if (!front) {
    front = render().finally(() => pending.delete(key))
    pending.set(key, front)
  }
  return front
}
