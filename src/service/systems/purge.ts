import { addUsage } from '../../store/core/usage'
import {
  deleteSomeFrontNotesOfMembers,
  deleteSomeStatuses,
} from '../../store/front/deleteFrontNotes'
import { deletePosts, deleteRoom, listHiddenRooms } from '../../store/journal/roomDeletion'
import { removeSomeTags, tagIndexOf } from '../../store/members/tagIndex'
import {
  deleteSomeSwitches,
  deletionsOfHiddenSystem,
  endHistoryDeletion,
  listDeletedHistories,
  listHiddenSystems,
} from '../../store/systems/hiddenRows'
import { deleteSystemRow } from '../../store/systems/rowsOfSystem'
import { deleteSomeArchivedRows } from '../../store/transfer/archiveDeletion'
import type { Deps } from '../core/deps'
import { deleteInBatches, type IsStopped, never } from './deleteInBatches'

// Deletes in batches what deletions have hidden. See "Deletion" in ARCHITECTURE.md.

/** Deletes the hidden rows of all deletions, of this process and of others. */
export async function purgeDeleted(deps: Deps, isStopped = never): Promise<void> {
  for (const { id, last } of await listDeletedHistories(deps.db))
    await purgeHistory(deps, id, last, isStopped)
  for (const { id, system_id } of await listHiddenRooms(deps.db))
    await purgeRoom(deps, id, system_id, isStopped)
  await purgeArchive(deps, isStopped)
  for (const { id } of await listHiddenSystems(deps.db))
    await purgeHiddenSystem(deps, id, isStopped)
}

/** Deletes archived rows that a deletion or a conversion has hidden. */
export async function purgeArchive(deps: Deps, isStopped = never): Promise<void> {
  await deleteInBatches(deps, 'new', isStopped, deleteSomeArchivedRows)
}

/** Deletes a hidden room with its posts, and frees their space batch by batch. */
async function purgeRoom(
  deps: Deps,
  id: number,
  systemId: number,
  isStopped: IsStopped,
): Promise<void> {
  const lock = { system: systemId }
  await deleteInBatches(deps, lock, isStopped, async (tx, most) => {
    const freed = await deletePosts(tx, id, most)
    await addUsage(deps, tx, systemId, freed)
    return -(freed.posts ?? 0)
  })
  if (!isStopped()) await deps.transact(lock, (tx) => deleteRoom(tx, id))
}

/** Deletes a hidden system with all its rows. */
export async function purgeHiddenSystem(deps: Deps, id: number, isStopped = never): Promise<void> {
  const lock = { system: id }
  await purgeTags(deps, await tagIndexOf(deps.db, id), isStopped)
  await deleteInBatches(deps, lock, isStopped, (tx, most) =>
    deleteSomeFrontNotesOfMembers(tx, id, most),
  )
  for (const deleteSome of deletionsOfHiddenSystem)
    await deleteInBatches(deps, lock, isStopped, (tx, most) => deleteSome(tx, id, most))
  if (!isStopped()) await deps.transact('new', (tx) => deleteSystemRow(tx, id))
}

/** Deletes a set of proxy tag keys that is no longer in use. */
export async function purgeTags(deps: Deps, setId: number, isStopped = never): Promise<void> {
  await deleteInBatches(deps, 'new', isStopped, (tx, most) => removeSomeTags(tx, setId, most))
}

async function purgeHistory(
  deps: Deps,
  id: number,
  last: number,
  isStopped: IsStopped,
): Promise<void> {
  const lock = { system: id }
  // Continue after the last batch, so that new switches in between are not scanned again.
  let from = -Infinity
  await deleteInBatches(deps, lock, isStopped, async (tx, most) => {
    const deleted = await deleteSomeSwitches(tx, { id, last, from, most })
    for (const { timestamp } of deleted) from = Math.max(from, timestamp)
    return deleted.length
  })
  await deleteInBatches(deps, lock, isStopped, (tx, most) => deleteSomeStatuses(tx, id, most))
  if (!isStopped()) await deps.transact(lock, (tx) => endHistoryDeletion(tx, id, last))
}
