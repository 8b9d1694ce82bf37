/**
 * Routes are in the fragment (`#`), so that paths stay the API's and login codes never reach a
 * path.
 */
export const historyViews = ['days', 'list', 'month'] as const
export type HistoryView = (typeof historyViews)[number]

export type Route =
  | { page: 'system' | 'systemEdit' | 'settings' | 'friends' | 'privacy' }
  | {
      page: 'now' | 'members' | 'groups' | 'insights' | 'import' | 'more' | 'devices' | 'appearance'
    }
  | { page: 'member' | 'memberEdit' | 'group' | 'groupEdit'; id: string }
  | { page: 'history'; view: HistoryView }
  | { page: 'login' | 'setup'; code: string }
  | { page: 'create' }
  | { page: 'watch'; token: string }
  | { page: 'systems'; ref: string }

const plainPages = [
  'members',
  'groups',
  'insights',
  'import',
  'more',
  'devices',
  'appearance',
  'system',
  'friends',
  'privacy',
] as const

export function parseRoute(hash: string): Route {
  const [, name = '', rest = ''] = /^#?\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? []
  // Without a code the session decides whether the login form or Now is shown.
  if (name === 'login') return rest === '' ? { page: 'now' } : { page: 'login', code: rest }
  if (name === 'setup' && rest !== '') return { page: 'setup', code: rest }
  if (name === 'create') return { page: 'create' }
  if (name === 'watch') return { page: 'watch', token: decode(rest) }
  if (name === 'systems' && rest !== '') return { page: 'systems', ref: decode(rest) }
  if ((name === 'members' || name === 'groups') && rest !== '') {
    const [id = '', action] = rest.split('/')
    const page = name === 'members' ? 'member' : 'group'
    return { page: action === 'edit' ? `${page}Edit` : page, id: decode(id) }
  }
  if (name === 'system' && rest === 'edit') return { page: 'systemEdit' }
  if (name === 'system' && rest === 'settings') return { page: 'settings' }
  if (name === 'history')
    return { page: 'history', view: historyViews.find((view) => view === rest) ?? 'days' }
  // Address in earlier releases.
  if (name === 'look') return { page: 'appearance' }
  return { page: plainPages.find((page) => page === name) ?? 'now' }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
