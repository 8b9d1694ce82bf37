import { useState } from 'preact/hooks'
import { ApiError, errorMessage } from '../../api/client'
import { formatter } from '../../core/appearance'
import { switchDraft } from '../../core/drafts'
import { nameOf } from '../../core/store'
import { now } from '../../lib/clock'
import { isSendable, isUnsent, type QueuedSwitch } from '../../offline/queue'
import { toSwitch } from '../../offline/queueView'
import { discard, discardForeign } from '../../offline/tabQueue'
import { isOfOtherSystem, queue } from '../../offline/tabState'
import { listNames, offlineStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { Sheet } from '../../ui/sheet'
import { draftOf, SwitchSheet } from './switchSheet'

/** Card on Now about switches that wait on this device, with a list of them. */
export function QueueCard() {
  const [isOpen, setOpen] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const isForeign = isOfOtherSystem()
  const foreign = queue.value.filter(isForeign)
  const [isAsking, setAsking] = useState(foreign.length > 0)
  const queueds = queue.value.filter((queued) => !isForeign(queued))
  const waiting = queueds.filter((queued) => isSendable(queued)).length
  const refused = queueds.filter((queued) => isUnsent(queued) && queued.problem !== null).length
  const incomplete = queueds.filter(({ kind }) => kind === 'sent').length
  return (
    <section class="card" aria-label={offlineStrings.reviewHeading}>
      {refused > 0 && <p>{offlineStrings.refused(refused)}</p>}
      {incomplete > 0 && <p>{offlineStrings.incomplete(incomplete)}</p>}
      {waiting > 0 && <p>{offlineStrings.waiting(waiting)}</p>}
      {queueds.length > 0 && (
        <button type="button" onClick={() => setOpen(true)}>
          {offlineStrings.review}
        </button>
      )}
      {foreign.length > 0 && (
        <>
          <p>{offlineStrings.foreign(foreign.length)}</p>
          <button type="button" onClick={() => setAsking(true)}>
            {offlineStrings.discard}
          </button>
        </>
      )}
      {isOpen && (
        <Review queueds={queueds} onClose={() => setOpen(false)} onEdit={() => setEditing(true)} />
      )}
      {foreign.length > 0 && isAsking && (
        <ConfirmSheet
          heading={offlineStrings.foreignAsk}
          effect={offlineStrings.foreign(foreign.length)}
          action={offlineStrings.discard}
          onConfirm={discardForeign}
          onClose={() => setAsking(false)}
        />
      )}
      {isEditing && switchDraft.value && <SwitchSheet draft={switchDraft.value} />}
    </section>
  )
}

interface ReviewProps {
  queueds: readonly QueuedSwitch[]
  onClose: () => void
  onEdit: () => void
}

function Review({ queueds, onClose, onEdit }: ReviewProps) {
  return (
    <Sheet heading={offlineStrings.reviewHeading} onClose={onClose}>
      {queueds.length === 0 && <p>{offlineStrings.nothingLeft}</p>}
      <ul class="things">
        {queueds.map((queued) => (
          <ReviewRow
            key={queued.order}
            queued={queued}
            onEdit={() => {
              onClose()
              onEdit()
            }}
          />
        ))}
      </ul>
    </Sheet>
  )
}

function ReviewRow({ queued, onEdit }: { queued: QueuedSwitch; onEdit: () => void }) {
  const shown = toSwitch(queued)
  const who =
    shown.members.length === 0 ? strings.nobodyShort : listNames(shown.members.map(nameOf))
  // The deletion of a switch that was sent before has no time of its own.
  const time = queued.timestamp === 0 ? '' : formatter.value.moment(queued.timestamp, now.value)
  const isSent = queued.kind === 'sent'
  const canEdit = queued.kind === 'put' && queued.problem !== null
  const edit = () => {
    onEdit()
    switchDraft.value = draftOf(shown)
  }
  return (
    <li>
      <div class="about">
        <bdi class="name">{who}</bdi>
        <div class="quiet small">{time}</div>
        <div class="small">{describe(queued)}</div>
      </div>
      <div class="row">
        {canEdit && (
          <button type="button" aria-label={offlineStrings.editNamed(time, who)} onClick={edit}>
            {offlineStrings.edit}
          </button>
        )}
        {(queued.kind !== 'delete' || queued.problem !== null) && (
          <button
            type="button"
            class={isSent ? '' : 'danger'}
            aria-label={
              isSent ? offlineStrings.okNamed(time, who) : offlineStrings.discardNamed(time, who)
            }
            onClick={() => discard(queued)}
          >
            {isSent ? offlineStrings.ok : offlineStrings.discard}
          </button>
        )}
      </div>
    </li>
  )
}

const MEMBER_CODES = [20003, 30008]

function describe({ kind, problem, leftOut }: QueuedSwitch): string {
  if (kind === 'sent') return offlineStrings.wasSentWithout(leftOut)
  if (problem === null)
    return kind === 'delete' ? offlineStrings.willBeUndone : offlineStrings.willBeSent
  const { status, code, message } = problem
  if (MEMBER_CODES.includes(code)) return offlineStrings.nobodyLeft
  return errorMessage(new ApiError(status, message, 0, {}, code))
}
