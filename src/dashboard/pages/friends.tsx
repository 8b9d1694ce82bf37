import { useState } from 'preact/hooks'
import { api } from '../api/resources'
import type { Bucket, Share } from '../api/types'
import { route } from '../core/route'
import { isOffline } from '../core/store'
import { useQuery } from '../core/useQuery'
import { ArchivedFriends } from '../features/friends/archivedFriends'
import { Buckets } from '../features/friends/buckets'
import { EnterCode } from '../features/friends/enterCode'
import { FriendList } from '../features/friends/friendList'
import { FriendPage } from '../features/friends/friendPage'
import { Invitations } from '../features/friends/invitations'
import { InviteSheet } from '../features/friends/inviteSheet'
import { Links } from '../features/friends/links'
import { useFriends } from '../features/friends/useFriends'
import { Notifications } from '../features/push/notificationsCard'
import { sharingStrings, strings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { LoadProblem } from '../ui/loadProblem'
import { Page, Skeleton } from '../ui/page'

export { Invitation } from '../features/friends/invitation'

/** Friends, or the page of the one in the address. */
export function Friends() {
  const id = 'id' in route.value ? route.value.id : ''
  return id === '' ? <AllFriends /> : <FriendPage id={id} />
}

interface Inviting {
  readonly findShare?: (buckets: readonly Bucket[]) => Share
}

/** Friends, invitations, privacy buckets and links. */
function AllFriends() {
  const { friends, problem, reload } = useFriends()
  const invitations = useQuery(api.invitations.list, 'friends')
  const [inviting, setInviting] = useState<Inviting | null>(null)
  return (
    <Page
      title={strings.friends}
      actions={
        <button
          type="button"
          class="main"
          aria-disabled={isOffline.value}
          onClick={() => isOffline.value || setInviting({})}
        >
          <Icon name="plus" />
          {sharingStrings.invite}
        </button>
      }
    >
      <p class="quiet">{sharingStrings.about}</p>
      {(problem || invitations.problem) !== '' && (
        <LoadProblem
          text={problem || invitations.problem}
          onRetry={() => {
            reload()
            invitations.reload()
          }}
        />
      )}
      {friends === null ? (
        problem === '' && <Skeleton blocks={['card']} />
      ) : friends.length === 0 ? (
        <p>{sharingStrings.none}</p>
      ) : (
        <FriendList friends={friends} reload={reload} />
      )}
      {friends?.some(({ notify_me }) => notify_me) && <Notifications isOffer />}
      <Invitations open={invitations} />
      <EnterCode />
      <ArchivedFriends onInvite={(findShare) => setInviting({ findShare })} />
      <Buckets />
      <Links />
      {inviting && (
        <InviteSheet
          {...inviting}
          onClose={() => setInviting(null)}
          onCreated={invitations.reload}
        />
      )}
    </Page>
  )
}
