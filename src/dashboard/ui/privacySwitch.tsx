import type { Level } from '../../model/core/entity'
import { announce } from '../core/actions'
import { privacyStrings } from '../texts/texts'
import { Icon } from './icon'

interface Props {
  /** Name of the hidden value, such as "Birthday". */
  label: string
  level: Level
  onChange: (level: Level) => void
  /** Set while the server is unreachable; `onChange` then only announces it. */
  isOff?: boolean
}

/** Switch for a privacy level; on means public. Its label is seen beside it already. */
export function LevelButton({ label, level, onChange, isOff = false }: Props) {
  const isPublic = level === 'public'
  const shown = privacyStrings[level]
  const name = privacyStrings.levelOf(label, shown)
  const index = name.lastIndexOf(shown)
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
      <span class="unseen">{name.slice(0, index)}</span>
      {shown}
      <span class="unseen">{name.slice(index + shown.length)}</span>
    </button>
  )
}
