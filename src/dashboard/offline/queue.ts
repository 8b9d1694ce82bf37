import type { Instant } from '../../model/core/time'
import type { FronterStatus } from '../api/types'

/** Rules of the queue of switches that wait to be sent. */

export interface QueuedSwitch {
  /** Position in the order of tapping. */
  readonly order: number
  /** ID of the switch, chosen here. */
  readonly uuid: string
  /** UUID of the system that it belongs to. */
  readonly system: string
  /**
   * `put` logs the switch, `delete` deletes one that may have been sent, and `sent` was logged
   * without some of its members, which the person has not seen yet.
   */
  readonly kind: 'put' | 'delete' | 'sent'
  /** UUIDs of members. */
  readonly members: readonly string[]
  /** Statuses by the UUID of the member. */
  readonly statuses: readonly FronterStatus[]
  /** Time of the tap, or the time that was chosen. */
  readonly timestamp: Instant
  /** A request for it may have reached the server. */
  readonly isTried: boolean
  /** Number of times that it was moved because its time was taken. */
  readonly moves: number
  /** Number of members that were left out because they were deleted. */
  readonly leftOut: number
  /** Refusal of the server. The switch is kept until the person edits or discards it. */
  readonly problem: Problem | null
}

export interface Problem {
  readonly status: number
  readonly code: number
  readonly message: string
}

/** Answer of the server; null for none, or one that is not the server's. */
export type Answer = (Problem & { readonly retryAfterMs: number }) | null

export type Outcome =
  | { readonly is: 'done' }
  /** Again with a time 1 ms later. */
  | { readonly is: 'moved' }
  /** Recorded under this ID with other content, or not at all. */
  | { readonly is: 'taken' }
  /** Members were deleted. */
  | { readonly is: 'membersGone' }
  | { readonly is: 'loggedOut' }
  | { readonly is: 'later'; readonly afterMs: number; readonly isThrottled: boolean }
  | { readonly is: 'refused'; readonly problem: Problem }

const MAX_MOVES = 10

const SAME_TIME = 40005
const MEMBER_CODES = [20003, 30008]

/** Decides what happens to a switch after an answer to its request. */
export function decideOutcome({ kind, moves }: QueuedSwitch, answer: Answer): Outcome {
  if (answer === null) return sendLater(answer)
  const { status, code, message } = answer
  if (status === 401) return { is: 'loggedOut' }
  if (status === 429 || status >= 500) return sendLater(answer)
  const refused: Outcome = { is: 'refused', problem: { status, code, message } }
  if (kind === 'delete') return status === 204 ? { is: 'done' } : refused
  if (status === 200 || status === 201 || status === 410) return { is: 'done' }
  if (code === SAME_TIME) return moves < MAX_MOVES ? { is: 'moved' } : refused
  if (status === 409) return { is: 'taken' }
  if (MEMBER_CODES.includes(code)) return { is: 'membersGone' }
  return refused
}

/** Outcome of an answer that decides nothing. */
export function sendLater(answer: Answer): Outcome {
  return {
    is: 'later',
    afterMs: answer?.retryAfterMs ?? 0,
    isThrottled: answer?.status === 429,
  }
}

const MAX_SHORT_WAIT_MS = 2000
const MAX_SHORT_WAITS = 5

/**
 * Returns true if the sender waits for its turn, because the server takes a few writes a second.
 * Longer waits, and many without a switch between them, are a pause.
 */
export function isShortWait(outcome: Outcome, waits: number): boolean {
  return (
    outcome.is === 'later' &&
    outcome.isThrottled &&
    outcome.afterMs <= MAX_SHORT_WAIT_MS &&
    waits < MAX_SHORT_WAITS
  )
}

/** Returns true if the switch is to be sent without a decision of the person. */
export function isSendable({ kind, problem }: QueuedSwitch): boolean {
  return kind !== 'sent' && problem === null
}

/** Returns true if the server may not have what the person did. */
export function isUnsent({ kind }: QueuedSwitch): boolean {
  return kind !== 'sent'
}

const RETRY_SECONDS = [1, 2, 5, 15, 30]

/** Returns the pause after a number of failures in a row, as the event stream pauses. */
export function pauseAfter(failures: number): number {
  return (RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length) - 1] ?? 1) * 1000
}
