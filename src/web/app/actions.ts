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

/** What can be done, told in words, and undone for a while. */

export interface Toast {
  readonly text: string
  readonly undo?: () => Promise<void>
}

export const toast = signal<Toast | null>(null)

/** What is said aloud to who cannot see it. */
export const announcement = signal('')

const PATH = 'v2/systems/@me/switches'

/** How a switch is called while the server has not named it yet. */
const PENDING = 'pending'

export function announce(text: string): void {
  announcement.value = text
}

export function showToast(toastToShow: Toast): void {
  toast.value = toastToShow
  announce(toastToShow.text)
}

/** Shown at once, and taken back when it is refused. */
export async function logSwitch(members: readonly string[], at: Instant | null): Promise<void> {
  requireServer()
  putSwitch({ id: PENDING, timestamp: at ?? nowInstant(), members })
  try {
    const body = { members, ...(at !== null && { timestamp: formatInstant(at) }) }
    const made = await requestOwn<SerializedSwitch>(PATH, { method: 'POST', body })
    if (made) putSwitch(readSwitch(made))
    showToast({
      text: at === null ? strings.areHereNow(listNames(members.map(nameOf))) : strings.isLogged,
      ...(made && { undo: () => removeSwitch(made.id) }),
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

/** Deleting from the history: what is undone is made again, as it was. */
export async function deleteSwitch(id: string, members: readonly string[], at: Instant) {
  await removeSwitch(id)
  showToast({ text: strings.isDeleted, undo: () => restoreSwitch(members, at) })
}

async function restoreSwitch(members: readonly string[], at: Instant): Promise<void> {
  const body = { members, timestamp: formatInstant(at) }
  const made = await requestOwn<SerializedSwitch>(PATH, { method: 'POST', body })
  if (made) putSwitch(readSwitch(made))
}

/** Moves a switch and changes who is in it; what is as it was is not sent. */
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

export async function undo({ undo: takeBack }: Toast): Promise<void> {
  toast.value = null
  try {
    await takeBack?.()
    announce(strings.isUndone)
  } catch (cause) {
    showToast({ text: errorMessage(cause, strings.away) })
  }
}

/** Nothing is begun that could not be finished. */
export function requireServer(): void {
  if (isOffline.value) throw new Error(strings.notConnected)
}
