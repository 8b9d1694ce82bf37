import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Finding } from './finding'
import { type Placeholders, query } from './query'
import {
  bucketFields,
  bucketFriends,
  bucketGroups,
  bucketMembers,
  fields,
  friendSides,
  friendships,
  groups,
  members,
} from './tables'
import type { Db } from './types'
import { visibleBuckets } from './visible'

/** Finds friendships that do not have two sides which name each other. */
export async function findOneSidedFriendships(db: Db): Promise<Finding[]> {
  return (await oneSided(db).all({})).map(({ id, uuid }) => ({
    check: 'friends',
    problem: `friendship ${uuid} does not have two sides`,
    fix: (tx) => removeFriendship(tx).run({ id }),
  }))
}

/** Finds members, groups, fields and friends in a privacy bucket of another system. */
export async function findForeignBucketRows(db: Db): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { what, select, remove } of linked)
    for (const { bucket, row, uuid } of await select(db).all({}))
      found.push({
        check: 'buckets',
        problem: `bucket ${uuid} contains a ${what} of another system`,
        fix: (tx) => remove(tx).run({ bucket, row }),
      })
  return found
}

// SQL text, because a side is joined with the other one, and links are of several tables.
const oneSided = query((_, __: Placeholders<never>, { count }) => {
  const mirrored = sql`(select ${count()} from ${friendSides} join ${friendSides} theirs
    on theirs.friendship_id = ${friendSides.friendship_id}
      and theirs.system_id = ${friendSides.friend_system_id}
      and theirs.friend_system_id = ${friendSides.system_id}
      and theirs.system_id <> ${friendSides.system_id}
    where ${friendSides.friendship_id} = ${friendships.id})`
  return sql<{ id: number; uuid: string }>`select ${friendships.id}, ${friendships.uuid}
    from ${friendships} where ${mirrored} <> 2 order by ${friendships.id}`
})

const removeFriendship = query((db, { id }: Placeholders<'id'>) =>
  db.delete(friendships).where(eq(friendships.id, id)),
)

interface ForeignRow {
  readonly bucket: number
  readonly row: number
  readonly uuid: string
}

/** Builds the statement that finds links to rows for which the condition of the own system fails. */
const foreignRows = (link: SQL, bucketId: SQL, rowId: SQL, isOwn: SQL) =>
  query(
    () => sql<ForeignRow>`select ${bucketId} as bucket, ${rowId} as row, ${visibleBuckets.uuid} as uuid
      from ${link} join ${visibleBuckets} on ${visibleBuckets.id} = ${bucketId}
      where not exists ${isOwn} order by ${bucketId}, ${rowId}`,
  )

const linkTo = (
  what: string,
  table: typeof bucketMembers | typeof bucketGroups | typeof bucketFields | typeof bucketFriends,
  row:
    | typeof bucketMembers.member_id
    | typeof bucketGroups.group_id
    | typeof bucketFields.field_id
    | typeof bucketFriends.friendship_id,
  isOwn: SQL,
) => ({
  what,
  select: foreignRows(sql`${table}`, sql`${table.bucket_id}`, sql`${row}`, isOwn),
  remove: query((db, values: Placeholders<'bucket' | 'row'>) =>
    db.delete(table).where(and(eq(table.bucket_id, values.bucket), eq(row, values.row))),
  ),
})

const linked = [
  linkTo(
    'member',
    bucketMembers,
    bucketMembers.member_id,
    sql`(select 1 from ${members} where ${members.id} = ${bucketMembers.member_id}
      and ${members.system_id} = ${visibleBuckets.system_id})`,
  ),
  linkTo(
    'group',
    bucketGroups,
    bucketGroups.group_id,
    sql`(select 1 from ${groups} where ${groups.id} = ${bucketGroups.group_id}
      and ${groups.system_id} = ${visibleBuckets.system_id})`,
  ),
  linkTo(
    'field',
    bucketFields,
    bucketFields.field_id,
    sql`(select 1 from ${fields} where ${fields.id} = ${bucketFields.field_id}
      and ${fields.system_id} = ${visibleBuckets.system_id})`,
  ),
  linkTo(
    'friend',
    bucketFriends,
    bucketFriends.friendship_id,
    sql`(select 1 from ${friendSides} where ${friendSides.friendship_id} = ${bucketFriends.friendship_id}
      and ${friendSides.system_id} = ${visibleBuckets.system_id})`,
  ),
]
