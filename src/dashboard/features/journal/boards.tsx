import { useState } from 'preact/hooks'
import { isArchived, isCustomFront, type Member, type Unread } from '../../api/types'
import { announce } from '../../core/actions'
import { displayName, front, members, system } from '../../core/store'
import { searchMembers } from '../../lib/search'
import { journalStrings, strings } from '../../texts/texts'
import { Avatar, type AvatarSubject } from '../../ui/avatar'
import { Search } from '../../ui/searchField'
import { useIncrementalList } from '../members/memberGrid'
import { SYSTEM_BOARD } from './journal'

/** A longer list is shown on request. */
const FEW = 8

/** Boards: the system's, then those of members, with unread posts first. */
export function Boards({ unread }: { unread: Unread }) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const countOf = ({ uuid }: Member) => unread[uuid] ?? 0
  const isHere = ({ id }: Member) => front.value?.members.includes(id) ?? false
  const all = members.value
    .filter((member) => countOf(member) > 0 || !(isCustomFront(member) || isArchived(member)))
    .toSorted((a, b) => countOf(b) - countOf(a))
  const isShort = all.length <= FEW
  const some = all.filter((member) => countOf(member) > 0 || isHere(member))
  const matches = isOpen ? searchMembers(all, typed) : isShort ? all : some
  const { shown, moreButton } = useIncrementalList(matches, { listKey: `${isOpen} ${typed}` })
  const search = (value: string) => {
    setTyped(value)
    announce(strings.found(searchMembers(all, value).length))
  }
  const ownSystem = system.value
  return (
    <section class="part" aria-labelledby="boards">
      <h2 id="boards">{journalStrings.boards}</h2>
      {isOpen && <Search value={typed} onChange={search} />}
      {isOpen && matches.length === 0 && <p class="quiet">{strings.nobodyFound}</p>}
      <ul class="members">
        {ownSystem && typed === '' && (
          <BoardRow
            board={SYSTEM_BOARD}
            name={journalStrings.wholeSystem}
            of={{
              ...ownSystem,
              name: ownSystem.name ?? journalStrings.wholeSystem,
              display_name: null,
            }}
            count={unread[SYSTEM_BOARD] ?? 0}
          />
        )}
        {shown.map((member) => (
          <BoardRow
            key={member.uuid}
            board={member.uuid}
            name={displayName(member)}
            of={member}
            count={countOf(member)}
          />
        ))}
      </ul>
      {moreButton}
      {!isShort && !isOpen && (
        <button type="button" class="plain" onClick={() => setOpen(true)}>
          {journalStrings.allBoards}
        </button>
      )}
    </section>
  )
}

interface RowProps {
  board: string
  name: string
  of: AvatarSubject
  count: number
}

function BoardRow({ board, name, of, count }: RowProps) {
  return (
    <li>
      <a class="someone" href={`#/chat/board/${board}`}>
        <Avatar of={of} />
        <span class="about">
          <bdi class="name">{name}</bdi>
        </span>
        {count > 0 && <span class="pill">{journalStrings.newPosts(count)}</span>}
      </a>
    </li>
  )
}
