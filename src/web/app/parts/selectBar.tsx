import { useState } from 'preact/hooks'
import { say } from '../acts'
import { isAway, type Member, preferences } from '../store'
import { countOf, words } from '../words'
import { listWords } from '../words/members'
import { Icon } from './icon'
import { useLater } from './later'
import type { ManyAct, ManyProps } from './many'

interface Props {
  chosen: readonly Member[]
  /** Those who are listed now. */
  found: readonly Member[]
  onChoose: (some: readonly Member[]) => void
  onDone: () => void
}

/** What can be done with many at once. */
export function SelectBar({ chosen, found, onChoose, onDone }: Props) {
  const [act, setAct] = useState<ManyAct | null>(null)
  const many = listWords.chosen(countOf(chosen.length, preferences.value.word))
  const reason = isAway.value ? words.notConnected : ''
  const isOff = isAway.value || chosen.length === 0
  const begin = (one: ManyAct) => {
    if (chosen.length === 0) return say(listWords.nobodyChosen)
    if (!isAway.value) setAct(one)
  }
  const hasAll = chosen.length > 0 && chosen.length >= found.length
  return (
    <section class="action-bar selecting" aria-label={many}>
      <div class="heading">
        <p role="status">{many}</p>
        <button
          type="button"
          class="plain"
          aria-label={hasAll ? listWords.chooseNone : listWords.chooseAll(found.length)}
          onClick={() => onChoose(hasAll ? [] : found)}
        >
          {hasAll ? listWords.none : listWords.all(found.length)}
        </button>
        <button type="button" class="round" aria-label={listWords.done} onClick={onDone}>
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
            {listWords[one]}
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

const loadMany = async () => (await import('./many')).ManySheet

function Many(props: ManyProps) {
  const Sheet = useLater(loadMany)
  return Sheet && <Sheet {...props} />
}
