import type { ComponentChildren } from 'preact'

interface Props<T> {
  legend: string
  isLegendHidden?: boolean
  options: readonly (readonly [value: T, title: string])[]
  value: T
  onChange: (value: T) => void
  isDisabled?: boolean
  /** Class of the fieldset. */
  kind?: string
  /** Button behind the chips that shows more of them. */
  more?: ComponentChildren
  /** Content below the chips. */
  children?: ComponentChildren
}

/** One choice among a few, as a row of buttons. */
export function ChipGroup<T extends string | boolean | undefined>({
  legend,
  isLegendHidden = false,
  options,
  value,
  onChange,
  isDisabled = false,
  kind = 'choice',
  more,
  children,
}: Props<T>) {
  return (
    <fieldset class={kind}>
      <legend class={isLegendHidden ? 'unseen' : ''}>{legend}</legend>
      <div class="chips">
        {options.map(([option, title]) => (
          <button
            key={String(option)}
            type="button"
            class="chip"
            aria-pressed={option === value}
            aria-disabled={isDisabled}
            onClick={() => onChange(option)}
          >
            <bdi>{title}</bdi>
          </button>
        ))}
        {more}
      </div>
      {children}
    </fieldset>
  )
}
