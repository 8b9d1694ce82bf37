import { statement } from './statement'
import type { Db } from './types'

/** Locks a system in a transaction that learns only while it runs which system it writes. */
export async function lockSystem(tx: Db, id: number): Promise<void> {
  await lock(tx).get({ id })
}

/** The same, but returns false at once if another transaction holds the lock. */
export async function tryLockSystem(tx: Db, id: number): Promise<boolean> {
  return (await tryLock(tx).get({ id })) !== null
}

const lock = statement<'id'>(
  ({ forUpdate }) => `select id from systems where id = :id ${forUpdate}`,
)

const tryLock = statement<'id'>(
  ({ forUpdateSkipLocked }) => `select id from systems where id = :id ${forUpdateSkipLocked}`,
)
