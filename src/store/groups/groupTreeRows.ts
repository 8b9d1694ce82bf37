import { type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { groupExts, groupMembers } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleGroups, visibleMembers } from '../../db/visible'
import type { Group } from '../../model/groups/group'
import { bucketsOfRowSql } from '../friends/bucketLinks'

/** A group of the tree, without its members. */
export interface GroupNode {
  readonly id: number
  readonly uuid: string
  readonly hid: string
  readonly parent_id: number | null
  readonly emoji: string | null
  readonly position: number
  readonly buckets: string[]
}

/** Lists the groups of a system without their members. */
export async function listGroupNodes(db: Db, system: number): Promise<GroupNode[]> {
  const rows = await treeOf(db).all({ system })
  return rows.map((node) => ({ ...node, buckets: JSON.parse(node.buckets) }))
}

/** Stores the place of a group in the tree, and its emoji. */
export function storeGroupPlace(
  tx: Db,
  place: Pick<GroupNode, 'id' | 'parent_id' | 'emoji' | 'position'>,
): MaybePromise<unknown> {
  return store(tx).run(place)
}

/** A group with JSON lists of its members. */
export type GroupTreeRow = Group & {
  parent_id: number | null
  emoji: string | null
  position: number
  all_members: string
  public_members: string
  in_buckets: string
}

/** Number of groups that are read at once, and text of their members above which it is halved. */
const PAGE = 25
const LONG_PAGE = 256 * 1024

/** Reads the groups in pages, because each may have all members. */
export async function listTreeRows(
  db: Db,
  system: number,
  yieldIfDue: () => Promise<boolean>,
): Promise<GroupTreeRow[]> {
  const all: GroupTreeRow[] = []
  for (let limit = PAGE; ; ) {
    await yieldIfDue()
    const page = await rowsAfter(db).all({ system, after: all.at(-1)?.id ?? 0, limit })
    all.push(...page)
    if (page.length < limit) return all
    const length = page.reduce((sum, { all_members }) => sum + all_members.length, 0)
    if (length > LONG_PAGE) limit = Math.ceil(limit / 2)
  }
}

const { parent_id, emoji, position, group_id } = groupExts
const groups = visibleGroups

// SQL text, because the members of a group are aggregated as JSON.
const rowsAfter = query((_, values: Placeholders<'system' | 'after' | 'limit'>, dialect) => {
  const { system, after, limit } = values
  const { jsonTexts, groupConcat } = dialect
  const allMembers = sql`(select '[' || coalesce(${groupConcat(sql`json`)}, '') || ']' from (
    select '{"id":' || ${visibleMembers.id} || ',"uuid":"' || ${visibleMembers.uuid} || '"}' as json
    from ${groupMembers} join ${visibleMembers} on ${visibleMembers.id} = ${groupMembers.member_id}
    where ${groupMembers.group_id} = ${groups.id} order by ${groupMembers.member_id}) one)`
  const membersOf = (condition: SQL) =>
    jsonTexts(
      visibleMembers.uuid,
      sql`${groupMembers} join ${visibleMembers} on ${visibleMembers.id} = ${groupMembers.member_id}
          where ${groupMembers.group_id} = ${groups.id} ${condition}`,
      groupMembers.member_id,
    )
  return sql<GroupTreeRow>`select "groups".*, ${parent_id}, ${emoji}, coalesce(${position}, 0) as position,
      ${allMembers} as all_members,
      ${bucketsOfRowSql(dialect, 'groups', groups.id, system)} as in_buckets,
      ${membersOf(sql`and ${visibleMembers.visibility} = 'public'`)} as public_members
      from ${groups} left join ${groupExts} on ${group_id} = ${groups.id}
      where ${groups.system_id} = ${system} and ${groups.id} > ${after}
      order by ${groups.id} limit ${limit}`
}, visibleGroups._.selectedFields)

const treeOf = query(
  (_, { system }: Placeholders<'system'>, dialect) => sql<
    Omit<GroupNode, 'buckets'> & { buckets: string }
  >`
    select ${groups.id}, ${groups.uuid}, ${groups.hid}, ${parent_id}, ${emoji}, coalesce(${position}, 0) as position,
      ${bucketsOfRowSql(dialect, 'groups', groups.id, system)} as buckets
    from ${groups} left join ${groupExts} on ${group_id} = ${groups.id}
    where ${groups.system_id} = ${system} order by ${groups.id}`,
)

const store = query((db, values: Placeholders<'id' | 'parent_id' | 'emoji' | 'position'>) => {
  const set = { parent_id: values.parent_id, emoji: values.emoji, position: values.position }
  return db
    .insert(groupExts)
    .values({ group_id: values.id, ...set })
    .onConflictDoUpdate({ target: group_id, set })
})
