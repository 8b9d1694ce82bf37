import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { strings } from '../strings'
import { Icon } from './icon'

interface Props {
  heading: string
  onClose: () => void
  children: ComponentChildren
}

/** A dialog. Escape closes it, and the focus goes back to where it came from. */
export function Sheet({ heading, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const from = document.activeElement
    dialog.current?.showModal()
    title.current?.focus()
    return () => {
      if (from instanceof HTMLElement) from.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onClose={onClose}>
      <div class="inside">
        <header class="heading">
          <h2 id="sheet-title" ref={title} tabIndex={-1}>
            {heading}
          </h2>
          <button type="button" class="round" aria-label={strings.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
