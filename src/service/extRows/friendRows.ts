import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Dialect } from '../../db/dialect'
import { type Placeholders, query } from '../../db/query'
import {
  bucketFields,
  bucketFriends,
  bucketGroups,
  bucketMembers,
  friendSides,
  friendships,
} from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleBuckets, visibleMembers, visibleSystems } from '../../db/visible'
import { error } from '../../model/errors'
import { isUuid } from '../../model/ref'
import type { Instant } from '../../model/time'
import { bucketsOfRowSql } from './bucketRows'

/** A friendship as one of its two systems sees it. */
export interface FriendshipRow {
  readonly id: number
  readonly uuid: string
  readonly created: Instant
  /** The system that sees it, and the friend. */
  readonly system_id: number
  readonly friend_system_id: number
  readonly name: string | null
  readonly notify_me: boolean
  /** What the system shows to the friend. */
  readonly see_front: boolean
  readonly see_members: boolean
  readonly announce: boolean
  readonly buckets: readonly string[]
  /** What the friend shows. */
  readonly their_see_front: boolean
  readonly their_see_members: boolean
  readonly their_announce: boolean
  /** Set while the friend is disabled. */
  readonly their_disabled_at: Instant | null
}

/** Lists the friendships of a system, oldest first. */
export async function listFriendships(db: Db, systemId: number): Promise<FriendshipRow[]> {
  return (await ofSystem(db).all({ system: systemId })).map(decode)
}

export async function findFriendship(
  db: Db,
  systemId: number,
  uuid: string,
): Promise<FriendshipRow | null> {
  if (!isUuid(uuid)) return null
  const found = await byUuid(db).get({ system: systemId, uuid: uuid.toLowerCase() })
  return found && decode(found)
}

export async function getFriendship(
  db: Db,
  systemId: number,
  uuid: string,
): Promise<FriendshipRow> {
  const found = await findFriendship(db, systemId, uuid)
  if (!found) throw error('friendNotFound')
  return found
}

/** Returns the friendship as the other system sees it. */
export async function getOtherSide(db: Db, { uuid, friend_system_id }: FriendshipRow) {
  return getFriendship(db, friend_system_id, uuid)
}

/** Row IDs of what a system shares with a friend by its buckets. */
export interface SharedRows {
  readonly members: ReadonlySet<number>
  readonly groups: ReadonlySet<number>
  readonly fields: ReadonlySet<number>
}

/** Returns the row IDs of what the friend of a friendship shares. */
export async function findSharedRows(db: Db, friendship: FriendshipRow): Promise<SharedRows> {
  const values = { friendship: friendship.id, system: friendship.friend_system_id }
  const idsOf = (found: readonly { id: number }[]) => new Set(found.map(({ id }) => id))
  return {
    members: idsOf(await sharedMembers(db).all(values)),
    groups: idsOf(await sharedGroups(db).all(values)),
    fields: idsOf(await sharedFields(db).all(values)),
  }
}

/** Returns the row IDs of the members that the friend of a friendship shares. */
export async function findSharedMembers(
  db: Db,
  { id, friend_system_id }: FriendshipRow,
): Promise<ReadonlySet<number>> {
  const found = await sharedMembers(db).all({ friendship: id, system: friend_system_id })
  return new Set(found.map((one) => one.id))
}

type TheirFlag = 'their_see_front' | 'their_see_members' | 'their_announce'

type SelectedRow = Omit<FriendshipRow, 'buckets' | TheirFlag> &
  Readonly<Record<TheirFlag, number>> & { readonly buckets: string }

function decode(row: SelectedRow): FriendshipRow {
  return {
    ...row,
    buckets: JSON.parse(row.buckets),
    their_see_front: row.their_see_front === 1,
    their_see_members: row.their_see_members === 1,
    their_announce: row.their_announce === 1,
  }
}

const mine = friendSides
const theirs = alias(friendSides, 'theirs')

function selectSides(
  db: Parameters<Parameters<typeof query>[0]>[0],
  dialect: Dialect,
  system: Placeholders<'system'>['system'],
) {
  const { id, uuid, created } = friendships
  return db
    .select({
      id,
      uuid,
      created,
      system_id: mine.system_id,
      friend_system_id: mine.friend_system_id,
      name: mine.name,
      notify_me: mine.notify_me,
      see_front: mine.see_front,
      see_members: mine.see_members,
      announce: mine.announce,
      buckets: sql<string>`${bucketsOfRowSql(dialect, 'friends', id, system)}`.as('buckets'),
      their_see_front: sql<number>`${theirs.see_front}`.as('their_see_front'),
      their_see_members: sql<number>`${theirs.see_members}`.as('their_see_members'),
      their_announce: sql<number>`${theirs.announce}`.as('their_announce'),
      their_disabled_at: sql<Instant | null>`${visibleSystems.disabled_at}`.as('their_disabled_at'),
    })
    .from(mine)
    .innerJoin(friendships, eq(id, mine.friendship_id))
    .innerJoin(
      theirs,
      and(
        eq(theirs.friendship_id, mine.friendship_id),
        eq(theirs.system_id, mine.friend_system_id),
      ),
    )
    .innerJoin(visibleSystems, eq(visibleSystems.id, mine.friend_system_id))
}

const ofSystem = query((db, { system }: Placeholders<'system'>, dialect) =>
  selectSides(db, dialect, system).where(eq(mine.system_id, system)).orderBy(friendships.id),
)

const byUuid = query((db, { system, uuid }: Placeholders<'system' | 'uuid'>, dialect) =>
  selectSides(db, dialect, system).where(
    and(eq(mine.system_id, system), eq(friendships.uuid, uuid)),
  ),
)

type SharedOf = Placeholders<'friendship' | 'system'>

/** SQL of the buckets of a system that a friend is in, joined with what they contain. */
const bucketsOfFriend = ({ friendship, system }: SharedOf) =>
  sql`${bucketFriends.friendship_id} = ${friendship} and ${visibleBuckets.system_id} = ${system}`

// SQL text, because the links of a friend are joined with the buckets of the other system.
const sharedMembers = query(
  (_, values: SharedOf) =>
    sql<{ id: number }>`select distinct ${bucketMembers.member_id} as id from ${bucketFriends}
      join ${visibleBuckets} on ${visibleBuckets.id} = ${bucketFriends.bucket_id}
      join ${bucketMembers} on ${bucketMembers.bucket_id} = ${visibleBuckets.id}
      join ${visibleMembers} on ${visibleMembers.id} = ${bucketMembers.member_id}
        and ${visibleMembers.system_id} = ${visibleBuckets.system_id}
      where ${bucketsOfFriend(values)}`,
)

const sharedGroups = query(
  (_, values: SharedOf) =>
    sql<{ id: number }>`select distinct ${bucketGroups.group_id} as id from ${bucketFriends}
      join ${visibleBuckets} on ${visibleBuckets.id} = ${bucketFriends.bucket_id}
      join ${bucketGroups} on ${bucketGroups.bucket_id} = ${visibleBuckets.id}
      where ${bucketsOfFriend(values)}`,
)

const sharedFields = query(
  (_, values: SharedOf) =>
    sql<{ id: number }>`select distinct ${bucketFields.field_id} as id from ${bucketFriends}
      join ${visibleBuckets} on ${visibleBuckets.id} = ${bucketFriends.bucket_id}
      join ${bucketFields} on ${bucketFields.bucket_id} = ${visibleBuckets.id}
      where ${bucketsOfFriend(values)}`,
)
