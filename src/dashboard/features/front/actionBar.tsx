import { selection, switchStatus } from '../../core/drafts'
import { canLog, nameOf, offlineReason } from '../../core/store'
import { strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { lazy } from '../../ui/lazy'
import { ProblemText } from '../../ui/problemText'

interface Props {
  /** Fronters now, or at the selected past time. */
  current: readonly string[]
  problem: string
  onSwitch: (ids: readonly string[]) => void
  onClear: () => void
}

const StatusField = lazy(async () => (await import('./nowParts')).StatusField)

/** Shown while members are selected; more can be selected meanwhile. */
export function ActionBar({ current, problem, onSwitch, onClear }: Props) {
  const chosen = selection.value
  if (chosen.length === 0) return null
  const [id = ''] = chosen
  const status = switchStatus.value
  const joining = chosen.filter((id) => !current.includes(id))
  const reason = canLog.value ? problem : offlineReason()
  return (
    <section class="action-bar" aria-label={strings.switch}>
      <ProblemText id="action-problem" text={reason} />
      <button
        type="button"
        class="main"
        aria-disabled={!canLog.value}
        aria-describedby="action-problem"
        onClick={() => onSwitch(chosen)}
      >
        <Icon name="swap" />
        {strings.switchTo(chosen.map(nameOf))}
      </button>
      {current.length > 0 && joining.length > 0 && (
        <button
          type="button"
          aria-disabled={!canLog.value}
          aria-describedby="action-problem"
          onClick={() => onSwitch([...current, ...joining])}
        >
          <Icon name="plus" />
          {strings.addAlongside(current.map(nameOf))}
        </button>
      )}
      {current.length > 1 && joining.length > 0 && (
        <ReplaceRow current={current} joining={joining} onSwitch={onSwitch} />
      )}
      {chosen.length === 1 &&
        joining.length === 1 &&
        (status?.id === id ? (
          <StatusField of={status} onEnter={() => onSwitch(chosen)} />
        ) : (
          <button
            type="button"
            class="plain"
            onClick={() => {
              switchStatus.value = { id, status: '' }
            }}
          >
            {strings.setStatus}
          </button>
        ))}
      <button
        type="button"
        class="round clear"
        aria-label={strings.clearSelection}
        onClick={onClear}
      >
        <Icon name="close" />
      </button>
    </section>
  )
}

interface ReplaceProps extends Pick<Props, 'current' | 'onSwitch'> {
  joining: readonly string[]
}

/** Lets the selected members take the place of one of several fronters, in one switch. */
function ReplaceRow({ current, joining, onSwitch }: ReplaceProps) {
  const names = joining.map(nameOf)
  return (
    <div class="replace">
      <span aria-hidden="true">{strings.insteadOf}</span>
      {current.map((id) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-label={strings.replace(names, nameOf(id))}
          aria-disabled={!canLog.value}
          aria-describedby="action-problem"
          onClick={() =>
            onSwitch(current.flatMap((fronter) => (fronter === id ? joining : fronter)))
          }
        >
          <bdi>{nameOf(id)}</bdi>
        </button>
      ))}
    </div>
  )
}
