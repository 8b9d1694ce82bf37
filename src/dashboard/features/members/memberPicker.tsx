import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { announce } from '../../core/actions'
import { displayName, members } from '../../core/store'
import { searchMembers } from '../../lib/search'
import { strings } from '../../texts/texts'
import { Search } from '../../ui/searchField'

import { CheckList } from './checkList'
import { listSections } from './memberSections'

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
  return (
    <>
      <Search value={typed} onChange={search} />
      {sections.length === 0 && <p class="quiet">{strings.nobodyFound}</p>}
      {sections.map(([heading, inside]) => (
        <Fragment key={heading}>
          {heading !== '' && <h3 class="quiet small">{heading}</h3>}
          <CheckList
            all={inside.map((member) => ({
              uuid: member.uuid,
              name: displayName(member),
              avatar: member,
            }))}
            listKey={typed}
            chosen={chosen}
            onChange={onChange}
          />
        </Fragment>
      ))}
    </>
  )
}
