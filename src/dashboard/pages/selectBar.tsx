import { useState } from 'preact/hooks'
import type { Member } from '../api/types'
import { announce } from '../core/actions'
import { isOffline, offlineReason } from '../core/store'
import { bulkStrings, listStrings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { ProblemText } from '../ui/problemText'
import { type BulkAction, BulkEditSheet } from './bulkEditSheet'

interface Props {
  chosen: readonly Member[]
  /** Members that match the current filter. */
  members: readonly Member[]
  onChoose: (some: readonly Member[]) => void
  onDone: () => void
}

export function SelectBar({ chosen, members, onChoose, onDone }: Props) {
  const [action, setAction] = useState<BulkAction | null>(null)
  const count = bulkStrings.selected(chosen.length)
  const reason = isOffline.value ? offlineReason() : ''
  const isOff = isOffline.value || chosen.length === 0
  const startAction = (kind: BulkAction) => {
    if (chosen.length === 0) return announce(bulkStrings.nobodySelected)
    if (!isOffline.value) setAction(kind)
  }
  const hasAll = chosen.length > 0 && chosen.length >= members.length
  return (
    <section class="action-bar selecting" aria-label={count}>
      <div class="heading">
        <p role="status">{count}</p>
        <button
          type="button"
          class="plain"
          aria-label={hasAll ? bulkStrings.selectNone : bulkStrings.selectAll(members.length)}
          onClick={() => onChoose(hasAll ? [] : members)}
        >
          {hasAll ? bulkStrings.none : bulkStrings.all(members.length)}
        </button>
        <button type="button" class="round" aria-label={listStrings.done} onClick={onDone}>
          <Icon name="close" />
        </button>
      </div>
      <ProblemText text={reason} />
      <div class="row">
        {(['privacy', 'groups', 'delete'] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            class={kind === 'delete' ? 'danger' : ''}
            aria-disabled={isOff}
            onClick={() => startAction(kind)}
          >
            {bulkStrings[kind]}
          </button>
        ))}
      </div>
      {action && (
        <BulkEditSheet
          action={action}
          chosen={chosen}
          onClose={() => setAction(null)}
          onDone={() => {
            setAction(null)
            onDone()
          }}
        />
      )}
    </section>
  )
}
