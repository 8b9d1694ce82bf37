import { choice } from '../drafts'
import { isAway, nameOf } from '../store'
import { listNames, words } from '../words'
import { Icon } from './icon'

interface Props {
  /** Who is here, or was at the moment that was chosen. */
  standing: readonly string[]
  problem: string
  onSwitch: (ids: readonly string[]) => void
  onClear: () => void
}

/** Comes with the first choice; more faces can be added while it is there. */
export function ActionBar({ standing, problem, onSwitch, onClear }: Props) {
  const chosen = choice.value
  if (chosen.length === 0) return null
  const joining = chosen.filter((id) => !standing.includes(id))
  const reason = isAway.value ? words.notConnected : problem
  return (
    <section class="action-bar" aria-label={words.actions}>
      <p id="action-problem" class="problem" role="alert">
        {reason}
      </p>
      <button
        type="button"
        class="main"
        aria-disabled={isAway.value}
        aria-describedby="action-problem"
        onClick={() => onSwitch(chosen)}
      >
        <Icon name="swap" />
        {words.switchTo(listNames(chosen.map(nameOf)))}
      </button>
      {standing.length > 0 && joining.length > 0 && (
        <button
          type="button"
          aria-disabled={isAway.value}
          aria-describedby="action-problem"
          onClick={() => onSwitch([...standing, ...joining])}
        >
          <Icon name="plus" />
          {words.join(listNames(standing.map(nameOf)))}
        </button>
      )}
      <button type="button" class="round clear" aria-label={words.clearChoice} onClick={onClear}>
        <Icon name="close" />
      </button>
    </section>
  )
}
