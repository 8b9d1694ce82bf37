import { eq, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from './query'
import { changeCounters } from './tables'
import type { Db } from './types'

/**
 * Counters that other processes read to detect revoked tokens and changed
 * webhooks.
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

export function counterValue(counter: ChangeCounter): SQL {
  const { name, value } = changeCounters
  return sql`coalesce((select ${value} from ${changeCounters} where ${name} = ${counter}), 0)`
}

const increment = query((db, { name }: Placeholders<'name'>) =>
  db
    .insert(changeCounters)
    .values({ name, value: 1 })
    .onConflictDoUpdate({
      target: changeCounters.name,
      set: { value: sql`${changeCounters.value} + 1` },
    }),
)

const read = query((db, { name }: Placeholders<'name'>) =>
  db
    .select({ value: changeCounters.value })
    .from(changeCounters)
    .where(eq(changeCounters.name, name)),
)
