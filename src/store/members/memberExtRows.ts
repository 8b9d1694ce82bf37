import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Placeholders, query } from '../../db/query'
import { bucketMembers, fieldValues, memberExts } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleBuckets, visibleFields, visibleMembers } from '../../db/visible'
import type { Level } from '../../model/core/entity'
import { EXCERPT_LENGTH } from '../../model/core/excerpt'
import {
  defaultMemberExt,
  type FieldValues,
  type MemberExt,
  type StoredMemberExt,
  toListed,
} from '../../model/members/memberExt'
import { bucketsOfRowSql } from '../friends/bucketLinks'

/** Complete row of `memberExt`, with the levels of its member that its privacy depends on. */
export interface MemberExtRow extends MemberExt {
  id: number
  system_id: number
  visibility: Level
  description_privacy: Level
  /** Values that other callers may see. */
  public_fields: FieldValues
  /** True if an unfinished import has written values or buckets, which are not shown yet. */
  hasHiddenValues: boolean
}

/** Returns what the extension API adds to members, by their row IDs. Deleted members are left out. */
export async function findMemberExts(db: Db, ids: readonly number[]): Promise<MemberExtRow[]> {
  return (await byIds(db).all({ ids: JSON.stringify(ids) })).map(toRow)
}

/** Like `findMemberExts`, as lists show it: without reading whole long descriptions. */
export async function findListedMemberExts(
  db: Db,
  ids: readonly number[],
): Promise<ListedMemberExtRow[]> {
  return (await listedByIds(db).all({ ids: JSON.stringify(ids) })).map((row) =>
    toListed(toRow(row)),
  )
}

export async function findMemberExt(db: Db, id: number): Promise<MemberExtRow | null> {
  const [row] = await findMemberExts(db, [id])
  return row ?? null
}

/** Returns the row that is rendered and stored; null while an unfinished import hides its values. */
export async function findCacheableMemberExt(
  db: Db,
  id: number,
): Promise<ListedMemberExtRow | null> {
  const [row] = await findListedMemberExts(db, [id])
  return row === undefined || row.hasHiddenValues ? null : row
}

/** Lists the rows of members by their row IDs, without values and buckets. */
export function listStoredExts(
  db: Db,
  ids: readonly number[],
): MaybePromise<(typeof memberExts.$inferSelect)[]> {
  return storedByIds(db).all({ ids: JSON.stringify(ids) })
}

export async function replaceStoredExts(
  tx: Db,
  rows: readonly (Omit<StoredMemberExt, 'announce_front'> & {
    member_id: number
    announce_front: number
  })[],
): Promise<void> {
  await deleteByIds(tx).run({ ids: JSON.stringify(rows.map(({ member_id }) => member_id)) })
  await insertRows(tx).run({ rows: JSON.stringify(rows) })
}

/** The same as lists show it. */
export type ListedMemberExtRow = MemberExtRow & { about_excerpt: string | null }

interface SelectedRow {
  id: number
  system_id: number
  visibility: Level
  description_privacy: Level
  kind: MemberExt['kind'] | null
  archived_at: number | null
  archived_reason: string | null
  announce_front: number | null
  about: string | null
  all_values: string
  public_values: string
  in_buckets: string
  value_count: number
  shown_count: number
}

function toRow({
  all_values,
  public_values,
  in_buckets,
  value_count,
  shown_count,
  ...row
}: SelectedRow): MemberExtRow {
  const announced = row.announce_front
  return {
    ...row,
    kind: row.kind ?? defaultMemberExt.kind,
    announce_front: announced === null ? defaultMemberExt.announce_front : announced === 1,
    archived: row.archived_at !== null,
    fields: JSON.parse(all_values),
    public_fields: row.visibility === 'public' ? JSON.parse(public_values) : {},
    buckets: JSON.parse(in_buckets),
    hasHiddenValues: value_count > shown_count,
  }
}

const { id, system_id, visibility, description_privacy } = visibleMembers

const byIds = selectByIds(memberExts.about)
const listedByIds = selectByIds(sql`substr(${memberExts.about}, 1, ${EXCERPT_LENGTH + 1})`)

const storedByIds = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.select().from(memberExts).where(inJsonNumbers(memberExts.member_id, ids)),
)

const deleteByIds = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.delete(memberExts).where(inJsonNumbers(memberExts.member_id, ids)),
)

const insertRows = query((db, { rows }: Placeholders<'rows'>, { rowsIn }) =>
  db.insert(memberExts).select(rowsIn(rows, memberExts, Object.keys(getTableColumns(memberExts)))),
)

/** SQL text, because the values of a member are aggregated as JSON. */
function selectByIds(about: SQLWrapper) {
  return query((_, { ids }: Placeholders<'ids'>, dialect) => {
    const { kind, archived_at, archived_reason, announce_front } = memberExts
    return sql<SelectedRow>`
    select ${id}, ${system_id}, ${visibility}, ${description_privacy}, ${kind}, ${archived_at},
      ${archived_reason}, ${announce_front}, ${about} as about,
      ${valuesOf(dialect, id)} as all_values,
      ${valuesOf(dialect, id, sql`and ${visibleFields.privacy} = 'public'`)} as public_values,
      ${bucketsOfRowSql(dialect, 'members', id, visibleMembers.system_id)} as in_buckets,
      (select ${dialect.count()} from ${fieldValues} where ${fieldValues.member_id} = ${id})
        + (select ${dialect.count()} from ${bucketMembers} where ${bucketMembers.member_id} = ${id}) as value_count,
      (select ${dialect.count()} from ${fieldValues} join ${visibleFields}
        on ${visibleFields.id} = ${fieldValues.field_id} where ${fieldValues.member_id} = ${id})
        + (select ${dialect.count()} from ${bucketMembers} join ${visibleBuckets}
        on ${visibleBuckets.id} = ${bucketMembers.bucket_id} where ${bucketMembers.member_id} = ${id}) as shown_count
    from ${visibleMembers} left join ${memberExts} on ${memberExts.member_id} = ${id}
    where ${dialect.inJsonNumbers(id, ids)} order by ${id}`
  })
}

/** JSON object of the values of a member, in the order in which their fields were created. */
function valuesOf({ groupConcat }: Dialect, memberId: SQLWrapper, condition = sql``): SQL {
  const { member_id, field_id, value } = fieldValues
  return sql`(select '{' || coalesce(${groupConcat(sql`json`)}, '') || '}' from (
    select '"' || ${visibleFields.uuid} || '":' || ${value} as json
    from ${fieldValues} join ${visibleFields} on ${visibleFields.id} = ${field_id}
    where ${member_id} = ${memberId} ${condition} order by ${field_id}) one)`
}
