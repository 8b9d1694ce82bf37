import { createHash } from 'node:crypto'
import type { Db } from '../../db/types'
import { SECOND } from '../../model/core/time'
import type { Member } from '../../model/members/member'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import { recordFriendEvent } from '../../store/friends/endFriendship'
import {
  type FriendshipRow,
  findFriendship,
  findSharedMembers,
  listFriendships,
} from '../../store/friends/friendRows'
import {
  type ChangedFront,
  type DueSide,
  deleteFrontDue,
  findNotifyState,
  isFrontDue,
  listChangedFronts,
  listDueSides,
  setNotifyState,
} from '../../store/friends/notifyRows'
import { findLatest } from '../../store/front/switchRows'
import { findMemberExts } from '../../store/members/memberExtRows'
import { enqueuePush } from '../../store/push/enqueuePush'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'

const REPEAT_MS = 1_000
/** Time from the last change that a friend can see until the friend is notified. */
const PAUSE = 10 * SECOND

interface NotifierOptions extends LeaderOptions {
  readonly onNotified?: (() => void) | undefined
}

/** Looks every second for fronts that changed, and for friends whose notification is due. */
export function startFriendNotifier(deps: Deps, options: NotifierOptions): PeriodicTask {
  return startLeaderTask(deps, options, {
    name: 'search for changed fronts',
    everyMs: REPEAT_MS,
    run: (isStopped) => notifyFriends(deps, { ...options, isStopped }),
  })
}

/**
 * Compares the fronts that changed with what each friend saw before, and notifies friends who have
 * seen no change for a while. The pause of each friend begins with a change that this friend can
 * see, so that switches of hidden members neither cause a notification nor delay one. Each friend has
 * a transaction of its own.
 */
export async function notifyFriends(
  deps: Deps,
  {
    isStopped = () => false,
    warn,
    onNotified,
  }: Partial<NotifierOptions> & { readonly isStopped?: () => boolean } = {},
): Promise<void> {
  const attempt = async (work: () => Promise<void>) => {
    if (isStopped()) return
    try {
      await work()
    } catch (cause) {
      // The other systems are still due.
      if (!warn) throw cause
      warn('notification of friends failed', { cause: String(cause) })
    }
  }
  const now = deps.now()
  for (const change of await listChangedFronts(deps.db, now))
    await attempt(() => compareWithFriends(deps, change, isStopped))
  for (const side of await listDueSides(deps.db, now))
    await attempt(async () => {
      const systems: [number, number] = [side.system_id, side.friend_system_id]
      if (await deps.transact({ systems }, (tx) => notifyFriend(deps, tx, side))) onNotified?.()
    })
}

async function compareWithFriends(
  deps: Deps,
  change: ChangedFront,
  isStopped: () => boolean,
): Promise<void> {
  const { system_id: system, due } = change
  for (const row of await listFriendships(deps.db, system)) {
    if (isStopped()) return
    await deps.transact({ systems: [system, row.friend_system_id] }, async (tx) => {
      // A switch since then is announced later: without this, it would only be remembered.
      const isReplaced = !change.announces && !(await isFrontDue(tx, system, due))
      if (!isReplaced) await recordVisibleChange(tx, row, change)
    })
  }
  // A later change has moved the time, and is compared next.
  await deps.transact({ system }, async (tx) => {
    await deleteFrontDue(tx, system, due)
  })
}

/**
 * Begins the pause of a friend if the visible fronters changed. Fronters who are visible only since a
 * change of what is shared do not count, because a notification would disclose a switch of hidden
 * members.
 */
async function recordVisibleChange(
  tx: Db,
  { system_id, friend_system_id, uuid }: FriendshipRow,
  { due, announces, fronters_before }: ChangedFront,
): Promise<void> {
  const seen = await findFriendship(tx, friend_system_id, uuid)
  if (!seen) return
  const { before, fronters } = await visibleFronters(tx, seen, fronters_before ?? [])
  const hash = hashOf(fronters)
  const state = await findNotifyState(tx, seen.id, system_id)
  if (!state || state.visible_hash === hash) return
  const ids = new Set(fronters.map(({ id }) => id))
  const isChanged = announces && new Set(before).symmetricDifference(ids).size > 0
  const notified = isChanged || state.notify_at !== null ? state.last_notified_hash : hash
  const notify_at = isChanged ? due + PAUSE : state.notify_at
  await setNotifyState(tx, seen.id, system_id, {
    visible_hash: hash,
    last_notified_hash: notified,
    notify_at,
  })
}

/** Notifies a friend if the visible fronters are not those of the last time. Returns true if so. */
async function notifyFriend(
  deps: Deps,
  tx: Db,
  { system_id, friend_system_id, uuid }: DueSide,
): Promise<boolean> {
  const seen = await findFriendship(tx, friend_system_id, uuid)
  if (!seen) return false
  const state = await findNotifyState(tx, seen.id, system_id)
  // Another process has notified the friend, or a later change has moved the time.
  if (!state || state.notify_at === null || state.notify_at > deps.now()) return false
  const { fronters } = await visibleFronters(tx, seen, [])
  const hash = hashOf(fronters)
  await setNotifyState(tx, seen.id, system_id, {
    visible_hash: hash,
    last_notified_hash: hash,
    notify_at: null,
  })
  const isWanted = seen.their_announce && seen.notify_me && seen.their_disabled_at === null
  if (state.last_notified_hash === hash || !isWanted || fronters.length === 0) return false
  const uuids = fronters.map((member) => member.uuid)
  await recordFriendEvent(deps, tx, 'FRIEND_FRONT', friend_system_id, uuid, { fronters: uuids })
  await enqueuePush(tx, friend_system_id, 'friends', uuid)
  return true
}

/**
 * Returns the fronters that a friend sees and that may be announced, and those of earlier fronters to
 * whom the same applies now. The friendship is the one that the friend sees.
 */
async function visibleFronters(
  tx: Db,
  seen: FriendshipRow,
  before: readonly number[],
): Promise<{ before: readonly number[]; fronters: readonly Member[] }> {
  if (!seen.their_see_front) return { before: [], fronters: [] }
  const fronters = (await findLatest(tx, seen.friend_system_id))?.members ?? []
  const shared = await findSharedMembers(tx, seen)
  const ids = new Set([...before, ...fronters.map(({ id }) => id)]).intersection(shared)
  const exts = ids.size === 0 ? [] : await findMemberExts(tx, [...ids])
  for (const { id, announce_front } of exts) if (!announce_front) ids.delete(id)
  return {
    before: before.filter((id) => ids.has(id)),
    fronters: fronters.filter(({ id }) => ids.has(id)),
  }
}

function hashOf(fronters: readonly Member[]): string {
  const uuids = fronters.map(({ uuid }) => uuid).toSorted()
  return createHash('sha256').update(uuids.join()).digest('base64url')
}
