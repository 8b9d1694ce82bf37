import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { memberExt } from '../../../model/members/memberExt'
import { archiveMember, restoreMember } from '../../actions/memberActions'
import { isArchived, type Member } from '../../api/types'
import { formatter } from '../../core/appearance'
import { problemsOf } from '../../core/form'
import { front, isOffline, nameOf } from '../../core/store'
import { memberExtStrings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { useLocalForm } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'

/** Archives a member, or restores an archived one. Asks first while the member fronts. */
export function ArchiveMember({ member }: { member: Member }) {
  const [isAsking, setAsking] = useState(false)
  const isHere = front.value?.members.includes(member.id) ?? false
  const archive = (reason: string) => archiveMember(member, reason.trim() || null)
  const form = useLocalForm({
    values: { archived_reason: '' },
    check: (values) => problemsOf(memberExt, { values }),
    async save({ archived_reason }) {
      if (isArchived(member)) await restoreMember(member)
      else if (isHere) setAsking(true)
      else await archive(archived_reason)
    },
  })
  const { problem, isBusy } = form
  return (
    <section class="card" aria-labelledby="archive">
      <h2 id="archive">{memberExtStrings.archiveHeading}</h2>
      <Form onSubmit={form.onSubmit}>
        {isArchived(member) ? (
          <ArchivedNote member={member} />
        ) : (
          <>
            <p class="quiet">{memberExtStrings.archiveEffect}</p>
            <TextField {...form.field('archived_reason')} label={memberExtStrings.reason} />
          </>
        )}
        <ProblemText text={problem} />
        <button type="submit" aria-disabled={isOffline.value} aria-busy={isBusy || undefined}>
          {isArchived(member) ? memberExtStrings.restore : memberExtStrings.archive}
        </button>
      </Form>
      {isAsking && (
        <ConfirmSheet
          heading={memberExtStrings.archiveAsk(nameOf(member.id))}
          effect={memberExtStrings.archiveWhileHere(nameOf(member.id))}
          action={memberExtStrings.archive}
          onConfirm={() => form.run(() => archive(form.values.archived_reason))}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  )
}

/** When and why a member was archived. */
export function ArchivedNote({ member: { ext } }: { member: Member }) {
  const at = parseInstant(ext?.archived_at ?? '')
  return (
    <>
      {at !== null && <p>{memberExtStrings.archivedOn(formatter.value.date(at))}</p>}
      {ext?.archived_reason && (
        <p>
          <bdi>{ext.archived_reason}</bdi>
        </p>
      )}
    </>
  )
}
