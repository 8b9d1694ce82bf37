import { type Redacted, redact } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { type Fronter, fronter } from '../../model/front/fronter'
import { member } from '../../model/members/member'
import type { FriendshipRow } from '../../store/friends/friendRows'
import { stintStartsWithin } from '../../store/front/replaySwitches'
import {
  listRecentSwitches,
  listSharedFronters,
  RECENT_SWITCHES,
  type SharedFronter,
} from '../../store/front/sharedFrontRows'
import type { Deps } from '../core/deps'
import { noConnection, type WaitingClient } from '../core/longReads'
import { findStintStarts } from '../front/historyPages'

/** Members in front that a friend shares, with stints and statuses. */
export interface SharedFront {
  readonly fronters: readonly {
    readonly member: Redacted<typeof member>
    readonly details: Redacted<typeof fronter>
    /** True if friends may be notified when this member fronts. */
    readonly isAnnounced: boolean
  }[]
}

/** Returns the front of a friend as it is shared now; null if it is not shared. */
export async function readSharedFront(
  deps: Deps,
  row: FriendshipRow,
  client: WaitingClient = noConnection,
): Promise<SharedFront | null> {
  const fronts = await readSharedFronts(deps, row.system_id, [row], client)
  return fronts.get(row.id) ?? null
}

/**
 * Returns the fronts of friends of a system as they are shared now, by the row IDs of the
 * friendships. Fronts that are not shared are left out.
 */
export async function readSharedFronts(
  deps: Deps,
  systemId: number,
  friendships: readonly FriendshipRow[],
  client: WaitingClient = noConnection,
): Promise<ReadonlyMap<number, SharedFront>> {
  const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
  const fronts = new Map<number, SharedFront>()
  let unread = friendships.filter((row) => row.their_see_front && row.their_disabled_at === null)
  for (let attempt = 1; unread.length > 0; attempt++) {
    const rows = await listSharedFronters(deps.db, systemId, idsOf(unread))
    const fronters = Map.groupBy(rows, ({ friendship }) => friendship)
    const fronting = idsOf(unread.filter(({ id }) => fronters.has(id)))
    const recent = Map.groupBy(
      await listRecentSwitches(deps.db, systemId, fronting),
      ({ friendship }) => friendship,
    )
    const changed: FriendshipRow[] = []
    for (const row of unread) {
      const shown = fronters.get(row.id) ?? []
      const names = new Map(shown.map(({ id, uuid }) => [id, uuid]))
      const request = { systemId: row.friend_system_id, isOwn: false, ...client }
      const starts =
        stintStartsWithin(recent.get(row.id) ?? [], names, RECENT_SWITCHES) ??
        (await findStintStarts(deps, request, names, shown[0]?.latest ?? 0))
      const front = toSharedFront(row, shown, starts)
      const isWhole = front.fronters.length === shown.length
      if (isWhole || attempt === ATTEMPTS) fronts.set(row.id, front)
      else changed.push(row)
    }
    unread = changed
  }
  return fronts
}

/**
 * Adds the starts of their stints to fronters. Leaves out those without one, whose switch was changed
 * after they were read: any other time could be that of hidden fronters.
 */
function toSharedFront(
  { their_see_members }: FriendshipRow,
  shown: readonly SharedFronter[],
  starts: ReadonlyMap<string, Instant>,
): SharedFront {
  const audience = their_see_members ? 'friend' : 'friend of the front'
  const fronters = shown.flatMap((row) => {
    const since = starts.get(row.uuid)
    if (since === undefined) return []
    return {
      member: redact(member, row, audience),
      details: redact(fronter, detailsOf(row, since), 'friend'),
      isAnnounced: row.announce_front !== 0,
    }
  })
  return { fronters }
}

/** Number of times that a front is read while its switches change. */
const ATTEMPTS = 5

function detailsOf({ kind, status, status_at }: SharedFronter, since: Instant): Fronter {
  const isCurrent = status_at !== null && status_at >= since
  return { kind: kind ?? 'member', since, status: isCurrent ? status : null }
}
