import { useRef, useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import type { Friend, FriendFront } from '../../api/types'
import { announce } from '../../core/actions'
import { formatter } from '../../core/appearance'
import { displayName } from '../../core/store'
import { useFocusAfterRemoval } from '../../core/useFocusAfterRemoval'
import { now } from '../../lib/clock'
import { fold } from '../../lib/search'
import { listNames, sharingStrings, strings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { Search } from '../../ui/searchField'

import { FriendActions } from './friendActions'
import { avatarOfFriend, nameOfFriend } from './friends'

interface Props {
  friends: readonly Friend[]
  reload: () => void
}

/** Friends shown at first, because buckets and links follow below, and with each further step. */
const PART = 10

/** All friends, with who is fronting there. Many can be searched, and are shown in parts. */
export function FriendList({ friends, reload }: Props) {
  const [typed, setTyped] = useState('')
  const [count, setCount] = useState(PART)
  const list = useRef<HTMLUListElement>(null)
  const find = (text: string) =>
    friends.filter((friend) => namesOf(friend).some((name) => fold(name).includes(fold(text))))
  const matches = find(typed)
  const search = (value: string) => {
    setTyped(value)
    setCount(PART)
    announce(strings.found(find(value).length))
  }
  /** Moves the focus to the first friend that is added, as the button may be gone then. */
  const showMore = () => {
    setCount(count + PART)
    requestAnimationFrame(() => list.current?.children[count]?.querySelector('a')?.focus())
  }
  return (
    <div class="part">
      {friends.length > PART && (
        <Search value={typed} onChange={search} hint={sharingStrings.searchThings} />
      )}
      {matches.length === 0 && <p class="quiet">{sharingStrings.nothingFound}</p>}
      <ul ref={list} class="friends part" aria-label={sharingStrings.friends}>
        {matches.slice(0, count).map((friend) => (
          <FriendCard key={friend.id} friend={friend} reload={reload} />
        ))}
      </ul>
      {matches.length > count && (
        <button type="button" class="plain" onClick={showMore}>
          {sharingStrings.showMore(matches.length - count)}
        </button>
      )}
    </div>
  )
}

/** Returns the names that a friend is searched by: the own one, and theirs. */
function namesOf(friend: Friend): string[] {
  return [nameOfFriend(friend), friend.system?.name ?? '']
}

function FriendCard({ friend, reload }: { friend: Friend; reload: () => void }) {
  const card = useFocusAfterRemoval<HTMLLIElement>('h1')
  return (
    <li ref={card} class="card" aria-labelledby={`friend-${friend.id}`}>
      <a class="someone" href={`#/friends/${friend.id}`}>
        <Avatar of={avatarOfFriend(friend)} size="l" />
        <div class="about">
          <bdi id={`friend-${friend.id}`} class="name">
            {nameOfFriend(friend)}
          </bdi>
          <FrontLine friend={friend} />
        </div>
        <Icon name="forth" />
      </a>
      <FriendActions friend={friend} reload={reload} />
    </li>
  )
}

/** List of the fronters of a friend, with the times since when they front. */
function FrontLine({ friend: { system, front } }: { friend: Friend }) {
  if (system === null) return <div class="quiet">{sharingStrings.isDisabled}</div>
  if (front === null) return <div class="quiet">{sharingStrings.notShown}</div>
  if (front.fronters.length === 0) return <div class="quiet">{sharingStrings.nobodyShown}</div>
  return (
    <>
      <div aria-live="polite">
        <bdi>{listNames(front.fronters.map(({ member }) => displayName(member)))}</bdi>
      </div>
      <div class="quiet small">{formatter.value.since(latest(front), now.value)}</div>
    </>
  )
}

/** Returns when the last of the fronters came. */
function latest({ fronters }: FriendFront): number {
  return Math.max(...fronters.map(({ since }) => parseInstant(since) ?? 0))
}
