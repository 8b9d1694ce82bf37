import type { ComponentChildren } from 'preact'

interface Props {
  id: string
  label: ComponentChildren
  hint: ComponentChildren
  value: boolean
  isSwitch?: boolean
  onChange: (value: boolean) => void
}

/** Checkbox with an explanation. */
export function CheckField({ id, label, hint, value, isSwitch = false, onChange }: Props) {
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        role={isSwitch ? 'switch' : undefined}
        checked={value}
        aria-describedby={`${id}-more`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        <div id={`${id}-more`} class="quiet small">
          {hint}
        </div>
      </div>
    </div>
  )
}
