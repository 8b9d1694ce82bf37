import { signal } from '@preact/signals'
import { parseRoute, type Route } from './address'

export const route = signal<Route>(parseRoute(location.hash))

/** Where somebody wanted to go who would lose something by it: that is asked first. */
export const leavingFor = signal<string | null>(null)

/** Whether the place must not be left just so. */
const holder = signal<(() => boolean) | null>(null)
const holds = () => holder.value?.() ?? false

/** What is shown, where one was before, and which entry of the browser's history it is. */
interface HistoryEntry {
  readonly hash: string
  readonly before: Route['page'] | null
  readonly entry: number
}
const place = signal<HistoryEntry>({ hash: location.hash, before: null, entry: 0 })

markEntry()
addEventListener('hashchange', () => {
  const wanted = location.hash
  if (wanted === place.value.hash) return
  if (!holds()) {
    markEntry()
    return show(wanted)
  }
  // Back, forth or a link: whichever it was, it is taken back until it is answered.
  const { entry } = place.value
  const reached = entryOf(history.state) ?? entry + 1
  history.go(entry - reached)
  leavingFor.value = wanted
})

addEventListener('beforeunload', (event) => {
  if (holds()) event.preventDefault()
})

/** Asks before the place is left, for as long as it says so; gives the way to let go. */
export function holdNavigation(says: () => boolean): () => void {
  holder.value = says
  return () => {
    if (holder.value !== says) return
    holder.value = null
    leavingFor.value = null
  }
}

/** Where one was before; null at first. */
export function pageBefore(): Route['page'] | null {
  return place.value.before
}

/** Without a trace in the history: what was there may be a secret, or gone. */
export function goTo(hash: string): void {
  history.replaceState({ entry: place.value.entry }, '', hash)
  show(hash)
}

function show(hash: string): void {
  place.value = { ...place.value, hash, before: route.value.page }
  leavingFor.value = null
  route.value = parseRoute(hash)
}

/** Entries are counted, so that it is known which way one went. */
function markEntry(): void {
  const entry = entryOf(history.state) ?? place.value.entry + 1
  place.value = { ...place.value, entry }
  history.replaceState({ entry }, '')
}

function entryOf(state: unknown): number | null {
  const { entry } = Object(state)
  return typeof entry === 'number' ? entry : null
}
