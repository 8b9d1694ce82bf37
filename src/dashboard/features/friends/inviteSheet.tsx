import { useState } from 'preact/hooks'
import { api } from '../../api/resources'
import type { Bucket, CreatedInvitation, Share } from '../../api/types'
import { announce } from '../../core/actions'
import { useAction } from '../../core/useAction'
import { sharingStrings } from '../../texts/texts'
import { CopyField } from '../../ui/copyField'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { defaultBuckets, defaultShare, explainWith, useBuckets } from './friends'
import { FriendNameField } from './nameField'
import { ShareFields } from './shareFields'

interface Props {
  /** Share to begin with; without it the default. */
  findShare?: (buckets: readonly Bucket[]) => Share
  onClose: () => void
  onCreated: () => void
}

/** Creates an invitation, and then shows its link and code, which are never shown again. */
export function InviteSheet({ findShare, onClose, onCreated }: Props) {
  const buckets = useBuckets()
  const { data } = buckets
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Partial<Share>>({})
  const [created, setCreated] = useState<CreatedInvitation | null>(null)
  const { onSubmit, problem, isBusy } = useAction({
    explain: explainWith(sharingStrings.inviteLimit),
  })
  const share = { ...initialShare(data ?? [], findShare), ...chosen }
  const create = async () => {
    // The server creates the first buckets, and puts the friend in one of them.
    const { buckets: _, ...flags } = share
    const body = {
      ...(name.trim() !== '' && { name: name.trim() }),
      share: data?.length ? share : flags,
    }
    setCreated(await api.invitations.create(body))
    announce(sharingStrings.isInvited)
    onCreated()
  }
  if (created) return <CreatedSheet created={created} onClose={onClose} />
  return (
    <Sheet
      heading={sharingStrings.invite}
      isChanged={name !== '' || Object.keys(chosen).length > 0}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(create)} noValidate>
        <p class="quiet">{sharingStrings.inviteMore}</p>
        <FriendNameField hint={sharingStrings.inviteForMore} value={name} onChange={setName} />
        <h3>{sharingStrings.youShow}</h3>
        <ShareFields
          buckets={buckets}
          share={share}
          onChange={(patch) => setChosen({ ...chosen, ...patch })}
        />
        <ProblemText text={problem} />
        <SubmitButton isBusy={isBusy} isBlocked={data === null}>
          {sharingStrings.createInvite}
        </SubmitButton>
      </form>
    </Sheet>
  )
}

/** Returns the share that a form begins with, when the buckets are known. */
export function initialShare(buckets: readonly Bucket[], find?: Props['findShare']): Share {
  return find?.(buckets) ?? { ...defaultShare, buckets: defaultBuckets(buckets) }
}

function CreatedSheet({ created, onClose }: { created: CreatedInvitation; onClose: () => void }) {
  const { name, url, code } = created
  return (
    <Sheet
      heading={name ? sharingStrings.invitation(name) : sharingStrings.isInvited}
      onClose={onClose}
    >
      {url !== null && (
        <CopyField label={sharingStrings.link} value={url} hint={sharingStrings.linkOnce} />
      )}
      <CopyField
        id="code"
        label={sharingStrings.code}
        value={code}
        hint={url === null ? sharingStrings.codeOnce : sharingStrings.codeToo}
        isFocused={url === null}
      />
    </Sheet>
  )
}
