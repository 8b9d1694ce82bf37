import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from './query'
import { systems } from './tables'
import type { Db } from './types'

/** Locks a system in a transaction that learns only while it runs which system it writes. */
export async function lockSystem(tx: Db, id: number): Promise<void> {
  await lock(tx).get({ id })
}

/** The same, but returns false at once if another transaction holds the lock. */
export async function tryLockSystem(tx: Db, id: number): Promise<boolean> {
  return (await tryLock(tx).get({ id })) !== null
}

/** Blocks all other writers until the transaction ends. On SQLite, every transaction does. */
export async function lockExclusively(tx: Db): Promise<void> {
  const { exclusiveLock } = tx.driver.dialect
  if (exclusiveLock) await query(() => exclusiveLock)(tx).run({})
}

const lock = query((db, { id }: Placeholders<'id'>, { forUpdate }) =>
  db
    .select({ id: systems.id })
    .from(systems)
    .where(sql`${eq(systems.id, id)} ${forUpdate}`),
)

const tryLock = query((db, { id }: Placeholders<'id'>, { forUpdateSkipLocked }) =>
  db
    .select({ id: systems.id })
    .from(systems)
    .where(sql`${eq(systems.id, id)} ${forUpdateSkipLocked}`),
)
