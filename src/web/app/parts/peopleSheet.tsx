import { useState } from 'preact/hooks'
import { explainRefusal } from '../client'
import { changeMemberships } from '../groups'
import { type Group, isAway, members } from '../store'
import { words } from '../words'
import { peopleWords } from '../words/people'
import { PeopleChecks } from './checks'
import { Sheet } from './sheet'

/** Who is in a group: everyone with a check box, found while typing, saved in one request. */
export function PeopleSheet({ own, onClose }: { own: Group; onClose: () => void }) {
  const [before] = useState(() => new Set(own.members))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(before)
  const [problem, setProblem] = useState('')
  const coming = members.value.filter(({ uuid }) => chosen.has(uuid) && !before.has(uuid))
  const leaving = members.value.filter(({ uuid }) => !chosen.has(uuid) && before.has(uuid))
  const save = async (event: Event) => {
    event.preventDefault()
    if (isAway.value) return setProblem(words.notConnected)
    if (coming.length + leaving.length === 0) return onClose()
    try {
      await changeMemberships(own, coming, leaving)
      onClose()
    } catch (cause) {
      setProblem(explainRefusal(cause, words.away))
    }
  }
  return (
    <Sheet heading={peopleWords.peopleOf(own.display_name || own.name)} onClose={onClose}>
      <form onSubmit={save} noValidate>
        <PeopleChecks chosen={chosen} onChange={setChosen} />
        <div class="sheet-foot">
          <p role="status">{peopleWords.willCome(coming.length, leaving.length)}</p>
          <p class="problem" role="alert">
            {problem}
          </p>
          <button type="submit" class="main" aria-disabled={isAway.value}>
            {words.save}
          </button>
        </div>
      </form>
    </Sheet>
  )
}
