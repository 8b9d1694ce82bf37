import { requireOperator, type Viewer } from '../../model/core/privacy'
import { deleteAllTargets, deleteServerKeys, deleteSomeTargets } from '../../store/push/pushKeyRows'
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
    const deleted = await deleteSomeTargets(tx, most)
    count += deleted
    return deleted
  })
  await deps.transact('new', async (tx) => {
    // Browsers that registered meanwhile belong to the former key as well.
    count += await deleteAllTargets(tx)
    await deleteServerKeys(tx)
  })
  return count
}
