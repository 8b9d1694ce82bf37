import { useEffect, useState } from 'preact/hooks'
import { ApiError, isSessionOver, isUnauthorized, requestOnce } from '../../api/client'
import { api, previewInvitationPath } from '../../api/resources'
import type { FriendSystem, ShareFlags } from '../../api/types'
import { showToast } from '../../core/actions'
import { decode } from '../../core/address'
import { goTo, invitation, route } from '../../core/route'
import { isOffline } from '../../core/store'
import { sharingStrings, strings } from '../../texts/texts'
import { Form } from '../../ui/form/textField'
import { LoadProblem } from '../../ui/loadProblem'
import { Page, Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { SubmitButton } from '../../ui/submitButton'
import { BackToFriends } from './friendPage'
import { explainWith, isOver, useBuckets } from './friends'
import { FriendNameField } from './nameField'
import { ShareFields } from './shareFields'
import { useShareForm } from './shareForm'

interface Preview {
  readonly system: Pick<FriendSystem, 'name' | 'avatar_url' | 'color'>
  readonly share: ShareFlags
}

type State =
  | { is: 'loading' }
  | { is: 'open'; preview: Preview }
  | { is: 'failed'; why: string }
  /** Used, withdrawn, expired or wrong. */
  | { is: 'over' }

/** Invitation whose code is in the address: what they show, what we show, *Accept*. */
export function Invitation() {
  const code = 'id' in route.value ? decode(route.value.id) : ''
  const [state, setState] = useState<State>({ is: 'loading' })
  const load = () => {
    setState({ is: 'loading' })
    // Not repeated after a 429: a wrong code stays wrong.
    requestOnce<Preview>(previewInvitationPath, { method: 'POST', body: { code } }).then(
      (preview) => preview && setState({ is: 'open', preview }),
      (cause) => {
        if (isUnauthorized(cause)) isSessionOver.value = true
        setState(isOver(cause) ? { is: 'over' } : { is: 'failed', why: explain(cause) })
      },
    )
  }
  useEffect(() => {
    invitation.value = ''
    if (!isOffline.value) load()
  }, [isOffline.value])
  if (state.is === 'open') return <Answer code={code} preview={state.preview} />
  return (
    <Page title={strings.friends} actions={<BackToFriends />}>
      {state.is === 'loading' && <Skeleton blocks={['card']} />}
      {state.is === 'failed' && <LoadProblem text={state.why} onRetry={load} />}
      {state.is === 'over' && (
        <p role="alert">
          {sharingStrings.inviteIsOver} {sharingStrings.askAgain}
        </p>
      )}
    </Page>
  )
}

function Answer({ code, preview }: { code: string; preview: Preview }) {
  const buckets = useBuckets()
  const theirName = preview.system.name ?? sharingStrings.aSystem
  const { form, share, changeShare } = useShareForm(buckets, {
    explain,
    async save(body) {
      const friend = await api.friends.create({ code, ...body })
      showToast({ text: sharingStrings.areFriends(theirName) })
      goTo(friend ? `#/friends/${friend.id}` : '#/friends')
    },
  })
  return (
    <Page title={sharingStrings.invites(theirName)} actions={<BackToFriends />}>
      <section class="card">
        <h2>{sharingStrings.theyShow}</h2>
        <ul class="bullets">
          {describeShare(preview.share).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </section>
      <Form class="card" onSubmit={form.onSubmit}>
        <h2>{sharingStrings.youShow}</h2>
        <ShareFields buckets={buckets} share={share} onChange={changeShare} />
        <FriendNameField
          hint={sharingStrings.ownNameMore}
          placeholder={preview.system.name ?? ''}
          {...form.field('name')}
        />
        <ProblemText text={form.problem} />
        <SubmitButton isBusy={form.isBusy} isBlocked={buckets.data === null}>
          {sharingStrings.accept}
        </SubmitButton>
      </Form>
    </Page>
  )
}

function describeShare({ see_front, see_members, announce }: ShareFlags): string[] {
  const { front, members, announce: notification, nothing } = sharingStrings.shows
  const shown = [
    see_front ? front : '',
    see_members ? members : '',
    see_front && announce ? notification : '',
  ].filter((text) => text !== '')
  return shown.length === 0 ? [nothing] : shown
}

function explain(cause: unknown): string {
  if (cause instanceof ApiError) {
    if (cause.status === 429) return strings.tooMany
    if (cause.status === 409) return sharingStrings.areAlready
    if (cause.status === 400 && cause.code === 0) return sharingStrings.isOwn
  }
  return explainWith(sharingStrings.friendLimit)(cause)
}
