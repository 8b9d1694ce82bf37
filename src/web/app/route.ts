import { signal } from '@preact/signals'
import { parseRoute, type Route } from './address'

export const route = signal<Route>(parseRoute(location.hash))

/** What would be lost by leaving is asked about first: where one wanted to go, and null where nobody goes. */
export const leavingFor = signal<string | null>(null)

/** Whether the place must not be left just so. */
let holds: () => boolean = () => false
let shown = location.hash
let before: Route['page'] | null = null

addEventListener('hashchange', () => {
  const wanted = location.hash
  if (wanted === shown) return
  if (!holds()) return show(wanted)
  // Back, forth or a link: whichever it was, the place stays until it is answered.
  history.replaceState(null, '', shown)
  leavingFor.value = wanted
})

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
  history.replaceState(null, '', hash)
  show(hash)
}

function show(hash: string): void {
  shown = hash
  before = route.value.page
  leavingFor.value = null
  route.value = parseRoute(hash)
}
