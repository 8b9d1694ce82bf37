import { signal } from '@preact/signals'

export type Route =
  | { page: 'home' }
  | { page: 'login'; code: string }
  | { page: 'watch'; token: string }

/** Behind the `#`: addresses of the API stay those of the API, and no code stands in a path. */
export function parseRoute(hash: string): Route {
  const [, place = '', rest = ''] = /^#?\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? []
  if (place === 'login') return { page: 'login', code: rest }
  if (place === 'watch') return { page: 'watch', token: decode(rest) }
  return { page: 'home' }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const route = signal<Route>(parseRoute(location.hash))
addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

/** Without a trace in the history: what was there may be a secret. */
export function goTo(hash: string): void {
  history.replaceState(null, '', hash)
  route.value = parseRoute(hash)
}
