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
import type { Db, MaybePromise } from '../../db/types'
import { liveSwitches, liveSwitchesOf, visibleBuckets, visibleMembers } from '../../db/visible'
import type { Instant } from '../../model/core/time'
import type { Fronter } from '../../model/front/fronter'
import type { Member } from '../../model/members/member'
import { lastStatusOf } from './lastStatuses'

/** Number of switches of each friend in which stints are looked up together. */
export const RECENT_SWITCHES = 10

/** A fronter of a friend. */
export type SharedFronter = Member & {
  readonly friendship: number
  /** Time of the latest switch. */
  readonly latest: Instant
  readonly kind: Fronter['kind'] | null
  readonly announce_front: number | null
  readonly status_at: Instant | null
  readonly status: string | null
}

/** Lists the fronters that friends of a system share with it, by the row IDs of the friendships. */
export function listSharedFronters(
  db: Db,
  system: number,
  friendships: readonly number[],
): MaybePromise<SharedFronter[]> {
  return frontersOf(db).all({ system, friendships: JSON.stringify(friendships) })
}

/** A member of a recent switch of a friend; null for a switch without members. */
interface RecentSwitch {
  readonly friendship: number
  readonly timestamp: Instant
  readonly member: number | null
}

/** Lists the members of the recent switches of friends of a system, newest first for each friend. */
export function listRecentSwitches(
  db: Db,
  system: number,
  friendships: readonly number[],
): MaybePromise<RecentSwitch[]> {
  return recentSwitches(db).all({ system, friendships: JSON.stringify(friendships) })
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

// SQL text, because the last switches of many systems are found one after the other.
const recentSwitches = query(
  (_, values: OfFriends, dialect) =>
    sql<RecentSwitch>`with recursive recent (friendship, system, id, timestamp, steps) as (
      select ${friendSides.friendship_id}, ${friendSides.friend_system_id}, ${liveSwitches.id},
        ${liveSwitches.timestamp}, 1
      from ${latestOfFriends(values, dialect)}
      union all
      select recent.friendship, recent.system, ${liveSwitches.id}, ${liveSwitches.timestamp},
        recent.steps + 1
      from recent
      join ${liveSwitches}
        on ${liveSwitches.id} = (${lastSwitchOf(sql`recent.system`, sql`recent.timestamp`)})
      where recent.steps < ${RECENT_SWITCHES})
    select recent.friendship, recent.timestamp, ${switchMembers.member_id} as member
    from recent left join ${switchMembers} on ${switchMembers.switch_id} = recent.id
    order by recent.friendship, recent.timestamp desc`,
)
