import type { Db } from './handle'
import { statement } from './statement'

/** What other processes learn by counters: that tokens ended, that webhooks changed. */
export type Mark = 'keys' | 'hooks'

/** From now on whoever remembers anything of the kind looks it up anew. */
export async function countUp(tx: Db, name: Mark): Promise<void> {
  await up(tx).run({ name })
  tx.driver.onMark?.(name)
}

export async function countOf(db: Db, name: Mark): Promise<number> {
  return (await of(db).get({ name }))?.count ?? 0
}

/** For work that learns only on its way whose rows it writes: from here on it is done in line. */
export async function holdSystem(tx: Db, id: number): Promise<void> {
  await hold(tx).get({ id })
}

/** The same, unless somebody else holds it: then false, and nobody waits. */
export async function holdFreeSystem(tx: Db, id: number): Promise<boolean> {
  return (await holdFree(tx).get({ id })) !== null
}

const up = statement<'name'>(`
   insert into marks (name, count) values (:name, 1)
   on conflict (name) do update set count = marks.count + 1`)

const of = statement<'name', { count: number }>('select count from marks where name = :name')

const hold = statement<'id'>(({ held }) => `select id from systems where id = :id ${held}`)

const holdFree = statement<'id'>(
  ({ heldIfFree }) => `select id from systems where id = :id ${heldIfFree}`,
)
