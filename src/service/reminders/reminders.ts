import type { Redacted, Viewer } from '../../model/core/privacy'
import type { ReminderDraft, ReminderPatch, reminder } from '../../model/reminders/reminder'
import { countTargets } from '../../store/push/enqueuePush'
import { recordReminder } from '../../store/reminders/recordReminder'
import { reminderKind } from '../../store/reminders/reminderKind'
import type { Deps } from '../core/deps'
import {
  changeOwned,
  createOwned,
  deleteOwned,
  getOwned,
  listOwned,
  withOwnedRow,
} from '../core/ownedRows'

/** Lists the reminders of the caller's system, oldest first. */
export function listReminders(deps: Deps, viewer: Viewer): Promise<Redacted<typeof reminder>[]> {
  return listOwned(deps, viewer, reminderKind)
}

export function getReminder(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
): Promise<Redacted<typeof reminder>> {
  return getOwned(deps, viewer, reminderKind, uuid)
}

export function createReminder(
  deps: Deps,
  viewer: Viewer,
  draft: ReminderDraft,
): Promise<Redacted<typeof reminder>> {
  return createOwned(deps, viewer, reminderKind, draft)
}

export function patchReminder(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  patch: ReminderPatch,
): Promise<Redacted<typeof reminder>> {
  return changeOwned(deps, viewer, reminderKind, uuid, patch)
}

export function deleteReminder(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  return deleteOwned(deps, viewer, reminderKind, uuid)
}

/** Delivers a reminder as a test. Returns the number of devices that it is sent to. */
export async function testReminder(deps: Deps, viewer: Viewer, uuid: string): Promise<number> {
  return withOwnedRow(deps, viewer, reminderKind, uuid, async (tx, row) => {
    await recordReminder(deps, tx, row, { isTest: true })
    return countTargets(tx, row.system_id, 'reminders')
  })
}
