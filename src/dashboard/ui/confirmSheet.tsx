import { strings } from '../texts/texts'
import { Sheet } from './sheet'

interface Props {
  heading: string
  effect: string
  /** Text of the button that confirms. */
  action: string
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmSheet({ heading, effect, action, onConfirm, onClose }: Props) {
  const confirm = () => {
    onClose()
    onConfirm()
  }
  return (
    <Sheet heading={heading} onClose={onClose}>
      <p>{effect}</p>
      <button type="button" class="danger" onClick={confirm}>
        {action}
      </button>
      <button type="button" onClick={onClose}>
        {strings.cancel}
      </button>
    </Sheet>
  )
}
