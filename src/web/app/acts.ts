import { signal } from '@preact/signals'
import { formatInstant, type Instant } from '../../model/time'
import { askOwn, explainRefusal } from './client'
import { dropSwitch, isAway, keepSwitch, nameOf, readSwitch, type SpelledSwitch } from './store'
import { nowInstant } from './time'
import { listNames, words } from './words'

/** What can be done, told in words, and undone for a while. */

export interface Toast {
  readonly text: string
  readonly undo?: () => Promise<void>
}

export const toast = signal<Toast | null>(null)

/** What is said aloud to who cannot see it. */
export const said = signal('')

const PATH = 'v2/systems/@me/switches'

/** How a switch is called while the server has not named it yet. */
const PENDING = 'pending'

export function say(text: string): void {
  said.value = text
}

export function tell(told: Toast): void {
  toast.value = told
  say(told.text)
}

/** Shown at once, and taken back when it is refused. */
export async function logSwitch(members: readonly string[], at: Instant | null): Promise<void> {
  requireServer()
  keepSwitch({ id: PENDING, timestamp: at ?? nowInstant(), members })
  try {
    const body = { members, ...(at !== null && { timestamp: formatInstant(at) }) }
    const made = await askOwn<SpelledSwitch>(PATH, { method: 'POST', body })
    if (made) keepSwitch(readSwitch(made))
    tell({
      text: at === null ? words.areHereNow(listNames(members.map(nameOf))) : words.isLogged,
      ...(made && { undo: () => removeSwitch(made.id) }),
    })
  } finally {
    dropSwitch(PENDING)
  }
}

export async function removeSwitch(id: string): Promise<void> {
  requireServer()
  await askOwn(`${PATH}/${id}`, { method: 'DELETE' })
  dropSwitch(id)
}

/** Deleting from the history: what is undone is made again, as it was. */
export async function deleteSwitch(id: string, members: readonly string[], at: Instant) {
  await removeSwitch(id)
  tell({ text: words.isDeleted, undo: () => restoreSwitch(members, at) })
}

async function restoreSwitch(members: readonly string[], at: Instant): Promise<void> {
  const body = { members, timestamp: formatInstant(at) }
  const made = await askOwn<SpelledSwitch>(PATH, { method: 'POST', body })
  if (made) keepSwitch(readSwitch(made))
}

/** Moves a switch and changes who is in it; what is as it was is not sent. */
export async function changeSwitch(
  id: string,
  change: { at?: Instant; members?: readonly string[] },
): Promise<void> {
  requireServer()
  const patch = async (path: string, body: unknown) => {
    const changed = await askOwn<SpelledSwitch>(path, { method: 'PATCH', body })
    if (changed) keepSwitch(readSwitch(changed))
  }
  if (change.members) await patch(`${PATH}/${id}/members`, change.members)
  if (change.at !== undefined) await patch(`${PATH}/${id}`, { timestamp: formatInstant(change.at) })
  tell({ text: words.isSaved })
}

export async function undo({ undo: takeBack }: Toast): Promise<void> {
  toast.value = null
  try {
    await takeBack?.()
    say(words.isUndone)
  } catch (cause) {
    tell({ text: explainRefusal(cause, words.away) })
  }
}

/** Nothing is begun that could not be finished. */
export function requireServer(): void {
  if (isAway.value) throw new Error(words.notConnected)
}
