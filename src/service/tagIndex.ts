import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { createYielder } from '../db/yieldToEventLoop'
import { keysOfTag } from '../model/proxy/tags'
import type { ProxyTag } from '../model/validation'

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
  const rows = tags.map((tag) => Object.values(keysOfTag(tag)))
  await insert(tx).run({ member: memberId, set: indexId, rows: JSON.stringify(rows) })
}

/** Returns the set that is in use. */
export async function tagIndexOf(db: Db, systemId: number): Promise<number> {
  return (await current(db).get({ system: systemId }))?.id ?? systemId
}

/** Sets the set in which messages of the system are looked up. */
export async function setTagIndex(tx: Db, systemId: number, indexId: number): Promise<void> {
  await change(tx).run({ system: systemId, set: indexId })
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

const columns = Object.entries(keysOfTag({ prefix: null, suffix: null }))

const insert = statement<'member' | 'set' | 'rows'>((dialect) => {
  const values = columns.map(([_, value], at) =>
    typeof value === 'number'
      ? dialect.jsonNumberAt('r.value', at)
      : dialect.jsonTextAt('r.value', at),
  )
  return `
   insert into proxy_tag_index (member_id, index_id, position, ${columns.map(([name]) => name).join()})
   select ${dialect.number(':member')}, ${dialect.number(':set')}, ${dialect.jsonIndex('r')}, ${values.join()}
   from ${dialect.jsonEach(':rows', 'r')}`
})

const remove = statement<'member' | 'set'>(
  'delete from proxy_tag_index where member_id = :member and index_id = :set',
)

const current = statement<'system', { id: number }>(
  'select coalesce(tag_index_id, id) as id from systems where id = :system',
)

const change = statement<'system' | 'set'>(
  'update systems set tag_index_id = :set where id = :system',
)

const move = statement<'from' | 'to'>(
  'update proxy_tag_index set index_id = :to where index_id = :from',
)

const removeSome = statement<'set' | 'most', { index_id: number }>(
  ({ rowId }) => `
   delete from proxy_tag_index where ${rowId('proxy_tag_index')} in (
     select ${rowId('proxy_tag_index')} from proxy_tag_index where index_id = :set limit :most
   ) returning index_id`,
)

const INDEXES_PER_PAGE = 200

/**
 * Selects the next sets, each by one index lookup, and whether a system uses them. A staging system
 * has a set of its own, too.
 */
const following = statement<'after', { id: number; is_used: 0 | 1 }>(`
   with recursive sets (id, step) as (
     select (select min(index_id) from proxy_tag_index where index_id > :after), 1
     union all
     select (select min(index_id) from proxy_tag_index where index_id > sets.id), step + 1
     from sets where sets.id is not null and step < ${INDEXES_PER_PAGE}
   )
   select sets.id, case
     when exists (
       select 1 from systems where systems.id = sets.id and (tag_index_id is null or tag_index_id = sets.id)
     ) or exists (select 1 from systems where tag_index_id = sets.id) then 1 else 0 end as is_used
   from sets where sets.id is not null order by sets.id`)
