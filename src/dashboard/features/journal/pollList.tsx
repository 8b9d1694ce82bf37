import { useState } from 'preact/hooks'
import type { Poll } from '../../api/types'
import { useLazy } from '../../lib/useLazy'
import { journalStrings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { useIncrementalList } from '../members/memberGrid'
import { describePoll, hasEnded } from './poll'

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
