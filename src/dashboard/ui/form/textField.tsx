import type { ComponentChildren, JSX } from 'preact'
import { ProblemText } from '../problemText'

interface FormProps {
  class?: string
  onSubmit: (event: Event) => void
  children: ComponentChildren
}

/** Form whose problems are shown by its fields instead of the browser. */
export function Form(props: FormProps) {
  return <form noValidate {...props} />
}

/** Value of a field, and what is wrong with it. */
export interface FieldState {
  /** Part of the IDs of the elements, unique in the page. */
  name: string
  value: string
  problem?: string
  onChange: (value: string) => void
}

/** Attributes of the input of a field. */
export function inputAttributes({ name, value, problem = '', onChange }: FieldState) {
  return {
    id: `field-${name}`,
    dir: 'auto' as const,
    autocomplete: 'off',
    value,
    'aria-invalid': problem !== '',
    'aria-describedby': `hint-${name} problem-${name}`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value),
  }
}

export interface Described {
  label: ComponentChildren
  hint?: ComponentChildren
}

interface FieldProps extends Described {
  name: string
  problem?: string | undefined
  children: ComponentChildren
}

/** Label, input, hint and problem of a value. */
export function Field({ name, label, hint, problem = '', children }: FieldProps) {
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      {children}
      {hint && (
        <p id={`hint-${name}`} class="quiet small">
          {hint}
        </p>
      )}
      <ProblemText id={`problem-${name}`} text={problem} />
    </div>
  )
}

interface TextFieldProps extends FieldState, Described {
  /** Attributes that differ from those of most inputs. */
  input?: JSX.IntrinsicElements['input']
  /** Content between the input and its hint. */
  children?: ComponentChildren
}

/** Text of one line, or another input of the browser. */
export function TextField(props: TextFieldProps) {
  const { name, label, hint, problem, input, children } = props
  return (
    <Field name={name} label={label} hint={hint} problem={problem}>
      <input {...inputAttributes(props)} {...input} />
      {children}
    </Field>
  )
}
