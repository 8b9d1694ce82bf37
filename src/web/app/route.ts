import { signal } from '@preact/signals'
import { parseRoute, type Route } from './address'

export const route = signal<Route>(parseRoute(location.hash))

/** What would be lost by leaving is asked about first: where one wanted to go, and null where nobody goes. */
export const leavingFor = signal<string | null>(null)

/** Whether the place must not be left just so. */
let holds: () => boolean = () => false
let shown = location.hash
let before: Route['page'] | null = null
/** Which entry of the browser's history this is. */
let entry = 0

markEntry()
addEventListener('hashchange', () => {
  const wanted = location.hash
  if (wanted === shown) return
  if (!holds()) {
    markEntry()
    return show(wanted)
  }
  // Back, forth or a link: whichever it was, it is taken back until it is answered.
  history.go(entryOf(history.state) === null ? -1 : entry - (entryOf(history.state) ?? 0))
  leavingFor.value = wanted
})

/** Entries are counted, so that it is known which way one went. */
function markEntry(): void {
  entry = entryOf(history.state) ?? entry + 1
  history.replaceState({ entry }, '')
}

function entryOf(state: unknown): number | null {
  const { entry: number } = Object(state)
  return typeof number === 'number' ? number : null
}

addEventListener('beforeunload', (event) => {
  if (holds()) event.preventDefault()
})

/** Asks before the place is left, for as long as it says so; gives the way to let go. */
export function holdPlace(says: () => boolean): () => void {
  holds = says
  return () => {
    if (holds !== says) return
    holds = () => false
    leavingFor.value = null
  }
}

/** Where one was before; null at first. */
export function pageBefore(): Route['page'] | null {
  return before
}

/** Without a trace in the history: what was there may be a secret, or gone. */
export function goTo(hash: string): void {
  history.replaceState({ entry }, '', hash)
  show(hash)
}

function show(hash: string): void {
  shown = hash
  before = route.value.page
  leavingFor.value = null
  route.value = parseRoute(hash)
}
