import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { announce } from '../actions'
import { listSections } from '../memberSections'
import { searchMembers } from '../search'
import { type Member, members } from '../store'
import { strings } from '../strings'
import { Avatar } from './avatar'
import { useIncrementalList } from './memberGrid'
import { Search } from './search'

interface Props {
  /** UUIDs. */
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Searchable list of all members with check boxes. */
export function MemberPicker({ chosen, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const sections = listSections(searchMembers(members.value, typed))
  const search = (value: string) => {
    setTyped(value)
    announce(strings.found(searchMembers(members.value, value).length))
  }
  const toggle = (uuid: string) => {
    const others = new Set(chosen)
    if (!others.delete(uuid)) others.add(uuid)
    onChange(others)
  }
  return (
    <>
      <Search value={typed} onChange={search} />
      {sections.length === 0 && <p class="quiet">{strings.nobodyFound}</p>}
      {sections.map(([heading, inside]) => (
        <Fragment key={heading}>
          {heading !== '' && <h3 class="quiet small">{heading}</h3>}
          <CheckList all={inside} listKey={typed} chosen={chosen} onToggle={toggle} />
        </Fragment>
      ))}
    </>
  )
}

interface ListProps {
  all: readonly Member[]
  listKey: string
  chosen: ReadonlySet<string>
  onToggle: (uuid: string) => void
}

function CheckList({ all, listKey, chosen, onToggle }: ListProps) {
  const { shown, moreButton } = useIncrementalList(all, { listKey })
  return (
    <>
      <ul class="members choosing">
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={at + 1}>
            <label class="someone">
              <input
                type="checkbox"
                checked={chosen.has(member.uuid)}
                onChange={() => onToggle(member.uuid)}
              />
              <Avatar of={member} size="s" />
              <span class="about">
                <span class="name">
                  <bdi>{member.display_name || member.name}</bdi>
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {moreButton}
    </>
  )
}
