import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Finding } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { fields, friendSides, friendships, groups, members } from '../db/tables'
import type { Db } from '../db/types'
import { visibleBuckets } from '../db/visible'
import { type BucketContent, bucketLinks, forEachContent } from '../store/friends/bucketLinks'

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
  const findings: Finding[] = []
  for (const { what, select, remove } of Object.values(foreignLinks))
    for (const { bucket, row, uuid } of await select(db).all({}))
      findings.push({
        check: 'buckets',
        problem: `bucket ${uuid} contains a ${what} of another system`,
        fix: (tx) => remove(tx).run({ bucket, row }),
      })
  return findings
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

/** Rows that a bucket may contain: those of its own system. */
const ownRows: Record<BucketContent, { what: string; rows: SQL }> = {
  members: {
    what: 'member',
    rows: sql`from ${members} where ${members.id} = ${bucketLinks.members.row}
      and ${members.system_id} = ${visibleBuckets.system_id}`,
  },
  groups: {
    what: 'group',
    rows: sql`from ${groups} where ${groups.id} = ${bucketLinks.groups.row}
      and ${groups.system_id} = ${visibleBuckets.system_id}`,
  },
  fields: {
    what: 'field',
    rows: sql`from ${fields} where ${fields.id} = ${bucketLinks.fields.row}
      and ${fields.system_id} = ${visibleBuckets.system_id}`,
  },
  friends: {
    what: 'friend',
    rows: sql`from ${friendSides} where ${friendSides.friendship_id} = ${bucketLinks.friends.row}
      and ${friendSides.system_id} = ${visibleBuckets.system_id}`,
  },
}

const foreignLinks = forEachContent(({ table, row }, content) => {
  const { what, rows } = ownRows[content]
  return {
    what,
    select: query(
      () =>
        sql<{ bucket: number; row: number; uuid: string }>`select ${table.bucket_id} as bucket,
            ${row} as row, ${visibleBuckets.uuid} as uuid
          from ${table} join ${visibleBuckets} on ${visibleBuckets.id} = ${table.bucket_id}
          where not exists (select 1 ${rows})
          order by ${table.bucket_id}, ${row}`,
    ),
    remove: query((db, values: Placeholders<'bucket' | 'row'>) =>
      db.delete(table).where(and(eq(table.bucket_id, values.bucket), eq(row, values.row))),
    ),
  }
})
