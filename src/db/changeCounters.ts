import { statement } from './statement'
import type { Db } from './types'

/** What other processes learn by counters: that tokens ended, that webhooks changed. */
export type ChangeCounter = 'keys' | 'hooks'

/** From now on whoever remembers anything of the kind looks it up anew. */
export async function incrementCounter(tx: Db, name: ChangeCounter): Promise<void> {
  await increment(tx).run({ name })
  tx.driver.onCounter?.(name)
}

export async function readCounter(db: Db, name: ChangeCounter): Promise<number> {
  return (await read(db).get({ name }))?.count ?? 0
}

const increment = statement<'name'>(`
   insert into marks (name, count) values (:name, 1)
   on conflict (name) do update set count = marks.count + 1`)

const read = statement<'name', { count: number }>('select count from marks where name = :name')
