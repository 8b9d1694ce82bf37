import type { Entity, Level } from '../../../model/core/entity'
import { privacyStrings, sharingStrings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { countPrivate } from './redact'

export type ViewMode = 'ours' | 'strangers' | 'friends'

interface Props {
  mode: ViewMode
  onChange: (mode: ViewMode) => void
  /** Offers the view of a friend, too. */
  hasFriends?: boolean
  entity: Entity
  of: {
    readonly id: string
    readonly uuid: string
    readonly privacy: Readonly<Record<string, Level>> | null
  }
}

/** Switches between the owner's and the public view, and counts the private levels. */
export function ViewModeToggle({ mode, onChange, hasFriends = false, entity, of }: Props) {
  const modes: readonly ViewMode[] = hasFriends
    ? ['ours', 'friends', 'strangers']
    : ['ours', 'strangers']
  return (
    <div class="lens">
      <fieldset class="halves" aria-label={privacyStrings.eyes}>
        {modes.map((option) => (
          <button
            key={option}
            type="button"
            aria-pressed={mode === option}
            onClick={() => onChange(option)}
          >
            {option !== 'ours' && <Icon name="eye" />}
            {option === 'friends' ? sharingStrings.friendsView : privacyStrings[option]}
          </button>
        ))}
      </fieldset>
      {mode !== 'friends' && (
        <p class="quiet">
          <Icon name="lock" />
          {privacyStrings.arePrivate(countPrivate(entity, of), entity.levels.length)}
        </p>
      )}
    </div>
  )
}
