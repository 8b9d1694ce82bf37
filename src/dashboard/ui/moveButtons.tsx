import { isOffline } from '../core/store'
import { editStrings } from '../texts/texts'
import { Icon } from './icon'

interface Props {
  /** Makes the IDs of the buttons, by which the pressed one keeps the focus. */
  id: string
  name: string
  isFirst: boolean
  isLast: boolean
  onMove: (step: -1 | 1, pressed: string) => void
}

/** Buttons that move an item of an ordered list up and down. */
export function MoveButtons({ id, name, isFirst, isLast, onMove }: Props) {
  const buttons = [
    ['up', -1, isFirst],
    ['down', 1, isLast],
  ] as const
  return (
    <div class="row">
      {buttons.map(([direction, step, isEnd]) => (
        <button
          key={direction}
          id={`${direction}-${id}`}
          type="button"
          class="round"
          aria-label={editStrings[direction](name)}
          aria-disabled={isEnd || isOffline.value}
          onClick={() => isEnd || isOffline.value || onMove(step, `${direction}-${id}`)}
        >
          <Icon name={direction} />
        </button>
      ))}
    </div>
  )
}
