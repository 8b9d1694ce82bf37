import { error } from '../../model/core/errors'
import { type Redacted, redact } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { type Friend, friend, type Share, share } from '../../model/friends/friend'
import { system } from '../../model/systems/system'
import { type FriendshipRow, listSystemsAmong } from '../../store/friends/friendRows'
import type { Deps } from '../core/deps'
import { readSharedFronts, type SharedFront } from './sharedFront'

/** A friend as the caller sees it. */
export interface ShownFriend {
  readonly uuid: string
  readonly since: Instant
  readonly friend: Redacted<typeof friend>
  /** Null while the system of the friend is disabled. */
  readonly system: Redacted<typeof system> | null
  readonly share: Redacted<typeof share>
  readonly theirs: Redacted<typeof share>
  /** Null if the front is not shared. */
  readonly front: SharedFront | null
}

/** Reads what a system sees of a friend. */
export async function showFriend(deps: Deps, row: FriendshipRow): Promise<ShownFriend> {
  const [shown] = await showFriends(deps, row.system_id, [row])
  if (!shown) throw error('friendNotFound')
  return shown
}

/** Reads what a system sees of its friends, with a fixed number of statements. */
export async function showFriends(
  deps: Deps,
  systemId: number,
  rows: readonly FriendshipRow[],
): Promise<ShownFriend[]> {
  const ids = rows.map((row) => row.friend_system_id)
  const systems = new Map(
    (await listSystemsAmong(deps.db, ids)).map((systemRow) => [systemRow.id, systemRow]),
  )
  const fronts = await readSharedFronts(deps, systemId, rows)
  return rows.map((row) => {
    const systemRow = row.their_disabled_at === null ? systems.get(row.friend_system_id) : null
    const theirs = {
      see_front: row.their_see_front,
      see_members: row.their_see_members,
      announce: row.their_announce,
      buckets: [],
    }
    return {
      uuid: row.uuid,
      since: row.created,
      friend: redact(friend, row as Friend, 'owner'),
      system: systemRow ? redact(system, systemRow, 'friend') : null,
      share: redact(share, { ...row, buckets: [...row.buckets] } as Share, 'owner'),
      theirs: redact(share, theirs, 'friend'),
      front: fronts.get(row.id) ?? null,
    }
  })
}
