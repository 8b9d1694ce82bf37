import { signal } from '@preact/signals'
import { parseRoute, type Route } from './address'
import { isLeavingSheets, markEntry, replaceAddress, revertNavigation } from './historyEntries'

export const route = signal<Route>(parseRoute(location.hash))

/** Hash of an invitation that was opened before the login; '' without one. */
export const invitation = signal('')

/** Hash that the user tried to open while unsaved input blocks navigation. */
export const pendingHash = signal<string | null>(null)

/** Returns true while the page has unsaved input. */
const blocker = signal<(() => boolean) | null>(null)
const isBlocked = () => blocker.value?.() ?? false

/** Current hash, previous page, and the hash of a navigation that is being reverted. */
interface Location {
  readonly hash: string
  readonly before: Route['page'] | null
  readonly refused: string | null
}
const current = signal<Location>({ hash: location.hash, before: null, refused: null })

addEventListener('hashchange', () => {
  if (isLeavingSheets()) return
  const hash = location.hash
  const { refused } = current.value
  if (hash === current.value.hash) {
    // Asked only now, because a sheet changes the history too.
    if (refused !== null) pendingHash.value = refused
    current.value = { ...current.value, refused: null }
    return
  }
  if (!isBlocked()) {
    markEntry()
    return show(hash)
  }
  current.value = { ...current.value, refused: hash }
  revertNavigation()
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
  return all.find((entity) => entity.id === id || entity.uuid === id)
}

/** Returns the previous page; null on the first one. */
export function pageBefore(): Route['page'] | null {
  return current.value.before
}

/** Navigates by replacing the current history entry, because its URL may contain a secret or refer to a deleted entity. */
export function goTo(hash: string): void {
  replaceAddress(hash, () => show(hash))
}

/** Replaces the address of the page that is shown, without showing it anew; not while another one is opened. */
export function keepInAddress(hash: string): void {
  if (hash === current.value.hash || location.hash !== current.value.hash) return
  replaceAddress(hash, () => {
    current.value = { ...current.value, hash }
  })
}

function show(hash: string): void {
  current.value = { hash, before: route.value.page, refused: null }
  pendingHash.value = null
  route.value = parseRoute(hash)
}
