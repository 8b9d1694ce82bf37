import { editStrings } from '../../texts/texts'

interface Props {
  id?: string
  'aria-label'?: string
  'aria-describedby': string
  'aria-invalid': boolean
  /** Six hex digits, or what was typed. */
  value: string
  onChange: (value: string) => void
}

/** Colour as hex digits, with a palette. */
export function ColorInput({ value, onChange, ...attributes }: Props) {
  return (
    <div class="color-field">
      <input
        type="color"
        aria-label={editStrings.palette}
        value={/^[0-9a-f]{6}$/i.test(value) ? `#${value}` : '#888888'}
        onInput={(event) => onChange(event.currentTarget.value.slice(1))}
      />
      <input
        {...attributes}
        value={value}
        dir="ltr"
        autocomplete="off"
        spellcheck={false}
        placeholder={editStrings.noColour}
        onInput={(event) => onChange(event.currentTarget.value.trim().replace(/^#/, ''))}
      />
    </div>
  )
}
