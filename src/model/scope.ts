/** What a token was made for. A key to everything is what PluralKit's tokens are, so it comes first. */
export const scopes = ['full', 'front', 'read', 'calendar', 'watch'] as const
export type Scope = (typeof scopes)[number]

/** What somebody came in by: a token of a scope, or a browser that was let in. */
export type Access = Scope | 'session'

export const accesses: readonly Access[] = ['full', 'session', 'front', 'read', 'calendar', 'watch']

/** What can be done with a system, in the words of the API page. */
export const permissions = {
  read: 'See everything of the own system, private things too',
  watch: 'See who fronts, and name, colour, avatar and tag of the own system',
  subscribe: 'Read the calendar of the own front history',
  switch: 'Log, move, change and delete switches',
  export: 'Export the own system',
  change: 'Change members, groups, settings and all else',
  follow: 'Follow all events of the own system',
  import: 'Import a file',
  manage: 'Webhooks, tokens, sessions and preferences',
  share: 'Make tokens of the scopes `watch` and `calendar`',
  issue_tokens: 'Make tokens of every scope, and codes that link an account',
  remove: 'Delete the system',
} as const

export type Permission = keyof typeof permissions

/** All that a scope allows. What is not named is refused: a new act is nobody's but `full`'s. */
const allowed: Record<Exclude<Access, 'full'>, ReadonlySet<Permission>> = {
  session: new Set([
    'read',
    'watch',
    'subscribe',
    'switch',
    'export',
    'change',
    'follow',
    'import',
    'manage',
    'share',
  ]),
  front: new Set(['read', 'watch', 'subscribe', 'switch']),
  read: new Set(['read', 'watch', 'subscribe', 'export']),
  calendar: new Set(['subscribe']),
  watch: new Set(['watch']),
}

/** Whether there is anything at all that it may change. */
export function canWrite(access: Access): boolean {
  return writingScopes.some((permission) => hasPermission(access, permission))
}

const writingScopes: readonly Permission[] = [
  'switch',
  'change',
  'import',
  'manage',
  'share',
  'issue_tokens',
  'remove',
]

export function hasPermission(access: Access, permission: Permission): boolean {
  return access === 'full' || allowed[access].has(permission)
}
