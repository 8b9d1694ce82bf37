import { error } from './errors'
import type { Instant } from './time'

/** Most members that can front at once. */
export const MAX_FRONTERS = 150

/** Most switches that one page of the history holds. */
export const MAX_SWITCHES = 100

export interface Switch {
  id: number
  uuid: string
  system_id: number
  timestamp: Instant
}

/** A draft of a switch, as the wires read it: members by reference, time if one was given. */
export interface SwitchDraft {
  timestamp: Instant | null
  members: string[]
}

export function refuseTwice(members: readonly { id: number }[]): void {
  if (new Set(members.map(({ id }) => id)).size < members.length) throw error('duplicateMembers')
}

/** The same members in the same order. */
export function isSameFront(a: readonly { id: number }[], b: readonly { id: number }[]): boolean {
  return a.length === b.length && a.every(({ id }, at) => id === b[at]?.id)
}
