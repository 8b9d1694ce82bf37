import { diff, isEmptyPatch, type JsonObject, requireNonEmpty } from '../../model/core/entity'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import { storedBytes } from '../../model/core/textSize'
import type {
  Friend,
  FriendPatch,
  friend,
  Share,
  SharePatch,
  share,
} from '../../model/friends/friend'
import { addUsage } from '../../store/core/usage'
import { resolveBuckets, setBuckets } from '../../store/friends/bucketRows'
import { endFriendship, recordFriendEvent } from '../../store/friends/endFriendship'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import {
  findFriendship,
  getFriendship,
  listFriendships,
  updateSide,
} from '../../store/friends/friendRows'
import type { Deps } from '../core/deps'
import { type ShownFriend, showFriend, showFriends } from './showFriends'

/** Body of a request about a friend or an invitation. */
export interface FriendBody {
  readonly name?: string | null | undefined
  readonly notify_me?: boolean | undefined
  readonly share: SharePatch
}

/** Lists the friends of the caller's system, oldest first. */
export async function listFriends(deps: Deps, viewer: Viewer): Promise<ShownFriend[]> {
  const systemId = requireSystem(viewer, 'manage_friends')
  return showFriends(deps, systemId, await listFriendships(deps.db, systemId))
}

/** Returns one friend of the caller's system; null if the friendship has ended. */
export async function findFriend(
  deps: Deps,
  viewer: Viewer,
  id: string,
): Promise<ShownFriend | null> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const row = await findFriendship(deps.db, systemId, id)
  return row && showFriend(deps, row)
}

/** Changes the caller's side of a friendship. */
export async function patchFriend(
  deps: Deps,
  viewer: Viewer,
  id: string,
  { share: given, ...own }: FriendBody,
): Promise<ShownFriend> {
  const systemId = requireSystem(viewer, 'manage_friends')
  requireNonEmpty({ ...given, ...own })
  const { friend_system_id } = await getFriendship(deps.db, systemId, id)
  const systems: [number, number] = [systemId, friend_system_id]
  await deps.transact({ systems }, async (tx) => {
    const before = await getFriendship(tx, systemId, id)
    const buckets = given.buckets && (await resolveBuckets(tx, systemId, given.buckets))
    const changedShare: JsonObject = diff<typeof share>(
      { ...before, buckets: before.buckets.toSorted() } as Share,
      { ...given, ...(buckets && { buckets: buckets.map(({ uuid }) => uuid).toSorted() }) },
    )
    const changedFriend: JsonObject = diff<typeof friend>(before as Friend, own as FriendPatch)
    const { buckets: _, ...flags } = changedShare
    const columns = { ...changedFriend, ...flags }
    const grown =
      'name' in changedFriend ? storedBytes(changedFriend.name) - storedBytes(before.name) : 0
    await addUsage(deps, tx, systemId, { text_bytes: grown })
    if (!isEmptyPatch(columns)) await updateSide(tx, { ...before, ...columns })
    if (buckets && 'buckets' in changedShare)
      await setBuckets(tx, systemId, 'friends', before.id, buckets)
    const keys = [...Object.keys(changedFriend), ...(isEmptyPatch(changedShare) ? [] : ['share'])]
    if (keys.length === 0) return
    await recordFriendEvent(deps, tx, 'UPDATE_FRIEND', systemId, before.uuid, { keys })
    // The friend sees which of the flags are set, and nothing else of this side.
    if (!isEmptyPatch(flags))
      await recordFriendEvent(deps, tx, 'UPDATE_FRIEND', friend_system_id, before.uuid, {
        keys: ['theirs'],
      })
    if (!isEmptyPatch(changedShare)) await scheduleFriendRefresh(tx, systemId, deps.now())
  })
  return showFriend(deps, await getFriendship(deps.db, systemId, id))
}

/** Ends a friendship for both sides, with notifications that wait. */
export async function deleteFriend(deps: Deps, viewer: Viewer, id: string): Promise<void> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const { friend_system_id } = await getFriendship(deps.db, systemId, id)
  const systems: [number, number] = [systemId, friend_system_id]
  await deps.transact({ systems }, async (tx) => {
    await endFriendship(deps, tx, await getFriendship(tx, systemId, id))
  })
}
