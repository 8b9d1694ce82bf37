import { useState } from 'preact/hooks'
import { api } from '../../api/resources'
import type { Bucket, CreatedInvitation, Share } from '../../api/types'
import { announce } from '../../core/actions'
import { sharingStrings } from '../../texts/texts'
import { CopyField } from '../../ui/copyField'
import { Form } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { explainWith, useBuckets } from './friends'
import { FriendNameField } from './nameField'
import { ShareFields } from './shareFields'
import { useShareForm } from './shareForm'

interface Props {
  /** Share to begin with; without it the default. */
  findShare?: (buckets: readonly Bucket[]) => Share
  onClose: () => void
  onCreated: () => void
}

/** Creates an invitation, and then shows its link and code, which are never shown again. */
export function InviteSheet({ findShare, onClose, onCreated }: Props) {
  const buckets = useBuckets()
  const [created, setCreated] = useState<CreatedInvitation | null>(null)
  const { form, share, changeShare } = useShareForm(buckets, {
    findShare,
    explain: explainWith(sharingStrings.inviteLimit),
    async save(body) {
      setCreated(await api.invitations.create(body))
      announce(sharingStrings.isInvited)
      onCreated()
    },
  })
  if (created) return <CreatedSheet created={created} onClose={onClose} />
  return (
    <Sheet heading={sharingStrings.invite} isChanged={form.isChanged} onClose={onClose}>
      <Form onSubmit={form.onSubmit}>
        <p class="quiet">{sharingStrings.inviteMore}</p>
        <FriendNameField hint={sharingStrings.inviteForMore} {...form.field('name')} />
        <h3>{sharingStrings.youShow}</h3>
        <ShareFields buckets={buckets} share={share} onChange={changeShare} />
        <ProblemText text={form.problem} />
        <SubmitButton isBusy={form.isBusy} isBlocked={buckets.data === null}>
          {sharingStrings.createInvite}
        </SubmitButton>
      </Form>
    </Sheet>
  )
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
