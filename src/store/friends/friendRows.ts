import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Dialect } from '../../db/dialect'
import { type Placeholders, query } from '../../db/query'
import { createInserter } from '../../db/rows'
import { bucketFriends, friendSides, friendships } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleBuckets, visibleMembers, visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'
import { isUuid } from '../../model/core/ref'
import type { Instant } from '../../model/core/time'
import type { System } from '../../model/systems/system'
import { type BucketLink, bucketLinks, bucketsOfRowSql } from './bucketLinks'

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
  /** Parts that the system shows to the friend. */
  readonly see_front: boolean
  readonly see_members: boolean
  readonly announce: boolean
  readonly buckets: readonly string[]
  /** Parts that the friend shows. */
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

/** Lists those of a system's friendships that are named by UUIDs of the database. */
export async function listFriendshipsAmong(
  db: Db,
  systemId: number,
  uuids: readonly string[],
): Promise<FriendshipRow[]> {
  const rows = await amongUuids(db).all({ system: systemId, uuids: JSON.stringify(uuids) })
  return rows.map(decode)
}

export async function findFriendship(
  db: Db,
  systemId: number,
  uuid: string,
): Promise<FriendshipRow | null> {
  if (!isUuid(uuid)) return null
  const row = await byUuid(db).get({ system: systemId, uuid: uuid.toLowerCase() })
  return row && decode(row)
}

export async function getFriendship(
  db: Db,
  systemId: number,
  uuid: string,
): Promise<FriendshipRow> {
  const friendship = await findFriendship(db, systemId, uuid)
  if (!friendship) throw error('friendNotFound')
  return friendship
}

/** Inserts a friendship without its sides. Returns its ID. */
export const insertFriendship = createInserter(friendships, ['uuid', 'created'])

export async function areFriends(db: Db, systemId: number, other: number): Promise<boolean> {
  return (await sideBetween(db).get({ system: systemId, friend: other })) !== null
}

export async function countFriends(db: Db, systemId: number): Promise<number> {
  return (await sideCount(db).get({ system: systemId }))?.size ?? 0
}

/** Lists systems by their row IDs. */
export function listSystemsAmong(db: Db, ids: readonly number[]): MaybePromise<System[]> {
  return systemsAmong(db).all({ ids: JSON.stringify(ids) })
}

/** Own side of a friendship, as it is stored. */
type Side = Pick<
  FriendshipRow,
  | 'id'
  | 'system_id'
  | 'friend_system_id'
  | 'name'
  | 'notify_me'
  | 'see_front'
  | 'see_members'
  | 'announce'
>

export async function insertSide(tx: Db, side: Side): Promise<void> {
  const { friend_system_id: friend } = side
  await insert(tx).run({ friend, ...valuesOf(side) })
}

export async function updateSide(tx: Db, side: Side): Promise<void> {
  await update(tx).run(valuesOf(side))
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
  return {
    members: await findSharedMembers(db, friendship),
    groups: idsOf(await sharedGroups(db).all(values)),
    fields: idsOf(await sharedFields(db).all(values)),
  }
}

/** Returns the row IDs of the members that the friend of a friendship shares. */
export async function findSharedMembers(
  db: Db,
  { id, friend_system_id }: FriendshipRow,
): Promise<ReadonlySet<number>> {
  return idsOf(await sharedMembers(db).all({ friendship: id, system: friend_system_id }))
}

function idsOf(rows: readonly { id: number }[]): Set<number> {
  return new Set(rows.map(({ id }) => id))
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

const amongUuids = query((db, { system, uuids }: Placeholders<'system' | 'uuids'>, dialect) =>
  selectSides(db, dialect, system).where(
    and(eq(mine.system_id, system), dialect.inJsonTexts(friendships.uuid, uuids)),
  ),
)

function valuesOf({ id, system_id, name, ...flags }: Side) {
  return {
    id,
    system: system_id,
    name,
    notify_me: Number(flags.notify_me),
    see_front: Number(flags.see_front),
    see_members: Number(flags.see_members),
    announce: Number(flags.announce),
  }
}

type SideValues = Placeholders<keyof ReturnType<typeof valuesOf>>

const sideColumns = ({ name, notify_me, see_front, see_members, announce }: SideValues) => ({
  name,
  notify_me,
  see_front,
  see_members,
  announce,
})

const insert = query((db, values: SideValues & Placeholders<'friend'>) =>
  db.insert(mine).values({
    friendship_id: values.id,
    system_id: values.system,
    friend_system_id: values.friend,
    ...sideColumns(values),
  }),
)

const update = query((db, values: SideValues) =>
  db
    .update(mine)
    .set(sideColumns(values))
    .where(and(eq(mine.friendship_id, values.id), eq(mine.system_id, values.system))),
)

const sideBetween = query((db, { system, friend: other }: Placeholders<'system' | 'friend'>) =>
  db
    .select({ friendship_id: friendSides.friendship_id })
    .from(friendSides)
    .where(and(eq(friendSides.system_id, system), eq(friendSides.friend_system_id, other))),
)

const sideCount = query((db, { system }: Placeholders<'system'>, { count }) =>
  db
    .select({ size: sql<number>`${count()}`.as('size') })
    .from(friendSides)
    .where(eq(friendSides.system_id, system)),
)

const systemsAmong = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.select().from(visibleSystems).where(inJsonNumbers(visibleSystems.id, ids)),
)

type SharedOf = Placeholders<'friendship' | 'system'>

// SQL text, because the links of a friend are joined with the buckets of the other system.
const sharedIds = ({ table, row }: BucketLink, join = sql``) =>
  query(
    (_, { friendship, system }: SharedOf) =>
      sql<{ id: number }>`select distinct ${row} as id from ${bucketFriends}
        join ${visibleBuckets} on ${visibleBuckets.id} = ${bucketFriends.bucket_id}
        join ${table} on ${table.bucket_id} = ${visibleBuckets.id} ${join}
        where ${bucketFriends.friendship_id} = ${friendship}
          and ${visibleBuckets.system_id} = ${system}`,
  )

// Without members that are being deleted, which are in another system.
const sharedMembers = sharedIds(
  bucketLinks.members,
  sql`join ${visibleMembers} on ${visibleMembers.id} = ${bucketLinks.members.row}
    and ${visibleMembers.system_id} = ${visibleBuckets.system_id}`,
)
const sharedGroups = sharedIds(bucketLinks.groups)
const sharedFields = sharedIds(bucketLinks.fields)
