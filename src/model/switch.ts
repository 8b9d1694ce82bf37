import { error } from './errors'
import { DAY, type Instant, MINUTE } from './time'

/** Most members that can front at once. */
export const MAX_FRONTERS = 150

/** Most switches that one page of the history holds. */
export const SWITCHES_PER_PAGE = 100

/** Clocks differ, but not by more than this. */
const MAX_AHEAD = DAY

/** How far a clock may have been set back without anybody noticing. */
const MAX_SET_BACK = 10 * MINUTE

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

export function isTooFarAhead(timestamp: Instant, now: Instant): boolean {
  return timestamp > now + MAX_AHEAD
}

/**
 * When a switch is logged that gives no time: now, but behind the latest one if that is a little
 * ahead. After a clock was set back, the switch would not be who fronts otherwise.
 */
export function nextTimestamp(now: Instant, latest: Instant = -Infinity): Instant {
  const isSetBack = latest >= now && latest - now < MAX_SET_BACK
  return isSetBack ? latest + 1 : now
}

export function rejectDuplicates(members: readonly { id: number }[]): void {
  if (new Set(members.map(({ id }) => id)).size < members.length) throw error('duplicateMembers')
}

/** The same members in the same order. */
export function isSameFront(a: readonly { id: number }[], b: readonly { id: number }[]): boolean {
  return a.length === b.length && a.every(({ id }, at) => id === b[at]?.id)
}
