import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { bucketFields, bucketFriends, bucketGroups, bucketMembers } from '../../db/tables'
import { visibleBuckets } from '../../db/visible'

/** Tables that link members, groups, fields and friendships to the privacy buckets they are in. */
export const bucketLinks = {
  members: { table: bucketMembers, row: bucketMembers.member_id },
  groups: { table: bucketGroups, row: bucketGroups.group_id },
  fields: { table: bucketFields, row: bucketFields.field_id },
  friends: { table: bucketFriends, row: bucketFriends.friendship_id },
} as const

export type BucketContent = keyof typeof bucketLinks
export type BucketLink = (typeof bucketLinks)[BucketContent]

/** Creates a value, such as a statement, for each kind of content. */
export function forEachContent<T>(
  create: (link: BucketLink, content: BucketContent) => T,
): Record<BucketContent, T> {
  return {
    members: create(bucketLinks.members, 'members'),
    groups: create(bucketLinks.groups, 'groups'),
    fields: create(bucketLinks.fields, 'fields'),
    friends: create(bucketLinks.friends, 'friends'),
  }
}

/** SQL of the UUIDs of the visible buckets of a system that contain a row, as a JSON list. */
export function bucketsOfRowSql(
  { jsonTexts }: Dialect,
  content: BucketContent,
  rowId: SQLWrapper,
  systemId: SQLWrapper,
): SQL {
  const { table, row } = bucketLinks[content]
  const { id, uuid, position, system_id } = visibleBuckets
  return jsonTexts(
    uuid,
    sql`${table} join ${visibleBuckets} on ${id} = ${table.bucket_id}
      where ${row} = ${rowId} and ${system_id} = ${systemId}`,
    sql`${position}, ${id}`,
  )
}
