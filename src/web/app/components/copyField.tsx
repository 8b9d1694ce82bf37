import { useEffect, useRef, useState } from 'preact/hooks'
import { copyText } from '../copy'
import { strings } from '../strings'

interface Props {
  label: string
  value: string
  /** Shown below the field. */
  hint: string
}

/** Read-only value with buttons to copy and share it. Focused when it appears. */
export function CopyField({ label, value, hint }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
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
      <label for="copied">{label}</label>
      <input
        ref={field}
        id="copied"
        readOnly
        value={value}
        aria-describedby="copy-hint"
        onFocus={(event) => event.currentTarget.select()}
      />
      <p id="copy-hint" class="quiet small">
        {hint}
      </p>
      <div class="row">
        <button type="button" class="main" onClick={copy}>
          {strings.copy}
        </button>
        {'share' in navigator && (
          <button type="button" onClick={share}>
            {strings.share}
          </button>
        )}
        {/* Not a toast: the page of a new system has none. */}
        <p role="status">{copied === value && strings.copied}</p>
      </div>
    </div>
  )
}
