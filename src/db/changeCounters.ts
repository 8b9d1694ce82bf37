import { statement } from './statement'
import type { Db } from './types'

/**
 * Counters that other processes read to detect revoked tokens (`keys`) and changed webhooks
 * (`hooks`).
 */
export type ChangeCounter = 'credentials' | 'webhooks'

/** Invalidates what other processes have cached of this kind. */
export async function incrementCounter(tx: Db, name: ChangeCounter): Promise<void> {
  await increment(tx).run({ name })
  tx.driver.onCounter?.(name)
}

export async function readCounter(db: Db, name: ChangeCounter): Promise<number> {
  return (await read(db).get({ name }))?.value ?? 0
}

const increment = statement<'name'>(`
   insert into change_counters (name, value) values (:name, 1)
   on conflict (name) do update set value = change_counters.value + 1`)

const read = statement<'name', { value: number }>(
  'select value from change_counters where name = :name',
)
