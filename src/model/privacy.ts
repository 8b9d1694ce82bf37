import type { Entity, Identity, Level, Row } from './entity'
import { type ErrorName, error } from './errors'
import { type Field, redactionOf } from './field'
import { type Platform, platformOf } from './platform'
import { type Access, canWrite, hasPermission, type Permission } from './scope'

/** Who asks: a system, a bot or the operator, on a system's behalf if any, or nobody. */
export interface Viewer {
  /** The row number of the system that the caller acts as. */
  readonly system: number | null
  /** Of the bot that asks; null when no bot does. */
  readonly platform: Platform | null
  /** Whoever runs commands on this machine may act as any system, and speak for any platform. */
  readonly isOperator?: true
  /** What it may do with its system; everything unless it came in by something that allows less. */
  readonly access?: Access
  /** The row number of the session that it came in by. */
  readonly session?: number
  /** Whether one who watches is shown private members, too. */
  readonly watchesPrivate?: boolean
}

export const anonymousViewer: Viewer = { system: null, platform: null }

export const operator: Viewer = { system: null, platform: null, isOperator: true }

/**
 * The system that the caller acts as, for something that it must be allowed to do. Every verb of what
 * is the owner's alone begins here; one that does not say what it does is refused by every lesser
 * scope.
 */
export function requireSystem(viewer: Viewer, permission: Permission = 'change'): number {
  const system = systemOf(viewer)
  if (!hasPermission(viewer.access ?? 'full', permission)) throw error('forbidden')
  return system
}

/** The system that the caller is of, whatever it may do there; a bot may have forgotten to name one. */
export function systemOf({ system, platform }: Viewer): number {
  if (system !== null) return system
  throw platform === null ? error('unauthorized') : error('badRequest', 'name a system in X-System')
}

/** Who writes anything has a system, and was not let in to look only. */
export function requireWriter(viewer: Viewer): void {
  systemOf(viewer)
  if (!canWrite(viewer.access ?? 'full')) throw error('forbidden')
}

/** The platform of the bot that asks. Every verb that is for bots alone begins here. */
export function requireBot({ system, platform }: Viewer): Platform {
  if (platform !== null) return platform
  throw error(system === null ? 'unauthorized' : 'forbidden')
}

/** Every verb that concerns the whole house begins here. */
export function requireOperator({ isOperator }: Viewer): void {
  if (!isOperator) throw error('forbidden')
}

/** Only a bot of its platform knows whose an account is, or who may speak for a guild. */
export function requirePlatformAuthority(viewer: Viewer, id: string): void {
  if (!viewer.isOperator && requireBot(viewer) !== platformOf(id)) throw error('forbidden')
}

declare const redacted: unique symbol

/** A row after privacy was applied. Only `see` makes one, and the wires take nothing else. */
export type Redacted<E> = {
  readonly [K in keyof Row<E>]?: Row<E>[K] | null
} & Partial<Identity> & { readonly [redacted]: E }

declare const serialized: unique symbol

/** What may leave the house: what a wire made of what was seen. Routes answer with nothing else. */
export interface Serialized {
  readonly [serialized]: true
}

/** Whether the caller sees what its owner sees of a system. */
export function isOwner(viewer: Viewer, systemId: number): boolean {
  return ownedSystemId(viewer) === systemId
}

/** The system of which the caller sees everything; null for who is a stranger everywhere. */
export function ownedSystemId({ system, access = 'full' }: Viewer): number | null {
  return hasPermission(access, 'read') ? system : null
}

/** Whether the caller was let in to see who fronts, and little else. */
export function isWatcher({ system, access }: Viewer, systemId: number): boolean {
  return access === 'watch' && system === systemId
}

/** What this caller may see of a row: every value, or what its levels leave to others. */
export function redact<E extends Entity>(
  entity: E,
  row: Row<E> & Partial<Identity>,
  owner: boolean,
): Redacted<E> {
  if (owner) return row as unknown as Redacted<E>
  const from = row as Record<string, unknown>
  const serialized: Record<string, unknown> = { uuid: row.uuid, hid: row.hid }
  for (const [key, field] of entity.entries) {
    const hidden = isOpen(field, from) ? null : redactionOf(field)
    if (hidden === null) serialized[key] = from[key]
    else if (hidden === 'stand-in') serialized[key] = from[field.fallback ?? key] ?? from[key]
    else if (hidden !== 'absent') serialized[key] = hidden === 'empty list' ? [] : null
  }
  return serialized as Redacted<E>
}

/** A guard the row does not know hides: a forgotten level must never leak. */
function isOpen({ ownerOnly, guard }: Field, row: Record<string, unknown>): boolean {
  return ownerOnly === undefined && (guard === undefined || row[guard] === 'public')
}

/** Whole lists that a level closes for everyone but the owner. */
export const listAccessRules = {
  members: { level: 'member_list_privacy', deniedError: 'memberListHidden' },
  groups: { level: 'group_list_privacy', deniedError: 'groupListHidden' },
  fronters: { level: 'front_privacy', deniedError: 'frontersHidden' },
  history: { level: 'front_history_privacy', deniedError: 'historyHidden' },
  switch: { level: 'front_history_privacy', deniedError: 'switchNotFound' },
  groupMembers: { level: 'list_privacy', deniedError: 'groupMembersHidden' },
} as const satisfies Record<string, { level: string; deniedError: ErrorName }>

export type ListAccess = keyof typeof listAccessRules

/** Throws the gate's error unless the level is public or the owner asks. */
export function requireListAccess<G extends ListAccess>(
  list: G,
  guarded: { [K in (typeof listAccessRules)[G]['level']]: Level },
  owner: boolean,
): void {
  const { level, deniedError } = listAccessRules[list]
  if (!owner && (guarded as Record<string, Level>)[level] !== 'public') throw error(deniedError)
}
