import type { Entity, Identity, Level, Row } from './entity'
import { type ErrorName, error } from './errors'
import type { Field } from './field'
import { DISCORD, type Platform, platformOf } from './platform'

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
  switch: 'Log, move, change and delete switches, set status texts and write comments',
  read_journal: 'Read notes, posts, rooms, polls, reminders, comments and archived rows',
  export: 'Export the own system',
  change: 'Change members, groups, settings and everything else',
  follow: 'Follow all events of the own system',
  import: 'Import a file',
  manage: 'Manage webhooks, tokens, sessions and preferences',
  share: 'Create tokens with the scopes `watch` and `calendar`',
  issue_tokens: 'Create tokens with any scope, and codes that link an account',
  manage_friends: 'Manage friends, invitations and privacy buckets',
  manage_push: 'Register browsers for push notifications; with a `watch` token only its own',
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
    'read_journal',
    'export',
    'change',
    'follow',
    'import',
    'manage',
    'share',
    'manage_friends',
    'manage_push',
  ]),
  front: new Set(['read', 'watch', 'subscribe', 'switch']),
  read: new Set(['read', 'watch', 'subscribe', 'read_journal', 'export']),
  calendar: new Set(['subscribe']),
  watch: new Set(['watch', 'manage_push']),
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
  'manage_friends',
  'remove',
]

export function hasPermission(access: Access, permission: Permission): boolean {
  return access === 'full' || granted[access].has(permission)
}

/**
 * Identity of a caller: a system, a bot or the operator (possibly acting for a system), or
 * anonymous.
 */
export interface Viewer {
  /** Row ID of the system that the caller acts as. */
  readonly system: number | null
  /** Platform of the bot; null if the caller is not a bot. */
  readonly platform: Platform | null
  /** Set for CLI commands, which may act for any system and any platform. */
  readonly isOperator?: true
  /** Access of the caller's credential to its system; full if absent. */
  readonly access?: Access
  /** Row ID of the caller's session. */
  readonly session?: number
  /** Row ID of the caller's token. */
  readonly token?: number
  /** Shows private members to a `watch` token. */
  readonly watchesPrivate?: boolean
}

export const anonymousViewer: Viewer = { system: null, platform: null }

export const operator: Viewer = { system: null, platform: null, isOperator: true }

/** The Discord bot of this process, which needs no key. It acts for systems like any other bot. */
export const discordBot: Viewer = { system: null, platform: DISCORD }

/**
 * Returns the caller's system, or throws if the caller lacks the permission. Every owner-only
 * service function calls this first; the default permission is denied to limited scopes.
 */
export function requireSystem(viewer: Viewer, permission: Permission = 'change'): number {
  const system = systemOf(viewer)
  if (!hasPermission(viewer.access ?? 'full', permission)) throw error('forbidden')
  return system
}

/** Returns the caller's system, whatever its permissions. A bot may have omitted X-System. */
export function systemOf({ system, platform }: Viewer): number {
  if (system !== null) return system
  throw platform === null ? error('unauthorized') : error('badRequest', 'name a system in X-System')
}

/** Throws if the caller has no system or may only read. */
export function requireWriter(viewer: Viewer): void {
  systemOf(viewer)
  if (!canWrite(viewer.access ?? 'full')) throw error('forbidden')
}

/** Returns the bot's platform. Every bot-only service function calls this first. */
export function requireBot({ system, platform }: Viewer): Platform {
  if (platform !== null) return platform
  throw error(system === null ? 'unauthorized' : 'forbidden')
}

/** Throws unless a bot for Discord calls. */
export function requireDiscordBot(viewer: Viewer): void {
  if (requireBot(viewer) !== DISCORD) throw error('forbidden')
}

/** Throws unless the operator calls. Every server-wide service function calls this first. */
export function requireOperator({ isOperator }: Viewer): void {
  if (!isOperator) throw error('forbidden')
}

/**
 * Throws unless the bot belongs to the ID's platform: only it can verify accounts and guild admins.
 */
export function requirePlatformAuthority(viewer: Viewer, id: string): void {
  if (!viewer.isOperator && requireBot(viewer) !== platformOf(id)) throw error('forbidden')
}

declare const redacted: unique symbol

/**
 * A row after private fields were redacted for a viewer. Only `redact` creates one; serializers
 * accept nothing else.
 */
export type Redacted<E> = {
  readonly [K in keyof Row<E>]?: Row<E>[K] | null
} & Partial<Identity> & { readonly [redacted]: E }

declare const serialized: unique symbol

/** Output of a serializer. Routes return nothing else. */
export interface Serialized {
  readonly [serialized]: true
}

/** JSON text that a serializer created. */
export type SerializedJson = string & Serialized

/** Callers who see the same values of a row: its owner, or all others except friends. */
export type Audience = 'owner' | 'public'

/** Friends, who see what is shared with them, or of fronters only what names them. */
export type FriendAudience = 'friend' | 'friend of the front'

