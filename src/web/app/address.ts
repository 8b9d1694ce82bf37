/** What stands behind the `#`: addresses of the API stay those of the API, no code is in a path. */
export const historyViews = ['days', 'list', 'month'] as const
export type HistoryView = (typeof historyViews)[number]

export type Route =
  | { page: 'system' | 'systemEdit' | 'settings' | 'friends' | 'privacy' }
  | { page: 'now' | 'members' | 'groups' | 'insights' | 'import' | 'more' | 'devices' | 'look' }
  | { page: 'member' | 'memberEdit' | 'group' | 'groupEdit'; id: string }
  | { page: 'history'; view: HistoryView }
  | { page: 'login'; code: string }
  | { page: 'watch'; token: string }
  | { page: 'systems'; ref: string }

const plainPages = [
  'members',
  'groups',
  'insights',
  'import',
  'more',
  'devices',
  'look',
  'system',
  'friends',
  'privacy',
] as const

export function parseRoute(hash: string): Route {
  const [, place = '', rest = ''] = /^#?\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? []
  if (place === 'login') return { page: 'login', code: rest }
  if (place === 'watch') return { page: 'watch', token: decode(rest) }
  if (place === 'systems' && rest !== '') return { page: 'systems', ref: decode(rest) }
  if ((place === 'members' || place === 'groups') && rest !== '') {
    const [id = '', act] = rest.split('/')
    const page = place === 'members' ? 'member' : 'group'
    return { page: act === 'edit' ? `${page}Edit` : page, id: decode(id) }
  }
  if (place === 'system' && rest === 'edit') return { page: 'systemEdit' }
  if (place === 'system' && rest === 'settings') return { page: 'settings' }
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
