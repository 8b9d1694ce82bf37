import type { ComponentChildren, Ref } from 'preact'
import { ColorInput } from './colorInput'
import { type Described, Field, type FieldState, inputAttributes } from './textField'

interface AreaProps extends FieldState, Described {
  rows: number
  field?: Ref<HTMLTextAreaElement>
}

/** Text of several lines. */
export function AreaField(props: AreaProps) {
  const { name, label, hint, problem, rows, field } = props
  return (
    <Field name={name} label={label} hint={hint} problem={problem}>
      <textarea {...inputAttributes(props)} rows={rows} {...(field && { ref: field })} />
    </Field>
  )
}

interface Props extends FieldState {
  label: string
}

/** Colour as hex digits, with a palette. */
export function ColorField(props: Props) {
  const { name, label, problem, onChange } = props
  return (
    <Field name={name} label={label} problem={problem}>
      <ColorInput {...inputAttributes(props)} onChange={onChange} />
    </Field>
  )
}

interface ChoiceProps extends Props {
  options: readonly (readonly [value: string, title: string])[]
  hint?: ComponentChildren
}

/** One choice among several, as a select. */
export function ChoiceField({ options, label, hint, ...field }: ChoiceProps) {
  const { value, onInput, ...attributes } = inputAttributes(field)
  return (
    <Field name={field.name} label={label} hint={hint} problem={field.problem}>
      <select {...attributes} value={value} onChange={onInput}>
        {options.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </Field>
  )
}
