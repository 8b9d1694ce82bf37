import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { memberExt } from '../../../model/members/memberExt'
import { archiveMember, restoreMember } from '../../actions/memberActions'
import { isArchived, type Member } from '../../api/types'
import { formatter } from '../../core/appearance'
import { front, isOffline, nameOf } from '../../core/store'
import { useAction } from '../../core/useAction'
import { memberExtStrings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { ProblemText } from '../../ui/problemText'

/** Archives a member, or restores an archived one. Asks first while the member fronts. */
export function ArchiveMember({ own }: { own: Member }) {
  const [reason, setReason] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { run, onSubmit, problem, isBusy } = useAction()
  const isHere = front.value?.members.includes(own.id) ?? false
  const archive = () => archiveMember(own, reason.trim() || null)
  const submit = () => (isArchived(own) ? restoreMember(own) : isHere ? setAsking(true) : archive())
  return (
    <section class="card" aria-labelledby="archive">
      <h2 id="archive">{memberExtStrings.archiveHeading}</h2>
      <form onSubmit={onSubmit(submit)} noValidate>
        {isArchived(own) ? (
          <ArchivedNote own={own} />
        ) : (
          <>
            <p class="quiet">{memberExtStrings.archiveEffect}</p>
            <label class="field">
              {memberExtStrings.reason}
              <input
                value={reason}
                dir="auto"
                autocomplete="off"
                maxLength={memberExt.fields.archived_reason.max}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </label>
          </>
        )}
        <ProblemText text={problem} />
        <button type="submit" aria-disabled={isOffline.value} aria-busy={isBusy || undefined}>
          {isArchived(own) ? memberExtStrings.restore : memberExtStrings.archive}
        </button>
      </form>
      {isAsking && (
        <ConfirmSheet
          heading={memberExtStrings.archiveAsk(nameOf(own.id))}
          effect={memberExtStrings.archiveWhileHere(nameOf(own.id))}
          action={memberExtStrings.archive}
          onConfirm={() => run(archive)}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  )
}

/** When and why a member was archived. */
export function ArchivedNote({ own: { ext } }: { own: Member }) {
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
