import { signal } from '@preact/signals'
import { parseRoute, type Route } from './address'

export const route = signal<Route>(parseRoute(location.hash))
addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

/** Without a trace in the history: what was there may be a secret. */
export function goTo(hash: string): void {
  history.replaceState(null, '', hash)
  route.value = parseRoute(hash)
}
