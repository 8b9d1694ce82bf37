import { parseInstant } from '../../../model/core/time'
import { request } from '../../api/client'
import { sharedPaths } from '../../api/resources'
import type { Friend } from '../../api/types'
import { formatter } from '../../core/appearance'
import { goTo } from '../../core/route'
import { readGroup, readMember } from '../../core/store'
import { useQuery } from '../../core/useQuery'
import { now } from '../../lib/clock'
import { sharingStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Page, Skeleton } from '../../ui/page'
import { ProfileHead } from '../../ui/profile'
import { GroupSection } from '../groups/groupSection'
import { MemberTiles } from '../members/memberTiles'
import { Fronters } from '../privacy/fronters'
import { FriendActions } from './friendActions'
import { avatarOfFriend } from './friends'
import { useFriends } from './useFriends'

/** Page of a friend: who is fronting, and what is shared. */
export function FriendPage({ id }: { id: string }) {
  const { friends, problem, reload } = useFriends()
  const friend = friends?.find((friend) => friend.id === id)
  if (!friend)
    return (
      <Page title={friends ? sharingStrings.notFound : strings.friends} actions={<BackToFriends />}>
        {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
        {friends ? (
          <p>{sharingStrings.notFoundMore}</p>
        ) : (
          problem === '' && <Skeleton blocks={['card', 'tiles']} />
        )}
      </Page>
    )
  return <Found friend={friend} reload={reload} />
}

function Found({ friend, reload }: { friend: Friend; reload: () => void }) {
  const { system, front, theirs, since } = friend
  const avatar = avatarOfFriend(friend)
  return (
    <Page
      title={avatar.name}
      actions={<BackToFriends />}
      header={(heading) => (
        <ProfileHead of={{ ...avatar, banner: system?.banner ?? null }} picture={avatar.avatar_url}>
          <div class="named">
            {heading}
            {system?.pronouns && (
              <p class="quiet">
                <bdi>{system.pronouns}</bdi>
              </p>
            )}
            <p class="quiet">
              {sharingStrings.friendsSince(formatter.value.date(parseInstant(since) ?? now.value))}
            </p>
          </div>
        </ProfileHead>
      )}
    >
      {system?.description && <Markdown text={system.description} />}
      {system === null ? (
        <p>{sharingStrings.isDisabled}</p>
      ) : front === null ? (
        <p class="quiet">{sharingStrings.notShown}</p>
      ) : (
        <Fronters front={front} nobody={sharingStrings.nobodyShown} />
      )}
      {system !== null &&
        (theirs.see_members ? (
          <SharedThings friend={friend} />
        ) : (
          <p class="quiet">{sharingStrings.membersNotShown}</p>
        ))}
      <section class="card">
        <FriendActions friend={friend} reload={reload} onRemoved={() => goTo('#/friends')} />
      </section>
    </Page>
  )
}

export function BackToFriends() {
  return (
    <a class="beside" href="#/friends">
      <Icon name="back" />
      {sharingStrings.toFriends}
    </a>
  )
}

/** Members and groups that a friend shares, with their fields. */
function SharedThings({ friend }: { friend: Friend }) {
  const paths = sharedPaths(friend.id)
  const members = useQuery(paths.members, 'friends')
  const groups = useQuery(paths.groups, 'friends')
  const fields = useQuery(paths.fields, 'friends')
  const all = [members, groups, fields]
  const failed = all.find(({ problem }) => problem !== '')
  if (failed) {
    const retry = () => {
      for (const { reload } of all) reload()
    }
    return <LoadProblem text={failed.problem} onRetry={retry} />
  }
  if (!members.data || !groups.data || !fields.data) return <Skeleton blocks={['tiles']} />
  const word = strings.words.members
  const shown = members.data.map(readMember)
  return (
    <div class="outside">
      <MemberTiles
        members={shown}
        fields={fields.data}
        word={word}
        heading="h2"
        load={(uuid, signal) => request(paths.member(uuid), { signal })}
      />
      <GroupSection groups={groups.data.map(readGroup)} members={shown} word={word} heading="h2" />
    </div>
  )
}
