import type { Events } from '../../events/events'
import type { StreamWriter } from '../../events/stream'
import type { EventType } from '../../model/events'
import type { Viewer } from '../../model/privacy'
import { sharedFrontToExt } from '../../serializers/extFriends'
import type { Deps } from '../../service/deps'
import { findFriendFronts, listFriendSystems } from '../../service/ext/friendView'
import type { SharedFront } from '../../service/ext/sharedFront'
import { getSystem } from '../../service/systems'
import { clientKeyOf, eventStream, frontChanges, isStillValid } from '../frontStream'

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

/** Creates the function that opens a stream of the fronts of all friends. */
export function createFriendStream(deps: Deps, events: Events) {
  return async (request: Request, viewer: Viewer): Promise<Response> => {
    await listFriendSystems(deps, viewer)
    const { id } = await getSystem(deps, viewer, '@me')
    const checks = {
      isAuthorized: isStillValid(request, viewer),
      exists: async () => Boolean(await getSystem(deps, viewer, '@me')),
    }
    return eventStream(events, clientKeyOf(request), checks, (reader) =>
      followFriends(deps, events, viewer, id, reader),
    )
  }
}

/** Sends the front of each friend at once, and again whenever what is shared of it changes. */
function followFriends(
  deps: Deps,
  { hub }: Events,
  viewer: Viewer,
  systemId: number,
  reader: StreamWriter,
): () => void {
  const followed = new Map<string, { stop: () => void; last: string | null }>()
  const changed = new Set<string>()
  let isListChanged = true
  let isSending = false
  let isEnded = false

  const send = (event: string, friend: string, more: object = {}) =>
    reader.send({ event, data: JSON.stringify({ friend, ...more }) })

  const updateList = async () => {
    const present = new Map(
      (await listFriendSystems(deps, viewer)).map((one) => [one.uuid, one.systemId]),
    )
    // Listeners that are added after the end would never be removed.
    if (isEnded) return
    for (const [uuid, { stop }] of followed)
      if (!present.has(uuid)) {
        stop()
        followed.delete(uuid)
        send('end', uuid)
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
    const uuids = [...changed].filter((uuid) => followed.has(uuid))
    changed.clear()
    const fronts = await findFriendFronts(deps, viewer, uuids)
    for (const uuid of uuids) {
      const front = fronts.get(uuid)
      if (front === undefined) isListChanged = true
      else if (reader.hasCapacity) sendFront(uuid, front)
      else changed.add(uuid)
    }
  }

  const sendFront = (uuid: string, shared: SharedFront | null) => {
    // A change while this was read may have ended what is shared, and is read next.
    if (changed.has(uuid) || isListChanged) return void changed.add(uuid)
    const entry = followed.get(uuid)
    const front = shared && sharedFrontToExt(shared)
    const data = JSON.stringify(front)
    if (!entry || data === entry.last) return
    entry.last = data
    send('front', uuid, { front })
  }

  /** Sends one after the other, so that an older result never overtakes a newer one. */
  const sendPending = async () => {
    isSending = true
    while ((isListChanged || changed.size > 0) && (await reader.waitForCapacity()))
      if (isListChanged) {
        isListChanged = false
        await updateList()
      } else await sendFronts()
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
