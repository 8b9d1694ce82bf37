import type { Entity, Identity, Level, Row } from './entity'
import { type ErrorName, error } from './errors'
import { type Field, hiddenAs } from './field'
import { type Platform, platformOf } from './platform'
import { type Access, type Act, allows, isWriting } from './scope'

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

export const nobody: Viewer = { system: null, platform: null }

export const operator: Viewer = { system: null, platform: null, isOperator: true }

/**
 * The system that the caller acts as, for something that it must be allowed to do. Every verb of what
 * is the owner's alone begins here; one that does not say what it does is refused by every lesser
 * scope.
 */
export function requireSystem(viewer: Viewer, act: Act = 'change'): number {
  const system = systemOf(viewer)
  if (!allows(viewer.access ?? 'full', act)) throw error('forbidden')
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
  if (!isWriting(viewer.access ?? 'full')) throw error('forbidden')
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
export function requireWitness(viewer: Viewer, id: string): void {
  if (!viewer.isOperator && requireBot(viewer) !== platformOf(id)) throw error('forbidden')
}

declare const seen: unique symbol

/** A row after privacy was applied. Only `see` makes one, and the wires take nothing else. */
export type Seen<E> = {
  readonly [K in keyof Row<E>]?: Row<E>[K] | null
} & Partial<Identity> & { readonly [seen]: E }

declare const shown: unique symbol

/** What may leave the house: what a wire made of what was seen. Routes answer with nothing else. */
export interface Shown {
  readonly [shown]: true
}

/** Whether the caller sees what its owner sees of a system. */
export function isOwner(viewer: Viewer, systemId: number): boolean {
  return seesAsOwner(viewer) === systemId
}

/** The system of which the caller sees everything; null for who is a stranger everywhere. */
export function seesAsOwner({ system, access = 'full' }: Viewer): number | null {
  return allows(access, 'see') ? system : null
}

/** Whether the caller was let in to see who fronts, and little else. */
export function isWatcher({ system, access }: Viewer, systemId: number): boolean {
  return access === 'watch' && system === systemId
}

/** What this caller may see of a row: every value, or what its levels leave to others. */
export function see<E extends Entity>(
  entity: E,
  row: Row<E> & Partial<Identity>,
  owner: boolean,
): Seen<E> {
  if (owner) return row as unknown as Seen<E>
  const from = row as Record<string, unknown>
  const shown: Record<string, unknown> = { uuid: row.uuid, hid: row.hid }
  for (const [key, field] of entity.entries) {
    const hidden = isOpen(field, from) ? null : hiddenAs(field)
    if (hidden === null) shown[key] = from[key]
    else if (hidden === 'stand-in') shown[key] = from[field.standIn ?? key] ?? from[key]
    else if (hidden !== 'absent') shown[key] = hidden === 'empty list' ? [] : null
  }
  return shown as Seen<E>
}

/** A guard the row does not know hides: a forgotten level must never leak. */
function isOpen({ ownerOnly, guard }: Field, row: Record<string, unknown>): boolean {
  return ownerOnly === undefined && (guard === undefined || row[guard] === 'public')
}

/** Whole lists that a level closes for everyone but the owner. */
export const gates = {
  members: { level: 'member_list_privacy', closed: 'memberListHidden' },
  groups: { level: 'group_list_privacy', closed: 'groupListHidden' },
  fronters: { level: 'front_privacy', closed: 'frontersHidden' },
  history: { level: 'front_history_privacy', closed: 'historyHidden' },
  switch: { level: 'front_history_privacy', closed: 'switchNotFound' },
  groupMembers: { level: 'list_privacy', closed: 'groupMembersHidden' },
} as const satisfies Record<string, { level: string; closed: ErrorName }>

export type Gate = keyof typeof gates

/** Throws the gate's error unless the level is public or the owner asks. */
export function passGate<G extends Gate>(
  gate: G,
  guarded: { [K in (typeof gates)[G]['level']]: Level },
  owner: boolean,
): void {
  const { level, closed } = gates[gate]
  if (!owner && (guarded as Record<string, Level>)[level] !== 'public') throw error(closed)
}
