import { and, desc, eq, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Placeholders, QueryBuilder, query } from '../../db/query'
import {
  bucketFriends,
  bucketMembers,
  friendSides,
  memberExts,
  switchMembers,
} from '../../db/tables'
import { liveSwitches, liveSwitchesOf, visibleBuckets, visibleMembers } from '../../db/visible'
import { type Redacted, redact } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { type Fronter, fronter } from '../../model/front/fronter'
import { type Member, member } from '../../model/members/member'
import type { FriendshipRow } from '../../store/friends/friendRows'
import { lastStatusOf } from '../../store/front/lastStatuses'
import { stintStartsWithin } from '../../store/front/replaySwitches'
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
  const idsOf = (rows: readonly { id: number }[]) => JSON.stringify(rows.map(({ id }) => id))
  const fronts = new Map<number, SharedFront>()
  let unread = friendships.filter((row) => row.their_see_front && row.their_disabled_at === null)
  for (let attempt = 1; unread.length > 0; attempt++) {
    const found = await frontersOf(deps.db).all({ system: systemId, friendships: idsOf(unread) })
    const fronters = Map.groupBy(found, ({ friendship }) => friendship)
    const fronting = idsOf(unread.filter(({ id }) => fronters.has(id)))
    const recent = Map.groupBy(
      await lastSwitches(deps.db).all({ system: systemId, friendships: fronting }),
      ({ friendship }) => friendship,
    )
    const changed: FriendshipRow[] = []
    for (const row of unread) {
      const shown = fronters.get(row.id) ?? []
      const names = new Map(shown.map(({ id, uuid }) => [id, uuid]))
      const request = { systemId: row.friend_system_id, isOwn: false, ...client }
      const starts =
        stintStartsWithin(recent.get(row.id) ?? [], names, LAST_SWITCHES) ??
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

/** Number of switches of each friend in which stints are looked up together. */
const LAST_SWITCHES = 10

type SharedFronter = Member & {
  readonly friendship: number
  /** Time of the latest switch. */
  readonly latest: Instant
  readonly kind: Fronter['kind'] | null
  readonly announce_front: number | null
  readonly status_at: Instant | null
  readonly status: string | null
}

function detailsOf({ kind, status, status_at }: SharedFronter, since: Instant): Fronter {
  const isCurrent = status_at !== null && status_at >= since
  return { kind: kind ?? 'member', since, status: isCurrent ? status : null }
}

const builder = new QueryBuilder()

/** SQL of the row ID of the last switch of a system, or of the last one before a time. */
function lastSwitchOf(systemId: SQL, before?: SQL): SQLWrapper {
  const live = liveSwitchesOf(systemId)
  return builder
    .select({ id: live.id })
    .from(live)
    .where(and(eq(live.system_id, systemId), before && lt(live.timestamp, before)))
    .orderBy(desc(live.timestamp))
    .limit(1)
}

/** Condition that a member shares a bucket of its system with a friend. */
const isShared = sql`exists (select 1 from ${bucketFriends}
  join ${visibleBuckets} on ${visibleBuckets.id} = ${bucketFriends.bucket_id}
  join ${bucketMembers} on ${bucketMembers.bucket_id} = ${visibleBuckets.id}
  where ${bucketFriends.friendship_id} = ${friendSides.friendship_id}
    and ${visibleBuckets.system_id} = ${friendSides.friend_system_id}
    and ${bucketMembers.member_id} = ${switchMembers.member_id})`

type OfFriends = Placeholders<'system' | 'friendships'>

/** SQL of friends of a system, joined with their latest switches. */
const latestOfFriends = ({ system, friendships }: OfFriends, { inJsonNumbers }: Dialect) =>
  sql`${friendSides}
    join ${liveSwitches} on ${liveSwitches.id} = (${lastSwitchOf(sql`${friendSides.friend_system_id}`)})
      and ${friendSides.system_id} = ${system}
      and ${inJsonNumbers(friendSides.friendship_id, friendships)}`

const frontersOf = query(
  (_, values: OfFriends, dialect) =>
    sql<SharedFronter>`select members.*, ${friendSides.friendship_id} as friendship,
      ${liveSwitches.timestamp} as latest, ${memberExts.kind}, ${memberExts.announce_front},
      ${lastStatusOf(visibleMembers.id, 'at')} as status_at,
      ${lastStatusOf(visibleMembers.id, 'text')} as status
    from ${latestOfFriends(values, dialect)}
    join ${switchMembers} on ${switchMembers.switch_id} = ${liveSwitches.id}
    join ${visibleMembers} on ${visibleMembers.id} = ${switchMembers.member_id}
    left join ${memberExts} on ${memberExts.member_id} = ${visibleMembers.id}
    where ${isShared}
    order by ${friendSides.friendship_id}, ${switchMembers.position}`,
  visibleMembers._.selectedFields,
)

interface RecentRow {
  friendship: number
  timestamp: Instant
  member: number | null
}

// SQL text, because the last switches of many systems are found one after the other.
const lastSwitches = query(
  (_, values: OfFriends, dialect) =>
    sql<RecentRow>`with recursive recent (friendship, system, id, timestamp, steps) as (
      select ${friendSides.friendship_id}, ${friendSides.friend_system_id}, ${liveSwitches.id},
        ${liveSwitches.timestamp}, 1
      from ${latestOfFriends(values, dialect)}
      union all
      select recent.friendship, recent.system, ${liveSwitches.id}, ${liveSwitches.timestamp},
        recent.steps + 1
      from recent
      join ${liveSwitches}
        on ${liveSwitches.id} = (${lastSwitchOf(sql`recent.system`, sql`recent.timestamp`)})
      where recent.steps < ${LAST_SWITCHES})
    select recent.friendship, recent.timestamp, ${switchMembers.member_id} as member
    from recent left join ${switchMembers} on ${switchMembers.switch_id} = recent.id
    order by recent.friendship, recent.timestamp desc`,
)
