import { useState } from 'preact/hooks'
import { announce } from '../actions'
import { isOffline, type Member, preferences } from '../store'
import { countOf, strings } from '../strings'
import { listStrings } from '../strings/members'
import type { BulkAction, BulkEditProps } from './bulkEditSheet'
import { Icon } from './icon'
import { lazy } from './lazy'

interface Props {
  chosen: readonly Member[]
  /** Those who are listed now. */
  found: readonly Member[]
  onChoose: (some: readonly Member[]) => void
  onDone: () => void
}

/** What can be done with many at once. */
export function SelectBar({ chosen, found, onChoose, onDone }: Props) {
  const [act, setAct] = useState<BulkAction | null>(null)
  const many = listStrings.chosen(countOf(chosen.length, preferences.value.word))
  const reason = isOffline.value ? strings.notConnected : ''
  const isOff = isOffline.value || chosen.length === 0
  const begin = (one: BulkAction) => {
    if (chosen.length === 0) return announce(listStrings.nobodyChosen)
    if (!isOffline.value) setAct(one)
  }
  const hasAll = chosen.length > 0 && chosen.length >= found.length
  return (
    <section class="action-bar selecting" aria-label={many}>
      <div class="heading">
        <p role="status">{many}</p>
        <button
          type="button"
          class="plain"
          aria-label={hasAll ? listStrings.chooseNone : listStrings.chooseAll(found.length)}
          onClick={() => onChoose(hasAll ? [] : found)}
        >
          {hasAll ? listStrings.none : listStrings.all(found.length)}
        </button>
        <button type="button" class="round" aria-label={listStrings.done} onClick={onDone}>
          <Icon name="close" />
        </button>
      </div>
      <p class="problem" role="alert">
        {reason}
      </p>
      <div class="row">
        {(['privacy', 'groups', 'remove'] as const).map((one) => (
          <button
            key={one}
            type="button"
            class={one === 'remove' ? 'danger' : ''}
            aria-disabled={isOff}
            onClick={() => begin(one)}
          >
            {listStrings[one]}
          </button>
        ))}
      </div>
      {act && (
        <Many
          act={act}
          chosen={chosen}
          onClose={() => setAct(null)}
          onDone={() => {
            setAct(null)
            onDone()
          }}
        />
      )}
    </section>
  )
}

const loadMany = async () => (await import('./bulkEditSheet')).BulkEditSheet

function Many(props: BulkEditProps) {
  const Sheet = lazy(loadMany)
  return Sheet && <Sheet {...props} />
}
