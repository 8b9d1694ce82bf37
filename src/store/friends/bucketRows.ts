import { and, eq, inArray, sql } from 'drizzle-orm'
import { columnNames, type Placeholders, query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleBuckets } from '../../db/visible'
import { error } from '../../model/core/errors'
import type { SharedKind } from '../../model/friends/bucket'
import { type BucketContent, forEachContent } from './bucketLinks'

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

/** Returns the buckets of a system that a client names, without repetitions. Throws if one is missing. */
export async function resolveBuckets(
  db: Db,
  systemId: number,
  uuids: readonly string[],
): Promise<BucketRef[]> {
  if (uuids.length === 0) return []
  const bucketsByUuid = new Map(
    (await listBucketRefs(db, systemId)).map((bucket) => [bucket.uuid, bucket]),
  )
  return [...new Set(uuids)].map((uuid) => {
    const bucket = bucketsByUuid.get(uuid)
    if (!bucket) throw error('bucketNotFound')
    return bucket
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

/** Lists the buckets for new rows of a kind. */
export async function listDefaultBuckets(
  db: Db,
  systemId: number,
  kind: SharedKind,
): Promise<BucketRef[]> {
  const all = await listBucketRefs(db, systemId)
  return all.filter(({ default_for }) => default_for.includes(kind))
}

/** Puts a new row in the buckets for new rows of its kind. Returns their UUIDs. */
export async function putInDefaultBuckets(
  tx: Db,
  systemId: number,
  kind: Exclude<SharedKind, 'custom_fronts'>,
  rowId: number,
): Promise<string[]> {
  const chosen = await listDefaultBuckets(tx, systemId, kind)
  for (const { id } of chosen) await put[kind](tx).run({ bucket: id, row: rowId })
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

const leave = forEachContent(({ table, row }) =>
  query((db, values: Placeholders<'system' | 'row'>) => {
    const ownBuckets = db
      .select({ id: visibleBuckets.id })
      .from(visibleBuckets)
      .where(eq(visibleBuckets.system_id, values.system))
    return db.delete(table).where(and(eq(row, values.row), inArray(table.bucket_id, ownBuckets)))
  }),
)

// SQL text, because the builder has no type for one of several tables.
const put = forEachContent(({ table, row }) =>
  query(
    (_, values: Placeholders<'bucket' | 'row'>) =>
      sql`insert into ${table} (${columnNames(table.bucket_id, row)})
        values (${values.bucket}, ${values.row}) on conflict do nothing`,
  ),
)

// With `where true`, because `on` after a table could begin the condition of a join.
const putAll = forEachContent(({ table, row }) =>
  query(
    (_, values: Placeholders<'bucket' | 'rows'>, { number, jsonEach, jsonNumber }) =>
      sql`insert into ${table} (${columnNames(table.bucket_id, row)})
        select ${number(values.bucket)}, ${jsonNumber('listed')}
        from ${jsonEach(values.rows, 'listed')} where true on conflict do nothing`,
  ),
)

const empty = forEachContent(({ table }) =>
  query((db, values: Placeholders<'bucket'>) =>
    db.delete(table).where(eq(table.bucket_id, values.bucket)),
  ),
)

const contents = forEachContent(({ table, row }) =>
  query(
    (_, values: Placeholders<'bucket'>) =>
      sql<{ row: number }>`select ${row} as row from ${table}
        where ${table.bucket_id} = ${values.bucket} order by ${row}`,
  ),
)
