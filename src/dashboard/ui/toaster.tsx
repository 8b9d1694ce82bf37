import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { revertLast } from '../actions/revertLast'
import { toast } from '../core/actions'
import { strings } from '../texts/texts'

const TOAST_MS = 10_000

/** Shows the current toast for a while, and longer while it has the focus or the pointer. */
export function Toaster() {
  const current = toast.value
  const [isHeld, setHeld] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  /** Element that had the focus before Undo. */
  const origin = useRef<HTMLElement | null>(null)
  useEffect(() => {
    if (!current || isHeld) return
    const timer = setTimeout(() => {
      if (toast.value === current) toast.value = null
    }, TOAST_MS)
    return () => clearTimeout(timer)
  }, [current, isHeld])

  // The toast is at the end of the page, so without this Undo would be the last stop of Tab.
  useLayoutEffect(() => {
    origin.current = null
    setHeld(false)
    if (!current?.undo) return
    const goToUndo = (event: KeyboardEvent) => {
      if (event.key !== 'Tab' || event.shiftKey || origin.current || !button.current) return
      const { activeElement } = document
      origin.current = activeElement instanceof HTMLElement ? activeElement : document.body
      if (activeElement === button.current) return
      event.preventDefault()
      event.stopPropagation()
      button.current.focus()
    }
    document.addEventListener('keydown', goToUndo, true)
    return () => document.removeEventListener('keydown', goToUndo, true)
  }, [current])

  const goBack = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || !origin.current?.isConnected) return
    // From there, the browser itself goes to the next stop.
    origin.current.focus()
    if (event.shiftKey) event.preventDefault()
  }
  const revert = () => {
    setHeld(false)
    const heading = document.querySelector<HTMLElement>('h1')
    const target = origin.current?.isConnected ? origin.current : heading
    target?.focus({ preventScroll: true })
    revertLast()
  }

  if (!current) return null
  return (
    <section
      class="toast"
      aria-label={strings.notice}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(document.activeElement === button.current)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
    >
      <p>{current.text}</p>
      {current.undo && (
        <button type="button" ref={button} onKeyDown={goBack} onClick={revert}>
          {strings.undo}
        </button>
      )}
    </section>
  )
}
