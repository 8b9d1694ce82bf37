import { useState } from 'preact/hooks'
import { ArchivedFriends } from '../components/friends/archivedFriends'
import { Buckets } from '../components/friends/buckets'
import { EnterCode } from '../components/friends/enterCode'
import { FriendList } from '../components/friends/friendList'
import { FriendPage } from '../components/friends/friendPage'
import { Invitations } from '../components/friends/invitations'
import { InviteSheet } from '../components/friends/inviteSheet'
import { Links } from '../components/friends/links'
import { Icon } from '../components/icon'
import { LoadProblem } from '../components/loadProblem'
import { Notifications } from '../components/notifications'
import { Page, Skeleton } from '../components/page'
import { type Bucket, INVITES_PATH, type Invitation as Invite, type Share } from '../friends'
import { route } from '../route'
import { isOffline } from '../store'
import { sharingStrings, strings } from '../strings'
import { useFriends } from '../useFriends'
import { useOwn } from '../useOwn'

export { Invitation } from '../components/friends/invitation'

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
  const invitations = useOwn<readonly Invite[]>(INVITES_PATH, 'friends')
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
