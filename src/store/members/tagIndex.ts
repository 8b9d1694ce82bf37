import { and, eq, getTableColumns, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { proxyTagIndex, systems } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import type { ProxyTag } from '../../model/core/validation'
import { keysOfTag } from '../../model/proxy/tags'

// Proxy tag keys, by which messages are looked up. The keys of a system form a set, and the system's
// row names the set in use, so that a large import can write another one and switch to it at once.

/** Writes the keys of a member into a set. */
export async function indexTags(
  tx: Db,
  memberId: number,
  tags: readonly ProxyTag[],
  indexId: number,
): Promise<void> {
  await remove(tx).run({ member: memberId, set: indexId })
  if (tags.length === 0) return
  const rows = tags.map((tag, position) => {
    return { member_id: memberId, index_id: indexId, position, ...keysOfTag(tag) }
  })
  await insert(tx).run({ rows: JSON.stringify(rows) })
}

/** Returns the set that is in use. */
export async function tagIndexOf(db: Db, systemId: number): Promise<number> {
  return (await current(db).get({ system: systemId }))?.id ?? systemId
}

/** Sets the set in which messages of the system are looked up. */
export async function setTagIndex(tx: Db, systemId: number, indexId: number): Promise<void> {
  await change(tx).run({ system: systemId, set: indexId })
}

/** Tags of members by row ID, as stored. */
export type StoredTags = ReadonlyMap<number, string>

/** Lists the tags of all members of a system. */
export function listTags(
  db: Db,
  systemId: number,
): MaybePromise<readonly { id: number; tags: string }[]> {
  return tagsOf(db).all({ system: systemId })
}

export async function hasMember(db: Db, id: number): Promise<boolean> {
  return (await memberById(db).get({ id })) !== null
}

/**
 * Switches the system to the staged set, after writing the keys of members that were changed or
 * created since. Returns the set that was in use.
 */
export async function activateTagIndex(
  tx: Db,
  systemId: number,
  setId: number,
  written: StoredTags,
  isIndexed = (_memberId: number) => false,
): Promise<number> {
  const replaced = await tagIndexOf(tx, systemId)
  for (const { id, tags } of await listTags(tx, systemId))
    if (written.get(id) !== tags && !isIndexed(id)) await indexTags(tx, id, JSON.parse(tags), setId)
  await setTagIndex(tx, systemId, setId)
  return replaced
}

/** Moves all keys of a small set into another one. */
export async function mergeTagIndexes(tx: Db, from: number, to: number): Promise<void> {
  await move(tx).run({ from, to })
}

/** Deletes up to `most` keys of a set that is not in use. Returns the number of deleted keys. */
export async function removeSomeTags(tx: Db, indexId: number, most: number): Promise<number> {
  return (await removeSome(tx).all({ set: indexId, most })).length
}

/** Finds the first set with a higher ID that no system uses. */
export async function findUnusedTagIndex(db: Db, after: number): Promise<number | null> {
  const yieldIfDue = createYielder()
  for (let last = after; ; ) {
    const sets = await following(db).all({ after: last })
    const unused = sets.find(({ is_used }) => is_used === 0)
    if (unused) return unused.id
    if (sets.length < INDEXES_PER_PAGE) return null
    last = sets.at(-1)?.id ?? last
    await yieldIfDue()
  }
}

const { member_id, index_id } = proxyTagIndex

const insert = query((db, { rows }: Placeholders<'rows'>, { rowsIn }) =>
  db
    .insert(proxyTagIndex)
    .select(rowsIn(rows, proxyTagIndex, Object.keys(getTableColumns(proxyTagIndex)))),
)

const remove = query((db, { member, set }: Placeholders<'member' | 'set'>) =>
  db.delete(proxyTagIndex).where(and(eq(member_id, member), eq(index_id, set))),
)

const current = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ id: sql<number>`coalesce(${systems.tag_index_id}, ${systems.id})`.as('id') })
    .from(systems)
    .where(eq(systems.id, system)),
)

const change = query((db, { system, set }: Placeholders<'system' | 'set'>) =>
  db.update(systems).set({ tag_index_id: set }).where(eq(systems.id, system)),
)

const move = query((db, { from, to }: Placeholders<'from' | 'to'>) =>
  db.update(proxyTagIndex).set({ index_id: to }).where(eq(index_id, from)),
)

const removeSome = query((db, { set, most }: Placeholders<'set' | 'most'>, { rowId }) => {
  const row = rowId(proxyTagIndex)
  const some = db.select({ row }).from(proxyTagIndex).where(eq(index_id, set)).limit(most)
  return db.delete(proxyTagIndex).where(inArray(row, some)).returning({ index_id })
})

const memberById = query((db, { id }: Placeholders<'id'>) =>
  db.select({ id: visibleMembers.id }).from(visibleMembers).where(eq(visibleMembers.id, id)),
)

const tagsOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ id: visibleMembers.id, tags: sql<string>`${visibleMembers.proxy_tags}`.as('tags') })
    .from(visibleMembers)
    .where(eq(visibleMembers.system_id, system)),
)

const INDEXES_PER_PAGE = 200

/**
 * Selects the next sets, each by one index lookup, and whether a system uses them. A staging system
 * has a set of its own, too. SQL text, because the builder has no recursive queries.
 */
const following = query((_, { after }: Placeholders<'after'>) => {
  const { id, tag_index_id } = systems
  const nextAfter = (last: SQLWrapper) =>
    sql`(select min(${index_id}) from ${proxyTagIndex} where ${index_id} > ${last})`
  return sql<{ id: number; is_used: 0 | 1 }>`
   with recursive sets (id, step) as (
     select ${nextAfter(after)}, 1
     union all
     select ${nextAfter(sql`sets.id`)}, step + 1
     from sets where sets.id is not null and step < ${INDEXES_PER_PAGE}
   )
   select sets.id, case
     when exists (
       select 1 from ${systems}
       where ${id} = sets.id and (${tag_index_id} is null or ${tag_index_id} = sets.id)
     ) or exists (select 1 from ${systems} where ${tag_index_id} = sets.id) then 1 else 0 end as is_used
   from sets where sets.id is not null order by sets.id`
})
