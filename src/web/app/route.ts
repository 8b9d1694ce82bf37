import { signal } from '@preact/signals'
import { parseRoute, type Route } from './address'

export const route = signal<Route>(parseRoute(location.hash))

/** Hash that the user tried to open while unsaved input blocks navigation. */
export const pendingHash = signal<string | null>(null)

/** Returns true while the page has unsaved input. */
const blocker = signal<(() => boolean) | null>(null)
const isBlocked = () => blocker.value?.() ?? false

/** Current hash, previous page, and index of the entry in the browser's history. */
interface HistoryEntry {
  readonly hash: string
  readonly before: Route['page'] | null
  readonly entry: number
}
const current = signal<HistoryEntry>({ hash: location.hash, before: null, entry: 0 })

markEntry()
addEventListener('hashchange', () => {
  const hash = location.hash
  if (hash === current.value.hash) return
  if (!isBlocked()) {
    markEntry()
    return show(hash)
  }
  // Revert the navigation, in whatever direction, until the user has decided.
  const { entry } = current.value
  const reached = entryOf(history.state) ?? entry + 1
  history.go(entry - reached)
  pendingHash.value = hash
})

addEventListener('beforeunload', (event) => {
  if (isBlocked()) event.preventDefault()
})

/** Blocks navigation while the callback returns true. Returns a function that removes the block. */
export function blockNavigation(isBlocking: () => boolean): () => void {
  blocker.value = isBlocking
  return () => {
    if (blocker.value !== isBlocking) return
    blocker.value = null
    pendingHash.value = null
  }
}

/** Returns the entity whose short ID or UUID is in the address. */
export function findByRoute<T extends { id: string; uuid: string }>(all: readonly T[]) {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  return all.find((one) => one.id === id || one.uuid === id)
}

/** Returns the previous page; null on the first one. */
export function pageBefore(): Route['page'] | null {
  return current.value.before
}

/** Navigates by replacing the current history entry, because its URL may contain a secret or refer to a deleted entity. */
export function goTo(hash: string): void {
  history.replaceState({ entry: current.value.entry }, '', hash)
  show(hash)
}

function show(hash: string): void {
  current.value = { ...current.value, hash, before: route.value.page }
  pendingHash.value = null
  route.value = parseRoute(hash)
}

/** Numbers the history entries, so that the direction of a navigation is known. */
function markEntry(): void {
  const entry = entryOf(history.state) ?? current.value.entry + 1
  current.value = { ...current.value, entry }
  history.replaceState({ entry }, '')
}

function entryOf(state: unknown): number | null {
  const { entry } = Object(state)
  return typeof entry === 'number' ? entry : null
}
