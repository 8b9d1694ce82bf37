/** What stands behind the `#`: addresses of the API stay those of the API, no code is in a path. */
export const historyViews = ['days', 'list', 'month'] as const
export type HistoryView = (typeof historyViews)[number]

export type Route =
  | { page: 'now' | 'members' | 'insights' | 'import' | 'more' | 'devices' | 'look' }
  | { page: 'history'; view: HistoryView }
  | { page: 'login'; code: string }
  | { page: 'watch'; token: string }

const plainPages = ['members', 'insights', 'import', 'more', 'devices', 'look'] as const

export function parseRoute(hash: string): Route {
  const [, place = '', rest = ''] = /^#?\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? []
  if (place === 'login') return { page: 'login', code: rest }
  if (place === 'watch') return { page: 'watch', token: decode(rest) }
  if (place === 'history')
    return { page: 'history', view: historyViews.find((view) => view === rest) ?? 'days' }
  return { page: plainPages.find((page) => page === place) ?? 'now' }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
