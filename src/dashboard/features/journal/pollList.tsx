import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { now } from '../../lib/clock'
import { useLazy } from '../../lib/useLazy'
import { journalStrings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { useIncrementalList } from '../members/memberGrid'
import { formatMoment, type Poll } from './journal'

interface Props {
  polls: readonly Poll[]
  onChanged: () => void
}

/** Polls, the open ones first. */
export function Polls({ polls, onChanged }: Props) {
  const [isAdding, setAdding] = useState(false)
  const sorted = polls.toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)))
  const { shown, moreButton } = useIncrementalList(sorted)
  return (
    <section class="part" aria-labelledby="polls">
      <header class="heading">
        <h2 id="polls">{journalStrings.polls}</h2>
        <button type="button" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          {journalStrings.addPoll}
        </button>
      </header>
      {polls.length === 0 && <p class="quiet">{journalStrings.noPolls}</p>}
      {polls.length > 0 && (
        <ul class="card things">
          {shown.map((poll) => (
            <li key={poll.id}>
              <a class="about" href={`#/chat/poll/${poll.id}`}>
                <b>
                  <bdi>{poll.name}</bdi>
                </b>
                <br />
                <span class="quiet small">{describePoll(poll)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {moreButton}
      {isAdding && <AddPoll onSaved={onChanged} onClose={() => setAdding(false)} />}
    </section>
  )
}

interface AddProps {
  onSaved: () => void
  onClose: () => void
}

function AddPoll({ onSaved, onClose }: AddProps) {
  const { Content } = useLazy(async () => (await import('./lazyPolls')).PollSheet)
  return Content && <Content poll={null} onSaved={onSaved} onClose={onClose} />
}

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
