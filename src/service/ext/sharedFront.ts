import { findMemberExts } from '../../db/memberExtRows'
import { fronter } from '../../model/ext/fronter'
import { member } from '../../model/member'
import { type Redacted, redact } from '../../model/privacy'
import type { Deps } from '../deps'
import { type FriendshipRow, findSharedMembers } from '../extRows/friendRows'
import { noConnection, type WaitingClient } from '../longReads'
import { findLatest } from '../switches'
import { detailsOf, readDetails } from './frontDetails'

/** Members in front that a friend shares, with stints and statuses. */
export interface SharedFront {
  readonly fronters: readonly {
    readonly member: Redacted<typeof member>
    readonly details: Redacted<typeof fronter>
    /** Whether friends may be notified when this member fronts. */
    readonly isAnnounced: boolean
  }[]
}

/** Returns the front of a friend as it is shared now; null if it is not shared. */
export async function readSharedFront(
  deps: Deps,
  row: FriendshipRow,
  client: WaitingClient = noConnection,
): Promise<SharedFront | null> {
  if (!row.their_see_front || row.their_disabled_at !== null) return null
  const latest = await findLatest(deps.db, row.friend_system_id)
  if (!latest) return { fronters: [] }
  const shared = await findSharedMembers(deps.db, row)
  const members = latest.members.filter(({ id }) => shared.has(id))
  if (members.length === 0) return { fronters: [] }
  const front = { ...latest, members }
  const details = await readDetails(deps, front, client)
  const exts = new Map(
    (
      await findMemberExts(
        deps.db,
        members.map(({ id }) => id),
      )
    ).map((ext) => [ext.id, ext]),
  )
  return {
    fronters: members.map((one) => ({
      member: redact(member, one, 'friend'),
      details: redact(fronter, detailsOf(details, one, front.timestamp), 'friend'),
      isAnnounced: exts.get(one.id)?.announce_front ?? true,
    })),
  }
}
