import { signal } from '@preact/signals'
import { formatInstant, type Instant } from '../../model/time'
import { errorMessage, requestOwn } from './api'
import {
  isOffline,
  nameOf,
  putSwitch,
  readSwitch,
  removeSwitchFromStore,
  type SerializedSwitch,
} from './store'
import { listNames, strings } from './strings'
import { nowInstant } from './time'

/** Changes to switches, each announced in a toast and undoable for a while. */

export interface Toast {
  readonly text: string
  readonly undo?: () => Promise<void>
}

export const toast = signal<Toast | null>(null)

/** Text for the live region that screen readers announce. */
export const announcement = signal('')

const PATH = 'v2/systems/@me/switches'

/** ID of a switch until the server has assigned one. */
const PENDING = 'pending'

export function announce(text: string): void {
  announcement.value = text
}

export function showToast(shown: Toast): void {
  toast.value = shown
  announce(shown.text)
}

/**
 * Shows the switch before the server has confirmed it, and removes it again if the request fails.
 */
export async function logSwitch(members: readonly string[], at: Instant | null): Promise<void> {
  requireServer()
  putSwitch({ id: PENDING, timestamp: at ?? nowInstant(), members })
  try {
    const body = { members, ...(at !== null && { timestamp: formatInstant(at) }) }
    const created = await requestOwn<SerializedSwitch>(PATH, { method: 'POST', body })
    if (created) putSwitch(readSwitch(created))
    showToast({
      text: at === null ? strings.areHereNow(listNames(members.map(nameOf))) : strings.isLogged,
      ...(created && { undo: () => removeSwitch(created.id) }),
    })
  } finally {
    removeSwitchFromStore(PENDING)
  }
}

export async function removeSwitch(id: string): Promise<void> {
  requireServer()
  await requestOwn(`${PATH}/${id}`, { method: 'DELETE' })
  removeSwitchFromStore(id)
}

/** Deletes a switch from the history. Undo creates it again with the same members and time. */
export async function deleteSwitch(id: string, members: readonly string[], at: Instant) {
  await removeSwitch(id)
  showToast({ text: strings.isDeleted, undo: () => restoreSwitch(members, at) })
}

async function restoreSwitch(members: readonly string[], at: Instant): Promise<void> {
  const body = { members, timestamp: formatInstant(at) }
  const created = await requestOwn<SerializedSwitch>(PATH, { method: 'POST', body })
  if (created) putSwitch(readSwitch(created))
}

/** Changes time or members of a switch; sends only what differs. */
export async function changeSwitch(
  id: string,
  change: { at?: Instant; members?: readonly string[] },
): Promise<void> {
  requireServer()
  const patch = async (path: string, body: unknown) => {
    const changed = await requestOwn<SerializedSwitch>(path, { method: 'PATCH', body })
    if (changed) putSwitch(readSwitch(changed))
  }
  if (change.members) await patch(`${PATH}/${id}/members`, change.members)
  if (change.at !== undefined) await patch(`${PATH}/${id}`, { timestamp: formatInstant(change.at) })
  showToast({ text: strings.isSaved })
}

export async function undo({ undo: revert }: Toast): Promise<void> {
  toast.value = null
  try {
    await revert?.()
    announce(strings.isUndone)
  } catch (cause) {
    showToast({ text: errorMessage(cause, strings.away) })
  }
}

/** Throws while the server is unreachable, so that no form starts a change it cannot finish. */
export function requireServer(): void {
  if (isOffline.value) throw new Error(strings.notConnected)
}
