import type { Level } from '../../../model/entity'
import { announce } from '../actions'
import { privacyStrings } from '../strings/privacy'
import { Icon } from './icon'

interface Props {
  /** What it hides, such as "Birthday". */
  label: string
  level: Level
  onChange: (level: Level) => void
  /** While nothing can be written. */
  isOff?: boolean
}

/** Says whether others may see it, and turns that. On means that they may. */
export function LevelButton({ label, level, onChange, isOff = false }: Props) {
  const isPublic = level === 'public'
  const turn = () => {
    if (isOff) return
    const next = isPublic ? 'private' : 'public'
    onChange(next)
    announce(privacyStrings.levelOf(label, privacyStrings[next]))
  }
  return (
    <button
      type="button"
      role="switch"
      class={`level level-${level}`}
      aria-checked={isPublic}
      aria-disabled={isOff}
      onClick={turn}
    >
      <Icon name={isPublic ? 'eye' : 'lock'} />
      <span class="unseen">{label}: </span>
      {privacyStrings[level]}
    </button>
  )
}
