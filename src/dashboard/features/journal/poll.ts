import { parseInstant } from '../../../model/core/time'
import type { Poll } from '../../api/types'
import { now } from '../../lib/clock'
import { journalStrings } from '../../texts/texts'
import { formatMoment } from './journal'

/** True after the end, also if it passed while the page was open. */
export function hasEnded({ closed, ends }: Poll): boolean {
  const end = parseInstant(ends ?? '')
  return closed || (end !== null && end <= now.value)
}

/** Describes until when a poll is or was open, and how many voted. */
export function describePoll(poll: Poll): string {
  const end = parseInstant(poll.ends ?? '')
  const moment = end === null ? null : formatMoment(end)
  const { isClosed, closedAt, isOpen, opensUntil, votes } = journalStrings
  const state = hasEnded(poll)
    ? moment === null
      ? isClosed
      : closedAt(moment)
    : moment === null
      ? isOpen
      : opensUntil(moment)
  return [state, votes(countVotes(poll))].join(' · ')
}

export function countVotes({ counts }: Poll): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
