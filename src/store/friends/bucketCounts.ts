import { sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { bucketFields, bucketFriends, bucketGroups, bucketMembers } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleBuckets, visibleFields, visibleGroups, visibleMembers } from '../../db/visible'

/** Numbers of what is in a bucket. */
export interface BucketCounts {
  readonly members: number
  readonly groups: number
  readonly fields: number
  readonly friends: number
}

/** Counts what is in the buckets of a system, by their UUID. */
export async function countBucketContents(
  db: Db,
  systemId: number,
): Promise<Map<string, BucketCounts>> {
  const rows = await countContents(db).all({ system: systemId })
  return new Map(rows.map(({ uuid, ...counts }) => [uuid, counts]))
}

// SQL text, because four tables are counted in one statement.
const countContents = query((_, { system }: Placeholders<'system'>, { count }) => {
  const { id, uuid, system_id } = visibleBuckets
  const linked = [
    sql`(select ${count()} from ${bucketMembers} join ${visibleMembers}
      on ${visibleMembers.id} = ${bucketMembers.member_id} where ${bucketMembers.bucket_id} = ${id}) as members`,
    sql`(select ${count()} from ${bucketGroups} join ${visibleGroups}
      on ${visibleGroups.id} = ${bucketGroups.group_id} where ${bucketGroups.bucket_id} = ${id}) as "groups"`,
    sql`(select ${count()} from ${bucketFields} join ${visibleFields}
      on ${visibleFields.id} = ${bucketFields.field_id} where ${bucketFields.bucket_id} = ${id}) as fields`,
    sql`(select ${count()} from ${bucketFriends} where ${bucketFriends.bucket_id} = ${id}) as friends`,
  ]
  return sql<BucketCounts & { uuid: string }>`select ${uuid}, ${sql.join(linked, sql`, `)}
    from ${visibleBuckets} where ${system_id} = ${system}`
})
