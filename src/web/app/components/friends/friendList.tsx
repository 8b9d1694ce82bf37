import { parseInstant } from '../../../../model/time'
import { formatter } from '../../appearance'
import { now } from '../../clock'
import { avatarOfFriend, type Friend, type FriendFront, nameOfFriend } from '../../friends'
import { displayName } from '../../journal'
import { listNames, sharingStrings } from '../../strings'
import { Avatar } from '../avatar'
import { FriendActions } from './friendActions'

interface Props {
  friends: readonly Friend[]
  reload: () => void
}

/** All friends, with who is fronting there. */
export function FriendList({ friends, reload }: Props) {
  return (
    <ul class="friends part" aria-label={sharingStrings.friends}>
      {friends.map((friend) => (
        <li key={friend.id} class="card" aria-labelledby={`friend-${friend.id}`}>
          <div class="someone">
            <Avatar of={avatarOfFriend(friend)} size="l" />
            <div class="about">
              <a id={`friend-${friend.id}`} class="name" href={`#/friends/${friend.id}`}>
                <bdi>{nameOfFriend(friend)}</bdi>
              </a>
              <FrontLine friend={friend} />
            </div>
          </div>
          <FriendActions friend={friend} reload={reload} />
        </li>
      ))}
    </ul>
  )
}

/** Who is fronting at a friend, and since when. */
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
