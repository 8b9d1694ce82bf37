import { error } from '../core/errors'
import { isUuid } from '../core/ref'
import { DAY, type Instant, MINUTE } from '../core/time'
import { Problem } from '../core/validation'
import type { Member } from '../members/member'

/** Maximum number of members in a switch. */
export const MAX_FRONTERS = 150

export const SWITCHES_PER_PAGE = 100

/** Tolerated clock difference of a client. */
const MAX_AHEAD = DAY

/** Longest clock correction after which a new switch still follows the latest one. */
const MAX_SET_BACK = 10 * MINUTE

export interface Switch {
  id: number
  uuid: string
  system_id: number
  timestamp: Instant
}

/** A switch with the rows of its members, in their order. */
export type Front = Switch & {
  members: Member[]
  /** Number of private members left out for a caller whose token may only watch the front. */
  hidden?: number
}

/** A new switch with member references and an optional time. */
export interface SwitchDraft {
  timestamp: Instant | null
  members: string[]
}

export function isTooFarAhead(timestamp: Instant, now: Instant): boolean {
  return timestamp > now + MAX_AHEAD
}

export const TOO_FAR_AHEAD = new Problem('too_far_ahead')

/**
 * Returns the default time of a switch: now, or just after the latest switch if that is slightly in
 * the future (the clock may have been set back), so that the new switch is always the latest.
 */
export function nextTimestamp(now: Instant, latest: Instant = -Infinity): Instant {
  const isSetBack = latest >= now && latest - now < MAX_SET_BACK
  return isSetBack ? latest + 1 : now
}

export function rejectDuplicates(members: readonly { id: number }[]): void {
  if (new Set(members.map(({ id }) => id)).size < members.length) throw error('duplicateMembers')
}

/** Compares members and their order. */
export function isSameFront(a: readonly { id: number }[], b: readonly { id: number }[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id)
}

export function requireSwitchId(ref: string): void {
  if (!isUuid(ref)) throw error('invalidSwitchId')
}

/** Throws unless a client may choose this UUID, which must be random, for a new switch. */
export function requireNewSwitchId(ref: string): void {
  if (!/^.{14}4.{4}[89ab]/i.test(ref) || !isUuid(ref)) throw error('invalidSwitchId')
}
