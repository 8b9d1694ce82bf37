import { useState } from 'preact/hooks'
import { say } from '../acts'
import { searchMembers } from '../search'
import { members } from '../store'
import { words } from '../words'
import { Face } from './face'
import { Search } from './search'
import { useParts } from './tiles'

interface Props {
  /** UUIDs. */
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Everyone with a check box, found while typing. */
export function PeopleChecks({ chosen, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const found = searchMembers(members.value, typed)
  const { shown, onward } = useParts(found, { about: typed })
  const search = (value: string) => {
    setTyped(value)
    say(words.found(searchMembers(members.value, value).length))
  }
  const toggle = (uuid: string) => {
    const others = new Set(chosen)
    if (!others.delete(uuid)) others.add(uuid)
    onChange(others)
  }
  return (
    <>
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
      {onward}
    </>
  )
}
