import { effect, signal } from '@preact/signals'
import { formatInstant, type Instant } from '../../model/time'
import { ApiError, errorMessage, requestOwn } from './api'
import type { Switch, Switches } from './history'
import {
  isOffline,
  loadSwitches,
  nameOf,
  offlineReason,
  PENDING_SWITCH,
  putSwitch,
  readSwitch,
  removeSwitchFromStore,
  type SerializedSwitch,
  switches,
} from './store'
import { strings } from './strings'
import type { FronterStatus } from './switchWithStatus'
import { nowInstant } from './time'
import { loadToast, type SwitchChange, storeToast, type Toast } from './toastStorage'

/** Changes to switches, each announced in a toast and undoable for a while. */

export const toast = signal<Toast | null>(loadToast())
effect(() => storeToast(toast.value))

/** Text for the live region that screen readers announce. */
export const announcement = signal('')

const PATH = 'v2/systems/@me/switches'

export function announce(text: string): void {
  announcement.value = text
}

export function showToast(shown: Toast): void {
  toast.value = shown
  announce(shown.text)
}

/** Switch whose request got no answer; the server may have logged it nevertheless. */
interface LostSwitch {
  readonly members: readonly string[]
  readonly known: Switches
}
export const lostSwitch = signal<LostSwitch | null>(null)

/** Returns the switch if it was logged although its answer was lost. */
export function findLost({ members, known }: LostSwitch): Switch | undefined {
  const ids = new Set(known.map(({ id }) => id))
  return switches.value.find(
    (one) => !ids.has(one.id) && one.id !== PENDING_SWITCH && one.members.join() === members.join(),
  )
}

/**
 * Shows the switch before the server has confirmed it, and removes it again if the request fails.
 */
export async function logSwitch(
  members: readonly string[],
  at: Instant | null,
  statuses: readonly FronterStatus[] = [],
): Promise<void> {
  lostSwitch.value = null
  const attempted = { members, known: switches.value }
  putSwitch({ id: PENDING_SWITCH, timestamp: at ?? nowInstant(), members })
  try {
    const created = await createSwitch(members, at, statuses)
    announceLogged(members, at, created?.id)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    await loadSwitches().catch(() => {})
    const found = findLost(attempted)
    if (found) return announceLogged(members, at, found.id)
    lostSwitch.value = attempted
    throw cause
  } finally {
    removeSwitchFromStore(PENDING_SWITCH)
  }
}

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
    const ids = [first, last].flatMap((one) => one?.id ?? [])
    showToast({ text: strings.isLogged, undo: { kind: 'removeSwitches', ids } })
  } catch (cause) {
    if (first) await removeSwitch(first.id)
    throw cause
  }
}

function announceLogged(
  members: readonly string[],
  at: Instant | null,
  id: string | undefined,
): void {
  showToast({
    text: at === null ? describeFront(members) : strings.isLogged,
    ...(id !== undefined && { undo: { kind: 'removeSwitches', ids: [id] } }),
  })
}

function describeFront(members: readonly string[]): string {
  return members.length === 0 ? strings.nobody : strings.areHereNow(members.map(nameOf))
}

export async function removeSwitch(id: string): Promise<void> {
  await requestOwn(`${PATH}/${id}`, { method: 'DELETE' })
  removeSwitchFromStore(id)
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

export async function createSwitch(
  members: readonly string[],
  at: Instant | null,
  statuses: readonly FronterStatus[] = [],
): Promise<SerializedSwitch | null> {
  const body = { members, ...(at !== null && { timestamp: formatInstant(at) }) }
  const created =
    statuses.length > 0
      ? await (await import('./switchWithStatus')).createWithStatuses(body, statuses)
      : await requestOwn<SerializedSwitch>(PATH, { method: 'POST', body })
  if (created) putSwitch(readSwitch(created))
  return created
}

/** Changes time or members of a switch and offers to change them back. */
export async function editSwitch(id: string, change: SwitchChange): Promise<void> {
  const before = switches.value.find((one) => one.id === id)
  await changeSwitch(id, change)
  const reverse: SwitchChange = {
    ...(before && change.at !== undefined && { at: before.timestamp }),
    ...(before && change.members && { members: before.members }),
  }
  showToast({ text: strings.isSaved, undo: { kind: 'changeSwitch', id, change: reverse } })
}

/** The time comes first, because the server refuses a taken one, and then nothing has changed. */
export async function changeSwitch(id: string, { at, members }: SwitchChange): Promise<void> {
  const patch = async (path: string, body: unknown) => {
    const changed = await requestOwn<SerializedSwitch>(path, { method: 'PATCH', body })
    if (changed) putSwitch(readSwitch(changed))
  }
  if (at !== undefined) await patch(`${PATH}/${id}`, { timestamp: formatInstant(at) })
  if (members) await patch(`${PATH}/${id}/members`, members)
}

/** Runs an action unless the server is unreachable. Returns the problem to show; '' without one. */
export async function attempt(action: () => unknown, explain = errorMessage): Promise<string> {
  if (isOffline.value) return offlineReason()
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
