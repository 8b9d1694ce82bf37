import type { Entity, Level } from '../../../model/entity'
import { countPrivate } from '../lens'
import { privacyWords } from '../words/privacy'
import { Icon } from './icon'

export type Eyes = 'ours' | 'strangers'

interface Props {
  eyes: Eyes
  onChange: (eyes: Eyes) => void
  entity: Entity
  of: {
    readonly id: string
    readonly uuid: string
    readonly privacy: Readonly<Record<string, Level>> | null
  }
}

/** Ours or a stranger's eyes, and how much a stranger does not see. */
export function Lens({ eyes, onChange, entity, of }: Props) {
  return (
    <div class="lens">
      <fieldset class="halves" aria-label={privacyWords.eyes}>
        {(['ours', 'strangers'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={eyes === one} onClick={() => onChange(one)}>
            {one === 'strangers' && <Icon name="eye" />}
            {privacyWords[one]}
          </button>
        ))}
      </fieldset>
      <p class="quiet">
        <Icon name="lock" />
        {privacyWords.arePrivate(countPrivate(entity, of), entity.levels.length)}
      </p>
    </div>
  )
}
