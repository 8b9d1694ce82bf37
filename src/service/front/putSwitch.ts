import type { Db } from '../../db/types'
import { error } from '../../model/core/errors'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import {
  type Front,
  isSameFront,
  nextTimestamp,
  rejectDuplicates,
  requireNewSwitchId,
  requireSwitchId,
  type SwitchDraft,
} from '../../model/front/switch'
import { getOwnEntities } from '../../store/core/entityRows'
import { isDeletedSwitch, recordDeletedSwitch } from '../../store/front/deletedSwitches'
import { insertSwitch, removeSwitch } from '../../store/front/switchChanges'
import { findLatest, findSwitch, findSwitchIdUse, hasSwitchAt } from '../../store/front/switchRows'
import { memberRowKind } from '../../store/members/memberRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import { writeFrontNote } from './frontNotes'

/** A switch with texts about the front. */
export interface SwitchWithNotes extends SwitchDraft {
  /** Status of each member, in the order of the members; undefined where none was sent. */
  readonly statuses: readonly (string | null | undefined)[]
  readonly comment: string | null
}

/** Logs a switch under the UUID that the client chose. The same request again changes nothing. */
export async function putSwitch(
  deps: Deps,
  viewer: Viewer,
  switchRef: string,
  draft: SwitchWithNotes,
): Promise<{ front: Front; isNew: boolean }> {
  const systemId = requireSystem(viewer, 'switch')
  requireNewSwitchId(switchRef)
  const uuid = switchRef.toLowerCase()
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await requireUsableUuid(deps, tx, systemId, uuid)
    const named = await getOwnEntities(tx, memberRowKind, systemId, draft.members)
    rejectDuplicates(named)
    const switchRow = await findSwitch(tx, systemId, uuid)
    if (switchRow) {
      const isSame =
        isSameFront(switchRow.members, named) &&
        (draft.timestamp === null || draft.timestamp === switchRow.timestamp)
      if (!isSame) throw error('conflict', 'this switch ID is already used')
      return { front: switchRow, isNew: false }
    }
    const timestamp =
      draft.timestamp ?? nextTimestamp(deps.now(), (await findLatest(tx, systemId))?.timestamp)
    if (await hasSwitchAt(tx, systemId, timestamp)) throw error('sameTimestamp')
    const front = await insertSwitch(deps, tx, systemId, timestamp, named, uuid)
    for (const [index, text] of draft.statuses.entries())
      if (text !== undefined) {
        const member = named[index]?.uuid ?? null
        await writeFrontNote(deps, tx, systemId, { kind: 'status', member, at: timestamp, text })
      }
    if (draft.comment !== null)
      await writeFrontNote(deps, tx, systemId, {
        kind: 'comment',
        at: timestamp,
        text: draft.comment,
      })
    return { front, isNew: true }
  })
}

/** Deletes a switch. An unknown UUID is recorded, so that a late PUT does not create it. */
export async function cancelSwitch(deps: Deps, viewer: Viewer, switchRef: string): Promise<void> {
  const systemId = requireSystem(viewer, 'switch')
  requireSwitchId(switchRef)
  const uuid = switchRef.toLowerCase()
  await deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const switchRow = await findSwitch(tx, systemId, uuid)
    if (switchRow) await removeSwitch(deps, tx, switchRow)
    else await recordDeletedSwitch(tx, deps.now(), { system_id: systemId, uuid })
  })
}

/** Throws if the UUID belongs to another switch, or to one that was deleted. */
async function requireUsableUuid(
  deps: Deps,
  tx: Db,
  systemId: number,
  uuid: string,
): Promise<void> {
  const used = await findSwitchIdUse(tx, uuid)
  if (used?.system_id === systemId && used.is_live === 1) return
  const isWaiting = used?.system_id === systemId && used.is_deleted === 1
  if (isWaiting || (await isDeletedSwitch(tx, deps.now(), systemId, uuid)))
    throw error('gone', 'this switch was deleted')
  if (used) throw error('conflict', 'this switch ID is already used')
}
