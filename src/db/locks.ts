import { statement } from './statement'
import type { Db } from './types'

/** For work that learns only on its way whose rows it writes: from here on it is done in line. */
export async function lockSystem(tx: Db, id: number): Promise<void> {
  await lock(tx).get({ id })
}

/** The same, unless somebody else holds it: then false, and nobody waits. */
export async function tryLockSystem(tx: Db, id: number): Promise<boolean> {
  return (await tryLock(tx).get({ id })) !== null
}

const lock = statement<'id'>(
  ({ forUpdate }) => `select id from systems where id = :id ${forUpdate}`,
)

const tryLock = statement<'id'>(
  ({ forUpdateSkipLocked }) => `select id from systems where id = :id ${forUpdateSkipLocked}`,
)
