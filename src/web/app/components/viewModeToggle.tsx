import type { Entity, Level } from '../../../model/entity'
import { countPrivate } from '../redact'
import { privacyStrings } from '../strings'
import { Icon } from './icon'

export type ViewMode = 'ours' | 'strangers'

interface Props {
  mode: ViewMode
  onChange: (mode: ViewMode) => void
  entity: Entity
  of: {
    readonly id: string
    readonly uuid: string
    readonly privacy: Readonly<Record<string, Level>> | null
  }
}

/** Switches between the owner's and the public view, and counts the private levels. */
export function ViewModeToggle({ mode, onChange, entity, of }: Props) {
  return (
    <div class="lens">
      <fieldset class="halves" aria-label={privacyStrings.eyes}>
        {(['ours', 'strangers'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={mode === one} onClick={() => onChange(one)}>
            {one === 'strangers' && <Icon name="eye" />}
            {privacyStrings[one]}
          </button>
        ))}
      </fieldset>
      <p class="quiet">
        <Icon name="lock" />
        {privacyStrings.arePrivate(countPrivate(entity, of), entity.levels.length)}
      </p>
    </div>
  )
}
