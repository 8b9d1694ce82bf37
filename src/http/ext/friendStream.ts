import type { Events } from '../../events/events'
import type { StreamWriter } from '../../events/stream'
import type { Viewer } from '../../model/core/privacy'
import type { EventType } from '../../model/events'
import { sharedFrontToExt } from '../../serializers/extFriends'
import type { Deps } from '../../service/core/deps'
import { findFriendFronts, listFriendSystems } from '../../service/friends/sharedData'
import { getSystem } from '../../service/systems/systems'
import { clientKeyOf, eventStream, frontChanges, isStillValid } from '../server/frontStream'

/** Events of a friend's system that can change what is shown of its front. */
const changes: ReadonlySet<string> = new Set<EventType>([
  ...frontChanges,
  'UPDATE_MEMBER_EXT',
  'CREATE_FRONT_NOTE',
  'UPDATE_FRONT_NOTE',
  'DELETE_FRONT_NOTE',
  'UPDATE_BUCKET',
  'DELETE_BUCKET',
  'UPDATE_FRIEND',
])

/** Events of the own system that change who is a friend. */
const listChanges: ReadonlySet<string> = new Set<EventType>(['CREATE_FRIEND', 'DELETE_FRIEND'])

/** Time between two reads of the fronts of friends. Changes in between are sent together. */
const JOIN_MS = 100

/** Fronts that a stream reads at once: most of more would not fit in its buffer. */
const MAX_READ = 20

/** Creates the function that opens a stream of the fronts of all friends. */
export function createFriendStream(deps: Deps, events: Events) {
  const fronts = createFrontReader(deps)
  return async (request: Request, viewer: Viewer): Promise<Response> => {
    await listFriendSystems(deps, viewer)
    const { id } = await getSystem(deps, viewer, '@me')
    const checks = {
      isAuthorized: isStillValid(request, viewer),
      exists: async () => Boolean(await getSystem(deps, viewer, '@me')),
    }
    return eventStream(events, clientKeyOf(request), checks, (reader) =>
      followFriends(deps, events, { viewer, systemId: id, fronts }, reader),
    )
  }
}

/** Fronts of friends as JSON by the UUIDs of the friendships; without those that have ended. */
type Fronts = ReadonlyMap<string, string>

interface FrontReader {
  /** Reads and renders fronts, together with those that other streams of the system want now. */
  read(viewer: Viewer, systemId: number, uuids: readonly string[]): Promise<Fronts>
  /** Waits until fronts may be read again after the last time. */
  pause(systemId: number): Promise<void> | undefined
}

/**
 * Creates a reader for all streams. An event wakes all streams of a system at the same time, so each
 * front is rendered once for all of them.
 */
function createFrontReader(deps: Deps): FrontReader {
  const pending = new Map<number, { uuids: Set<string>; fronts: Promise<Fronts> }>()
  const pauses = new Map<number, Promise<void>>()
  const startPause = (systemId: number) => {
    if (pauses.has(systemId)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    pauses.set(systemId, promise)
    const end = () => {
      pauses.delete(systemId)
      resolve()
    }
    deps.clock.setTimeout(end, JOIN_MS).unref()
  }
  const readSoon = async (viewer: Viewer, systemId: number, uuids: ReadonlySet<string>) => {
    await new Promise((resolve) => setImmediate(resolve))
    // A stream that asks from here on may know of a newer event, and needs another read.
    pending.delete(systemId)
    startPause(systemId)
    const fronts = await findFriendFronts(deps, viewer, [...uuids])
    return new Map(
      [...fronts].map(([uuid, front]) => [uuid, JSON.stringify(front && sharedFrontToExt(front))]),
    )
  }
  return {
    read(viewer, systemId, uuids) {
      let batch = pending.get(systemId)
      if (!batch) {
        const wanted = new Set<string>()
        batch = { uuids: wanted, fronts: readSoon(viewer, systemId, wanted) }
        pending.set(systemId, batch)
      }
      for (const uuid of uuids) batch.uuids.add(uuid)
      return batch.fronts
    },
    pause: (systemId) => pauses.get(systemId),
  }
}

/** Sends the front of each friend at once, and again whenever what is shared of it changes. */
function followFriends(
  deps: Deps,
  { hub }: Events,
  { viewer, systemId, fronts }: { viewer: Viewer; systemId: number; fronts: FrontReader },
  reader: StreamWriter,
): () => void {
  const followed = new Map<string, { stop: () => void; last: string | null }>()
  const changed = new Set<string>()
  let isListChanged = true
  let isSending = false
  let isEnded = false

  const updateList = async () => {
    const present = new Map(
      (await listFriendSystems(deps, viewer)).map((friend) => [friend.uuid, friend.systemId]),
    )
    // Listeners that are added after the end would never be removed.
    if (isEnded) return
    for (const [uuid, { stop }] of followed)
      if (!present.has(uuid)) {
        stop()
        followed.delete(uuid)
        reader.send({ event: 'end', data: JSON.stringify({ friend: uuid }) })
      }
    for (const [uuid, friendSystemId] of present) {
      if (followed.has(uuid)) continue
      const stop = hub.listen(friendSystemId, ({ type }) => {
        if (changes.has(type)) onChange(uuid)
      })
      followed.set(uuid, { stop, last: null })
      changed.add(uuid)
    }
  }

  /**
   * Reads what is shared after waiting for capacity, and sends it at once, so that nothing is sent
   * that no longer is. What has no space in the buffer is read again later.
   */
  const sendFronts = async () => {
    for (const uuid of changed) if (!followed.has(uuid)) changed.delete(uuid)
    const uuids = [...changed].slice(0, MAX_READ)
    for (const uuid of uuids) changed.delete(uuid)
    const shared = await fronts.read(viewer, systemId, uuids)
    for (const uuid of uuids) {
      const front = shared.get(uuid)
      if (front === undefined) isListChanged = true
      else if (reader.hasCapacity) sendFront(uuid, front)
      else changed.add(uuid)
    }
  }

  const sendFront = (uuid: string, front: string) => {
    // A change while this was read may have ended what is shared, and is read next.
    if (changed.has(uuid) || isListChanged) return void changed.add(uuid)
    const entry = followed.get(uuid)
    if (!entry || front === entry.last) return
    entry.last = front
    reader.send({ event: 'front', data: `{"friend":${JSON.stringify(uuid)},"front":${front}}` })
  }

  const isWholeListSent = () => [...followed.values()].every(({ last }) => last !== null)

  /** Sends one after the other, so that an older result never overtakes a newer one. */
  const sendPending = async () => {
    isSending = true
    while (isListChanged || changed.size > 0) {
      if (!isListChanged && isWholeListSent()) await fronts.pause(systemId)
      if (!(await reader.waitForCapacity())) break
      if (isListChanged) {
        isListChanged = false
        await updateList()
      } else await sendFronts()
    }
    isSending = false
  }

  const start = () => {
    if (!isSending) sendPending().catch(() => reader.end())
  }
  const onChange = (uuid: string) => {
    changed.add(uuid)
    start()
  }
  const stopOwn = hub.listen(systemId, ({ type }) => {
    if (!listChanges.has(type)) return
    isListChanged = true
    start()
  })
  start()
  return () => {
    isEnded = true
    stopOwn()
    for (const { stop } of followed.values()) stop()
    followed.clear()
  }
}
