import type { ComponentChildren } from 'preact'

interface Props<T extends string> {
  /** Name of the thing that the tabs belong to, for screen readers. */
  label: string
  options: readonly (readonly [value: T, title: string])[]
  value: T
  onChange: (value: T) => void
  children: ComponentChildren
}

/** Tabs of a page. The arrow keys, Home and End select a tab and move the focus to it. */
export function Tabs<T extends string>({ label, options, value, onChange, children }: Props<T>) {
  const values = options.map(([option]) => option)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = findNext(values.length, values.indexOf(value), event.key)
    const chosen = next === null ? undefined : values.at(next)
    if (chosen === undefined) return
    event.preventDefault()
    document.getElementById(`tab-${chosen}`)?.focus()
    onChange(chosen)
  }
  return (
    <>
      <div class="chips" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {options.map(([option, title]) => (
          <button
            key={option}
            id={`tab-${option}`}
            type="button"
            role="tab"
            class="chip"
            aria-selected={option === value}
            aria-controls="tab-panel"
            tabIndex={option === value ? 0 : -1}
            onClick={() => onChange(option)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id="tab-panel" class="part" role="tabpanel" aria-labelledby={`tab-${value}`}>
        {children}
      </div>
    </>
  )
}

/** Returns the position of the tab that a key selects; null for other keys. */
function findNext(count: number, index: number, key: string): number | null {
  const isReversed = document.documentElement.dir === 'rtl'
  const forward = isReversed ? 'ArrowLeft' : 'ArrowRight'
  const back = isReversed ? 'ArrowRight' : 'ArrowLeft'
  if (key === forward) return (index + 1) % count
  if (key === back) return index - 1
  if (key === 'Home') return 0
  return key === 'End' ? -1 : null
}
