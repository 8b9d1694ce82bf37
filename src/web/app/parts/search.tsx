import type { RefObject } from 'preact'
import { words } from '../words'
import { Icon } from './icon'

interface Props {
  value: string
  onChange: (value: string) => void
  field?: RefObject<HTMLInputElement | null>
  hint?: string
}

export function Search({ value, onChange, field, hint = words.searchHint }: Props) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        {...(field && { ref: field })}
        type="search"
        autocomplete="off"
        spellcheck={false}
        aria-label={words.search}
        placeholder={hint}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
