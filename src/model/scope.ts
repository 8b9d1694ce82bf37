/** What a token was made for. A key to everything is what PluralKit's tokens are, so it comes first. */
export const scopes = ['full', 'front', 'read', 'calendar', 'watch'] as const
export type Scope = (typeof scopes)[number]

/** What somebody came in by: a token of a scope, or a browser that was let in. */
export type Access = Scope | 'session'

export const accesses: readonly Access[] = ['full', 'session', 'front', 'read', 'calendar', 'watch']

/** What can be done with a system, in the words of the API page. */
export const acts = {
  see: 'See everything of the own system, private things too',
  watch: 'See who fronts, and name, colour, avatar and tag of the own system',
  subscribe: 'Read the calendar of the own front history',
  switch: 'Log, move, change and delete switches',
  export: 'Export the own system',
  change: 'Change members, groups, settings and all else',
  follow: 'Follow all events of the own system',
  import: 'Import a file',
  manage: 'Webhooks, tokens, sessions and preferences',
  share: 'Make tokens of the scopes `watch` and `calendar`',
  entrust: 'Make tokens of every scope, and codes that link an account',
  remove: 'Delete the system',
} as const

export type Act = keyof typeof acts

/** All that a scope allows. What is not named is refused: a new act is nobody's but `full`'s. */
const allowed: Record<Exclude<Access, 'full'>, ReadonlySet<Act>> = {
  session: new Set([
    'see',
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
  front: new Set(['see', 'watch', 'subscribe', 'switch']),
  read: new Set(['see', 'watch', 'subscribe', 'export']),
  calendar: new Set(['subscribe']),
  watch: new Set(['watch']),
}

/** Whether there is anything at all that it may change. */
export function isWriting(access: Access): boolean {
  return writing.some((act) => allows(access, act))
}

const writing: readonly Act[] = [
  'switch',
  'change',
  'import',
  'manage',
  'share',
  'entrust',
  'remove',
]

export function allows(access: Access, act: Act): boolean {
  return access === 'full' || allowed[access].has(act)
}
