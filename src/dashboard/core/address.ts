/**
 * Routes are in the fragment (`#`), so that paths stay the API's and login codes never reach a
 * path.
 */
export const historyViews = ['days', 'list', 'month'] as const
export type HistoryView = (typeof historyViews)[number]

/** Filters and position of History, in the address so that Back and a reload keep them. */
export interface HistoryQuery {
  /** Newest day shown, or the only one. */
  readonly date?: string
  /** Time of the question who was here. */
  readonly time?: string
  /** Short ID of the only member to show. */
  readonly member?: string
  readonly days?: string
  /** Day at the top of the screen. */
  readonly at?: string
}

const historyKeys = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d$/,
  member: /^\w+$/,
  days: /^[1-9]\d{0,2}$/,
  at: /^\d{4}-\d\d-\d\d$/,
} as const satisfies Record<keyof HistoryQuery, RegExp>

/** Returns the hash of a view of History. */
export function historyHash(view: HistoryView | 'day', query: HistoryQuery = {}): string {
  const text = new URLSearchParams({ ...query }).toString().replaceAll('%3A', ':')
  return `#/history/${view}${text === '' ? '' : `?${text}`}`
}

function parseHistory(rest: string): Route {
  const [path = '', text = ''] = rest.split('?')
  const params = new URLSearchParams(text)
  const query = Object.fromEntries(
    Object.entries(historyKeys).flatMap(([key, pattern]) => {
      const value = params.get(key)
      return value !== null && pattern.test(value) ? [[key, value]] : []
    }),
  )
  const view = path === 'day' ? path : (historyViews.find((name) => name === path) ?? 'days')
  return { page: 'history', view, ...query }
}

export const memberTabs = ['about', 'notes', 'board', 'history'] as const
export type MemberTab = (typeof memberTabs)[number]

export type Route =
  | { page: 'system' | 'systemEdit' | 'settings' | 'privacy' }
  | {
      page:
        | 'now'
        | 'members'
        | 'groups'
        | 'fields'
        | 'reminders'
        | 'insights'
        | 'import'
        | 'more'
        | 'devices'
        | 'appearance'
    }
  | { page: 'member'; id: string; tab?: MemberTab }
  | { page: 'memberEdit' | 'group' | 'groupEdit'; id: string }
  /** The rest of the address, which these pages parse themselves. */
  | { page: (typeof parsedByPages)[number]; id: string }
  | ({ page: 'history'; view: HistoryView | 'day' } & HistoryQuery)
  | { page: 'login' | 'setup'; code: string }
  | { page: 'create' }
  | { page: 'watch'; token: string }
  | { page: 'systems'; ref: string }

const plainPages = [
  'members',
  'groups',
  'fields',
  'reminders',
  'insights',
  'import',
  'more',
  'devices',
  'appearance',
  'system',
  'privacy',
] as const

/** Pages that parse the rest of the address. `friend` has the code of an invitation. */
const parsedByPages = ['notes', 'chat', 'archive', 'friends', 'friend'] as const

export function parseRoute(hash: string): Route {
  const [, name = '', rest = ''] = /^#?\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? []
  // Without a code the session decides whether the login form or Now is shown.
  if (name === 'login') return rest === '' ? { page: 'now' } : { page: 'login', code: rest }
  if (name === 'setup' && rest !== '') return { page: 'setup', code: rest }
  if (name === 'create') return { page: 'create' }
  if (name === 'watch') return { page: 'watch', token: decode(rest) }
  if (name === 'systems' && rest !== '') return { page: 'systems', ref: decode(rest) }
  if ((name === 'members' || name === 'groups') && rest !== '') {
    const [ref = '', action] = rest.split('/')
    const id = decode(ref)
    if (action === 'edit') return { page: name === 'members' ? 'memberEdit' : 'groupEdit', id }
    if (name === 'groups') return { page: 'group', id }
    const tab = memberTabs.find((name) => name === action)
    return { page: 'member', id, ...(tab && { tab }) }
  }
  const parsing = parsedByPages.find((page) => page === name)
  if (parsing) return { page: parsing, id: rest }
  if (name === 'system' && rest === 'edit') return { page: 'systemEdit' }
  if (name === 'system' && rest === 'settings') return { page: 'settings' }
  if (name === 'history' || name.startsWith('history?')) return parseHistory(rest)
  // Address in earlier releases.
  if (name === 'look') return { page: 'appearance' }
  return { page: plainPages.find((page) => page === name) ?? 'now' }
}

/** Decodes a part of an address; one that cannot be decoded is returned as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
