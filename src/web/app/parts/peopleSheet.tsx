import { useState } from 'preact/hooks'
import { say } from '../acts'
import { explainRefusal } from '../client'
import { changeMemberships } from '../groups'
import { searchMembers } from '../search'
import { type Group, isAway, members } from '../store'
import { words } from '../words'
import { peopleWords } from '../words/people'
import { Face } from './face'
import { Search } from './search'
import { Sheet } from './sheet'
import { useParts } from './tiles'

/** Who is in a group: everyone with a check box, found while typing, saved in one request. */
export function PeopleSheet({ own, onClose }: { own: Group; onClose: () => void }) {
  const [before] = useState(() => new Set(own.members))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(before)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState('')
  const found = searchMembers(members.value, typed)
  const { shown, isMore, more, end } = useParts(found, { about: typed })
  const coming = members.value.filter(({ uuid }) => chosen.has(uuid) && !before.has(uuid))
  const leaving = members.value.filter(({ uuid }) => !chosen.has(uuid) && before.has(uuid))
  const search = (value: string) => {
    setTyped(value)
    say(words.found(searchMembers(members.value, value).length))
  }
  const toggle = (uuid: string) => {
    const others = new Set(chosen)
    if (!others.delete(uuid)) others.add(uuid)
    setChosen(others)
  }
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
        <Search value={typed} onChange={search} />
        {found.length === 0 && <p class="quiet">{words.nobodyFound}</p>}
        <ul class="members choosing">
          {shown.map((member, at) => (
            <li key={member.id} aria-setsize={found.length} aria-posinset={at + 1}>
              <label class="someone">
                <input
                  type="checkbox"
                  checked={chosen.has(member.uuid)}
                  onChange={() => toggle(member.uuid)}
                />
                <Face of={member} size="s" />
                <span class="about">
                  <span class="name">
                    <bdi>{member.display_name || member.name}</bdi>
                  </span>
                </span>
              </label>
            </li>
          ))}
        </ul>
        {isMore && (
          <button type="button" ref={end} class="plain" onClick={more}>
            {words.showMore}
          </button>
        )}
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
