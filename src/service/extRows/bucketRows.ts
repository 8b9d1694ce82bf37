import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { columnNames, type Placeholders, query } from '../../db/query'
import { bucketFields, bucketFriends, bucketGroups, bucketMembers } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleBuckets } from '../../db/visible'
import { error } from '../../model/errors'
import type { SharedKind } from '../../model/ext/bucket'

/** What privacy buckets contain, with the tables that link rows to buckets. */
const links = {
  members: { table: bucketMembers, row: bucketMembers.member_id },
  groups: { table: bucketGroups, row: bucketGroups.group_id },
  fields: { table: bucketFields, row: bucketFields.field_id },
  friends: { table: bucketFriends, row: bucketFriends.friendship_id },
} as const

export type BucketContent = keyof typeof links

/** Rows of one kind to put in a bucket. */
export interface BucketLinks {
  readonly bucket: number
  readonly content: Exclude<BucketContent, 'friends'>
  readonly rows: readonly number[]
}

export interface BucketRef {
  readonly id: number
  readonly uuid: string
}

/** SQL of the UUIDs of the visible buckets of a system that contain a row, as a JSON list. */
export function bucketsOfRowSql(
  { jsonTexts }: Dialect,
  content: BucketContent,
  rowId: SQLWrapper,
  systemId: SQLWrapper,
): SQL {
  const { table, row } = links[content]
  const { id, uuid, position, system_id } = visibleBuckets
  return jsonTexts(
    uuid,
    sql`${table} join ${visibleBuckets} on ${id} = ${table.bucket_id}
      where ${row} = ${rowId} and ${system_id} = ${systemId}`,
    sql`${position}, ${id}`,
  )
}

/** Returns the buckets of a system that a client names, without repetitions. Throws if one is missing. */
export async function resolveBuckets(
  db: Db,
  systemId: number,
  uuids: readonly string[],
): Promise<BucketRef[]> {
  if (uuids.length === 0) return []
  const known = new Map((await listBucketRefs(db, systemId)).map((one) => [one.uuid, one]))
  return [...new Set(uuids)].map((uuid) => {
    const found = known.get(uuid)
    if (!found) throw error('bucketNotFound')
    return found
  })
}

/** Lists the buckets of a system by position. */
export async function listBucketRefs(db: Db, systemId: number) {
  return await ofSystem(db).all({ system: systemId })
}

/** Puts a row in exactly these buckets of its system. */
export async function setBuckets(
  tx: Db,
  systemId: number,
  content: BucketContent,
  rowId: number,
  buckets: readonly BucketRef[],
): Promise<void> {
  await leave[content](tx).run({ system: systemId, row: rowId })
  for (const { id } of buckets) await put[content](tx).run({ bucket: id, row: rowId })
}

/** Puts exactly these rows in a bucket. */
export async function setContents(
  tx: Db,
  bucketId: number,
  content: BucketContent,
  rowIds: readonly number[],
): Promise<void> {
  await empty[content](tx).run({ bucket: bucketId })
  await putAll[content](tx).run({ bucket: bucketId, rows: JSON.stringify(rowIds) })
}

/** Adds rows to a bucket, in one statement. */
export async function addContents(tx: Db, { bucket, content, rows }: BucketLinks): Promise<void> {
  await putAll[content](tx).run({ bucket, rows: JSON.stringify(rows) })
}

/** Lists the IDs of the rows in a bucket. */
export async function listContents(
  db: Db,
  bucketId: number,
  content: BucketContent,
): Promise<number[]> {
  return (await contents[content](db).all({ bucket: bucketId })).map(({ row }) => row)
}

/** Puts a new row in the buckets for new rows of its kind. Returns their UUIDs. */
export async function putInDefaultBuckets(
  tx: Db,
  systemId: number,
  kind: SharedKind,
  rowId: number,
): Promise<string[]> {
  const all = await listBucketRefs(tx, systemId)
  const chosen = all.filter(({ default_for }) => default_for.includes(kind))
  if (chosen.length === 0) return []
  const content = kind === 'custom_fronts' ? 'members' : kind
  for (const { id } of chosen) await put[content](tx).run({ bucket: id, row: rowId })
  return chosen.map(({ uuid }) => uuid)
}

const ofSystem = query((db, { system }: Placeholders<'system'>) => {
  const { id, uuid, name, default_for, system_id, position } = visibleBuckets
  return db
    .select({ id, uuid, name, default_for })
    .from(visibleBuckets)
    .where(eq(system_id, system))
    .orderBy(position, id)
})

const leave = each(({ table, row }) =>
  query((db, values: Placeholders<'system' | 'row'>) => {
    const own = db
      .select({ id: visibleBuckets.id })
      .from(visibleBuckets)
      .where(eq(visibleBuckets.system_id, values.system))
    return db.delete(table).where(and(eq(row, values.row), inArray(table.bucket_id, own)))
  }),
)

// SQL text, because the builder has no type for one of several tables.
const put = each(({ table, row }) =>
  query(
    (_, values: Placeholders<'bucket' | 'row'>) =>
      sql`insert into ${table} (${columnNames(table.bucket_id, row)})
        values (${values.bucket}, ${values.row}) on conflict do nothing`,
  ),
)

// With `where true`, because `on` after a table could begin the condition of a join.
const putAll = each(({ table, row }) =>
  query(
    (_, values: Placeholders<'bucket' | 'rows'>, { number, jsonEach, jsonNumber }) =>
      sql`insert into ${table} (${columnNames(table.bucket_id, row)})
        select ${number(values.bucket)}, ${jsonNumber('listed')}
        from ${jsonEach(values.rows, 'listed')} where true on conflict do nothing`,
  ),
)

const empty = each(({ table }) =>
  query((db, values: Placeholders<'bucket'>) =>
    db.delete(table).where(eq(table.bucket_id, values.bucket)),
  ),
)

const contents = each(({ table, row }) =>
  query(
    (_, values: Placeholders<'bucket'>) =>
      sql<{ row: number }>`select ${row} as row from ${table}
        where ${table.bucket_id} = ${values.bucket} order by ${row}`,
  ),
)

function each<T>(create: (link: (typeof links)[BucketContent]) => T): Record<BucketContent, T> {
  return {
    members: create(links.members),
    groups: create(links.groups),
    fields: create(links.fields),
    friends: create(links.friends),
  }
}
