import { inArray } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pushTargets, serverKeys } from '../../db/tables'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'
import { deleteInBatches, never } from '../systems/deleteInBatches'

/**
 * Deletes the key of the server for push messages and all push targets, which belong to that key.
 * The next use generates a new one. Returns the number of targets.
 */
export async function replacePushKey(deps: Deps, viewer: Viewer): Promise<number> {
  requireOperator(viewer)
  let count = 0
  await deleteInBatches(deps, 'new', never, async (tx, most) => {
    const deleted = (await deleteSome(tx).all({ most })).length
    count += deleted
    return deleted
  })
  await deps.transact('new', async (tx) => {
    // Browsers that registered meanwhile belong to the former key as well.
    count += (await deleteAll(tx).all({})).length
    await deleteKeys(tx).run({})
  })
  return count
}

const deleteKeys = query((db) => db.delete(serverKeys))

const deleteAll = query((db) => db.delete(pushTargets).returning({ id: pushTargets.id }))

const deleteSome = query((db, { most }: Placeholders<'most'>) => {
  const { id } = pushTargets
  const some = db.select({ id }).from(pushTargets).orderBy(id).limit(most)
  return db.delete(pushTargets).where(inArray(id, some)).returning({ id })
})
