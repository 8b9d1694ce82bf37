import { effect, signal } from '@preact/signals'
import { formatInstant, type Instant } from '../../model/core/time'
import { ApiError, errorMessage, request } from '../api/client'
import { switchesPath, switchPath } from '../api/paths'
import type { FronterStatus, SerializedSwitch } from '../api/types'
import { nowInstant } from '../lib/time'
import { strings } from '../texts/texts'
import type { Switch, Switches } from './history'
import {
  isOffline,
  loadSwitches,
  nameOf,
  offlineReason,
  PENDING_SWITCH,
  putSwitch,
  queueReady,
  readSwitch,
  removeSwitchFromStore,
  switches,
  switchQueue,
} from './store'
import { loadToast, storeToast, type Toast } from './toastStorage'

/** Changes to switches, each announced in a toast and undoable for a while. */

export const toast = signal<Toast | null>(loadToast())
effect(() => storeToast(toast.value))

/** Text for the live region that screen readers announce. */
export const announcement = signal('')

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
  readonly earlier: Switches
}
export const lostSwitch = signal<LostSwitch | null>(null)

/** Returns the switch if it was logged although its answer was lost. */
export function findLost({ members, earlier }: LostSwitch): Switch | undefined {
  const ids = new Set(earlier.map(({ id }) => id))
  return switches.value.find(
    (entry) =>
      !ids.has(entry.id) && entry.id !== PENDING_SWITCH && entry.members.join() === members.join(),
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
  // Undo of an earlier switch would be taken for that of this one.
  toast.value = null
  const attempted = { members, earlier: switches.value }
  putSwitch({ id: PENDING_SWITCH, timestamp: at ?? nowInstant(), members })
  try {
    const created = await createSwitch(members, at, statuses)
    announceLogged(members, at, created?.id)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    await loadSwitches().catch(() => {})
    const entry = findLost(attempted)
    if (entry) return announceLogged(members, at, entry.id)
    lostSwitch.value = attempted
    throw cause
  } finally {
    removeSwitchFromStore(PENDING_SWITCH)
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
  if (switchQueue.value?.canAdd || switchQueue.value?.has(id))
    return await switchQueue.value.remove(id)
  await request(switchPath(id), { method: 'DELETE' })
  removeSwitchFromStore(id)
}

export async function createSwitch(
  members: readonly string[],
  at: Instant | null,
  statuses: readonly FronterStatus[] = [],
): Promise<{ readonly id: string } | null> {
  await queueReady.value
  if (switchQueue.value?.canAdd) return await switchQueue.value.add(members, at, statuses)
  const body = { members, ...(at !== null && { timestamp: formatInstant(at) }) }
  const created =
    statuses.length > 0
      ? await (await import('./switchWithStatus')).createWithStatuses(body, statuses)
      : await request<SerializedSwitch>(switchesPath, { method: 'POST', body })
  if (created) putSwitch(readSwitch(created))
  return created
}

/**
 * Runs an action unless the server is unreachable; a switch can also be kept on the device. Returns
 * the problem to show; '' without one.
 */
export async function attempt(
  action: () => unknown,
  explain = errorMessage,
  canRun = !isOffline.value,
): Promise<string> {
  if (!canRun) return offlineReason()
  try {
    await action()
    return ''
  } catch (cause) {
    const isAborted = cause instanceof DOMException && cause.name === 'AbortError'
    return isAborted ? '' : explain(cause)
  }
}

/** Runs an action of a button that has no place for a problem; a toast shows it. */
export async function runWithToast(action: () => unknown, canRun?: boolean): Promise<void> {
  const text = await attempt(action, errorMessage, canRun)
  if (text !== '') showToast({ text })
}
