import { useEffect, useRef, useState } from 'preact/hooks'
import { copyText } from '../lib/copy'
import { moreStrings } from '../texts/texts'

interface Props {
  label: string
  value: string
  /** Shown below the field. */
  hint: string
  /** Set if there are several on a page. */
  id?: string
  /** Takes the focus when it appears. */
  isFocused?: boolean
}

/** Read-only value with buttons to copy and share it. */
export function CopyField({ label, value, hint, id = 'copied', isFocused = true }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!isFocused) return
    field.current?.focus()
    field.current?.select()
  }, [value])
  const [copied, setCopied] = useState('')
  const copy = async () => {
    if (await copyText(value)) setCopied(value)
  }
  const share = () => navigator.share({ text: value }).catch(() => {})
  return (
    <div class="field copy">
      <label for={id}>{label}</label>
      <input
        ref={field}
        id={id}
        readOnly
        value={value}
        aria-describedby={`${id}-hint`}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p id={`${id}-hint`} class="quiet small">
        {hint}
      </p>
      <div class="row">
        <button type="button" class={isFocused ? 'main' : ''} onClick={copy}>
          {moreStrings.copy}
        </button>
        {'share' in navigator && (
          <button type="button" onClick={share}>
            {moreStrings.share}
          </button>
        )}
        {/* Not a toast: the page of a new system has none. */}
        <p role="status">{copied === value && moreStrings.copied}</p>
      </div>
    </div>
  )
}
