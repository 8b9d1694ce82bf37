import type { ComponentChildren } from 'preact'
import { isOffline } from '../core/store'

interface Props {
  isBusy?: boolean
  /** Set while something that the form needs is missing. */
  isBlocked?: boolean
  children: ComponentChildren
}

/** Main button of a form that sends a change. */
export function SubmitButton({ isBusy = false, isBlocked = false, children }: Props) {
  return (
    <button
      type="submit"
      class="main"
      aria-disabled={isOffline.value || isBlocked}
      aria-busy={isBusy || undefined}
    >
      {children}
    </button>
  )
}
