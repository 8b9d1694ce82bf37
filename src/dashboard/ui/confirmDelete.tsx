import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isOffline } from '../core/store'
import { useAction } from '../core/useAction'
import { strings } from '../texts/texts'
import { Form, TextField } from './form/textField'
import { ProblemText } from './problemText'

interface Props {
  effect: string
  label: string
  /** Text that has to be typed. */
  expected: string
  onDelete: () => Promise<void>
  children?: ComponentChildren
}

/** Confirms a deletion by typing, because it cannot be undone. */
export function ConfirmDelete({ effect, label, expected, onDelete, children }: Props) {
  const [typed, setTyped] = useState('')
  const { onSubmit, problem, isBusy } = useAction()
  const isRight = typed.trim() === expected.trim()
  return (
    <Form onSubmit={onSubmit(() => isRight && onDelete())}>
      <p>{effect}</p>
      {children}
      <ProblemText text={problem} />
      <TextField name="confirmation" label={label} value={typed} onChange={setTyped} />
      <button
        type="submit"
        class="danger"
        aria-disabled={!isRight || isOffline.value}
        aria-busy={isBusy}
      >
        {strings.delete}
      </button>
    </Form>
  )
}
