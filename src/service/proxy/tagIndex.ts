import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { keysOfTag } from '../../model/proxy/tags'
import type { ProxyTag } from '../../model/validation'
import { createYielder } from '../cooperative'

/**
 * The keys that messages are looked up by. Those of one system are a set; which one is in force
 * says its row, so that an import of very many can write another one and change over at once.
 */

/** Writes a member's keys into the set of its system, or into another one. */
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

/** The set that is in force. */
export async function tagIndexOf(db: Db, systemId: number): Promise<number> {
  return (await current(db).get({ system: systemId }))?.id ?? systemId
}

/** From now on the system's messages are looked up in that set. */
export async function setTagIndex(tx: Db, systemId: number, indexId: number): Promise<void> {
  await change(tx).run({ system: systemId, set: indexId })
}

/** Moves all keys of a set that has few into another. */
export async function mergeTagIndexes(tx: Db, from: number, to: number): Promise<void> {
  await move(tx).run({ from, to })
}

/** Removes some keys of a set that is not in force. How many there were. */
export async function removeSomeTags(tx: Db, indexId: number, most: number): Promise<number> {
  return (await removeSome(tx).all({ set: indexId, most })).length
}

/** The first set behind this one that no system has. */
export async function findUnusedTagIndex(db: Db, behind: number): Promise<number | null> {
  const yieldIfDue = createYielder()
  for (let last = behind; ; ) {
    const sets = await following(db).all({ behind: last })
    const old = sets.find(({ is_used }) => is_used === 0)
    if (old) return old.id
    if (sets.length < INDEXES_PER_PAGE) return null
    last = sets.at(-1)?.id ?? last
    await yieldIfDue()
  }
}

const columns = Object.entries(keysOfTag({ prefix: null, suffix: null }))

const insert = statement<'member' | 'set' | 'rows'>((say) => {
  const values = columns.map(([_, value], at) =>
    typeof value === 'number' ? say.jsonNumberAt('r.value', at) : say.jsonTextAt('r.value', at),
  )
  return `
   insert into proxy_tag_keys (member_id, set_id, position, ${columns.map(([name]) => name).join()})
   select ${say.number(':member')}, ${say.number(':set')}, ${say.jsonIndex('r')}, ${values.join()}
   from ${say.jsonEach(':rows', 'r')}`
})

const remove = statement<'member' | 'set'>(
  'delete from proxy_tag_keys where member_id = :member and set_id = :set',
)

const current = statement<'system', { id: number }>(
  'select coalesce(tag_set, id) as id from systems where id = :system',
)

const change = statement<'system' | 'set'>('update systems set tag_set = :set where id = :system')

const move = statement<'from' | 'to'>('update proxy_tag_keys set set_id = :to where set_id = :from')

const removeSome = statement<'set' | 'most', { set_id: number }>(
  ({ rowId }) => `
   delete from proxy_tag_keys where ${rowId('proxy_tag_keys')} in (
     select ${rowId('proxy_tag_keys')} from proxy_tag_keys where set_id = :set limit :most
   ) returning set_id`,
)

const INDEXES_PER_PAGE = 200

/**
 * The next sets, each found by one look into the index, and whether a system has them. Nearly every
 * one is the first of its system. A place where new members wait has a set of its own, too.
 */
const following = statement<'behind', { id: number; is_used: 0 | 1 }>(`
   with recursive sets (id, step) as (
     select (select min(set_id) from proxy_tag_keys where set_id > :behind), 1
     union all
     select (select min(set_id) from proxy_tag_keys where set_id > sets.id), step + 1
     from sets where sets.id is not null and step < ${INDEXES_PER_PAGE}
   )
   select sets.id, case
     when exists (
       select 1 from systems where systems.id = sets.id and (tag_set is null or tag_set = sets.id)
     ) or exists (select 1 from systems where tag_set = sets.id) then 1 else 0 end as is_used
   from sets where sets.id is not null order by sets.id`)
