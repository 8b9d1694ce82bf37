import { formatInstant, type Instant } from '../../model/core/time'
import { request } from '../api/client'
import type { Path } from '../api/json'
import { switchPath } from '../api/paths'
import type { FronterStatus, SerializedSwitch } from '../api/types'
import { createSwitch, logSwitch, removeSwitch, showToast } from '../core/actions'
import { putSwitch, readSwitch, switches, switchQueue } from '../core/store'
import type { SwitchChange } from '../core/toastStorage'
import { strings } from '../texts/texts'

/** Changes to the history, each announced in a toast and undoable for a while. */

/** Logs a stint from a time to another as two switches, of which none stays if one fails. */
export async function logStint(
  members: readonly string[],
  from: Instant,
  end: {
    readonly timestamp: Instant
    readonly members: readonly string[]
    readonly isNeeded: boolean
  },
): Promise<void> {
  if (!end.isNeeded) return await logSwitch(members, from)
  const first = await createSwitch(members, from)
  try {
    const last = await createSwitch(end.members, end.timestamp)
    const ids = [first, last].flatMap((entry) => entry?.id ?? [])
    showToast({ text: strings.isLogged, undo: { kind: 'removeSwitches', ids } })
  } catch (cause) {
    if (first) await removeSwitch(first.id)
    throw cause
  }
}

/**
 * Deletes a switch from the history, and with it the statuses that were set at its time. Undo
 * creates it again with the same members, time and statuses.
 */
export async function deleteSwitch(
  id: string,
  members: readonly string[],
  at: Instant,
  statuses: readonly FronterStatus[],
) {
  await removeSwitch(id)
  showToast({ text: strings.isDeleted, undo: { kind: 'restoreSwitch', members, at, statuses } })
}

/** Changes time or members of a switch and offers to change them back. */
export async function editSwitch(id: string, change: SwitchChange): Promise<void> {
  if (await switchQueue.value?.change(id, change)) return showToast({ text: strings.isSaved })
  const before = switches.value.find((entry) => entry.id === id)
  await changeSwitch(id, change)
  const reverse: SwitchChange = {
    ...(before && change.at !== undefined && { at: before.timestamp }),
    ...(before && change.members && { members: before.members }),
  }
  showToast({ text: strings.isSaved, undo: { kind: 'changeSwitch', id, change: reverse } })
}

/** The time comes first, because the server refuses a taken one, and then nothing has changed. */
export async function changeSwitch(id: string, { at, members }: SwitchChange): Promise<void> {
  const patch = async (path: Path<SerializedSwitch>, body: unknown) => {
    const changed = await request(path, { method: 'PATCH', body })
    if (changed) putSwitch(readSwitch(changed))
  }
  if (at !== undefined) await patch(switchPath(id), { timestamp: formatInstant(at) })
  if (members) await patch(`${switchPath(id)}/members`, members)
}
