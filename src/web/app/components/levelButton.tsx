import type { Level } from '../../../model/entity'
import { announce } from '../actions'
import { privacyStrings } from '../strings'
import { Icon } from './icon'

interface Props {
  /** Name of the hidden value, such as "Birthday". */
  label: string
  level: Level
  onChange: (level: Level) => void
  /** Set while the server is unreachable; `onChange` then only tells so. */
  isOff?: boolean
}

/** Switch for a privacy level; on means public. */
export function LevelButton({ label, level, onChange, isOff = false }: Props) {
  const isPublic = level === 'public'
  const turn = () => {
    const next = isPublic ? 'private' : 'public'
    onChange(next)
    if (!isOff) announce(privacyStrings.levelOf(label, privacyStrings[next]))
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
      <span class="unseen">{privacyStrings.levelOf(label, privacyStrings[level])}</span>
      <span aria-hidden="true">{privacyStrings[level]}</span>
    </button>
  )
}
