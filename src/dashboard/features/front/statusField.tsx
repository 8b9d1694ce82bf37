import { useLayoutEffect, useRef } from 'preact/hooks'
import { MAX_STATUS } from '../../../model/front/frontNoteSize'
import type { FronterStatus } from '../../api/types'
import { switchStatus } from '../../core/drafts'
import { frontNoteStrings } from '../../texts/texts'

interface Props {
  of: FronterStatus
  onEnter: () => void
}

/** Status of the selected member; it is logged with the switch. */
export function StatusField({ of, onEnter }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onEnter()
      }}
    >
      <label class="field">
        {frontNoteStrings.status}
        <input
          ref={field}
          value={of.status}
          maxLength={MAX_STATUS}
          dir="auto"
          autocomplete="off"
          onInput={({ currentTarget: { value } }) => {
            switchStatus.value = { ...of, status: value }
          }}
        />
      </label>
    </form>
  )
}
