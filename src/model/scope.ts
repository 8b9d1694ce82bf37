/** Scopes of tokens. `full` comes first because PluralKit's tokens allow everything. */
export const scopes = ['full', 'front', 'read', 'calendar', 'watch'] as const
export type Scope = (typeof scopes)[number]

/** Access of a credential: the scope of a token, or the session of a browser. */
export type Access = Scope | 'session'

export const accesses: readonly Access[] = ['full', 'session', 'front', 'read', 'calendar', 'watch']

/** Permissions on a system, with their descriptions on the API page. */
export const permissions = {
  read: 'Read the own system, including private data',
  watch: 'Read current fronters, and name, colour, avatar and tag of the own system',
  subscribe: 'Read the calendar of the own front history',
  switch: 'Log, move, change and delete switches',
  export: 'Export the own system',
  change: 'Change members, groups, settings and everything else',
  follow: 'Follow all events of the own system',
  import: 'Import a file',
  manage: 'Manage webhooks, tokens, sessions and preferences',
  share: 'Create tokens with the scopes `watch` and `calendar`',
  issue_tokens: 'Create tokens with any scope, and codes that link an account',
  remove: 'Delete the system',
} as const

export type Permission = keyof typeof permissions

/**
 * Permissions of each access. Only `full` has permissions that are not listed, including new ones.
 */
const granted: Record<Exclude<Access, 'full'>, ReadonlySet<Permission>> = {
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

export function canWrite(access: Access): boolean {
  return writePermissions.some((permission) => hasPermission(access, permission))
}

const writePermissions: readonly Permission[] = [
  'switch',
  'change',
  'import',
  'manage',
  'share',
  'issue_tokens',
  'remove',
]

export function hasPermission(access: Access, permission: Permission): boolean {
  return access === 'full' || granted[access].has(permission)
}
