import type { RefObject } from 'preact'
import { strings } from '../texts/texts'
import { Icon } from './icon'

interface Props {
  value: string
  onChange: (value: string) => void
  field?: RefObject<HTMLInputElement | null>
  hint?: string
}

export function Search({ value, onChange, field, hint = strings.searchHint }: Props) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        {...(field && { ref: field })}
        type="search"
        autocomplete="off"
        spellcheck={false}
        aria-label={strings.search}
        placeholder={hint}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