export function audienceOf(viewer: Viewer, systemId: number): Audience {
  return isOwner(viewer, systemId) ? 'owner' : 'public'
}

/** Checks for a caller that may read everything in a system. */
export function isOwner(viewer: Viewer, systemId: number): boolean {
  return ownedSystemId(viewer) === systemId
}

/** Returns the system in which the caller may read everything, or null. */
export function ownedSystemId({ system, access = 'full' }: Viewer): number | null {
  return hasPermission(access, 'read') ? system : null
}

/** Checks for a caller with a `watch` token of this system. */
export function isWatcher({ system, access }: Viewer, systemId: number): boolean {
  return access === 'watch' && system === systemId
}

/**
 * Returns the values of a row that the audience may read: all for the owner, what is shared for a
 * friend, otherwise by privacy level. Whether a row is shared with a friend at all is decided
 * by the service that selects it.
 */
export function redact<E extends Entity>(
  entity: E,
  row: Row<E> & Partial<Identity>,
  to: Audience | FriendAudience,
): Redacted<E> {
  const from = row as Record<string, unknown>
  if (to === 'owner') return { ...from } as Redacted<E>
  const isFriend = to !== 'public'
  const visible: Record<string, unknown> = { uuid: row.uuid, hid: row.hid }
  for (const [key, field] of entity.entries) {
    if (isFriend && field.isAbsentForFriends) continue
    const hidden = redactionFor(to, field, from)
    if (hidden === null) visible[key] = from[key]
    else if (hidden === 'public part')
      visible[key] = from[(isFriend ? field.friendPart : field.publicPart) ?? '']
    else if (hidden === 'stand-in') visible[key] = from[field.fallback ?? key] ?? from[key]
    else if (hidden !== 'absent') visible[key] = hidden === 'empty list' ? [] : null
  }
  return visible as Redacted<E>
}

/** Replacement for a hidden value. */
export type Redaction = 'absent' | 'null' | 'empty list' | 'stand-in' | 'public part'

/** Returns null for a field that is always public. */
export function redactionOf(field: Field): Redaction | null {
  const { ownerOnly, publicPart, guard, fallback } = field
  if (ownerOnly !== undefined) return ownerOnly
  if (publicPart !== undefined) return 'public part'
  if (guard === undefined) return null
  return fallback === undefined ? emptyOf(field) : 'stand-in'
}

function emptyOf({ defaultValue }: Field): Redaction {
  return Array.isArray(defaultValue) ? 'empty list' : 'null'
}

/** Returns the replacement of a field of a row for an audience; null if its value is shown. */
function redactionFor(
  to: 'public' | FriendAudience,
  field: Field,
  row: Record<string, unknown>,
): Redaction | null {
  if (to === 'friend of the front' && !field.isShownInFront)
    return field.ownerOnly ?? emptyOf(field)
  const isShown = to === 'public' ? isPublic(field, row) : isForFriends(field, row)
  return isShown ? null : redactionOf(field)
}

/** Treats a guard that the row does not have as private, so that a forgotten level never leaks. */
function isPublic({ ownerOnly, publicPart, guard }: Field, row: Record<string, unknown>): boolean {
  if (ownerOnly !== undefined || publicPart !== undefined) return false
  return guard === undefined || row[guard] === 'public'
}

/** Privacy levels that count for friends as they do for all other callers. */
export const levelsForFriends: ReadonlySet<string> = new Set(['proxy_privacy', 'metadata_privacy'])

/** Returns true if a friend sees the value: all privacy levels but two count as public. */
function isForFriends(field: Field, row: Record<string, unknown>): boolean {
  const { ownerOnly, publicPart, guard } = field
  if (ownerOnly !== undefined || publicPart !== undefined) return false
  return guard === undefined || !levelsForFriends.has(guard) || isPublic(field, row)
}

/** Lists that a privacy level hides from all callers except the owner. */
export const listAccessRules = {
  members: { level: 'member_list_privacy', deniedError: 'memberListHidden' },
  groups: { level: 'group_list_privacy', deniedError: 'groupListHidden' },
  fronters: { level: 'front_privacy', deniedError: 'frontersHidden' },
  history: { level: 'front_history_privacy', deniedError: 'historyHidden' },
  switch: { level: 'front_history_privacy', deniedError: 'switchNotFound' },
  groupMembers: { level: 'list_privacy', deniedError: 'groupMembersHidden' },
} as const satisfies Record<string, { level: string; deniedError: ErrorName }>

export type ListAccess = keyof typeof listAccessRules

/** Throws the list's error unless its level is public or the caller is the owner. */
export function requireListAccess<G extends ListAccess>(
  list: G,
  guarded: { [K in (typeof listAccessRules)[G]['level']]: Level },
  owner: boolean,
): void {
  const { level, deniedError } = listAccessRules[list]
  if (!owner && (guarded as Record<string, Level>)[level] !== 'public') throw error(deniedError)
}
