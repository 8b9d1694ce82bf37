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
import { strings } from './strings'
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
  putSwitch({ id: PENDING, timestamp: at ?? nowInstant(), members })
  try {
    const body = { members, ...(at !== null && { timestamp: formatInstant(at) }) }
    const created = await requestOwn<SerializedSwitch>(PATH, { method: 'POST', body })
    if (created) putSwitch(readSwitch(created))
    showToast({
      text: at === null ? describeFront(members) : strings.isLogged,
      ...(created && { undo: () => removeSwitch(created.id) }),
    })
  } finally {
    removeSwitchFromStore(PENDING)
  }
}

function describeFront(members: readonly string[]): string {
  return members.length === 0 ? strings.nobody : strings.areHereNow(members.map(nameOf))
}

export async function removeSwitch(id: string): Promise<void> {
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
  const patch = async (path: string, body: unknown) => {
    const changed = await requestOwn<SerializedSwitch>(path, { method: 'PATCH', body })
    if (changed) putSwitch(readSwitch(changed))
  }
  if (change.members) await patch(`${PATH}/${id}/members`, change.members)
  if (change.at !== undefined) await patch(`${PATH}/${id}`, { timestamp: formatInstant(change.at) })
  showToast({ text: strings.isSaved })
}

/** Reverts what a toast announced. If that fails, the toast stays and shows the reason. */
export async function undo(shown: Toast): Promise<void> {
  toast.value = null
  const problem = await attempt(async () => {
    await shown.undo?.()
    announce(strings.isUndone)
  })
  if (problem !== '') showToast({ ...shown, text: problem })
}

/** Runs an action unless the server is unreachable. Returns the problem to show; '' without one. */
export async function attempt(action: () => unknown, explain = errorMessage): Promise<string> {
  if (isOffline.value) return strings.youAreOffline
  try {
    await action()
    return ''
  } catch (cause) {
    const isAborted = cause instanceof DOMException && cause.name === 'AbortError'
    return isAborted ? '' : explain(cause)
  }
}

/** Runs an action of a button that has no place for a problem; a toast shows it. */
export async function runWithToast(action: () => unknown): Promise<void> {
  const text = await attempt(action)
  if (text !== '') showToast({ text })
}
