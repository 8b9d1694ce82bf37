import { statement } from './statement'
import type { Db } from './types'

/**
 * Counters that other processes read to detect revoked tokens (`keys`) and changed webhooks
 * (`hooks`).
 */
export type ChangeCounter = 'keys' | 'hooks'

/** Invalidates what other processes have cached of this kind. */
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
