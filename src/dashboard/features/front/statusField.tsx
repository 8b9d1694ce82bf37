import { useLayoutEffect, useRef } from 'preact/hooks'
import { MAX_STATUS } from '../../../model/front/frontNoteSize'
import type { FronterStatus } from '../../api/types'
import { switchStatus } from '../../core/drafts'
import { frontNoteStrings } from '../../texts/texts'
import { Form, TextField } from '../../ui/form/textField'

interface Props {
  of: FronterStatus
  onEnter: () => void
}

/** Status of the selected member; it is logged with the switch. */
export function StatusField({ of, onEnter }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        onEnter()
      }}
    >
      <TextField
        name="status"
        label={frontNoteStrings.status}
        value={of.status}
        onChange={(status) => {
          switchStatus.value = { ...of, status }
        }}
        input={{ ref: field, maxLength: MAX_STATUS }}
      />
    </Form>
  )
}
