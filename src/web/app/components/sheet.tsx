import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { strings } from '../strings'
import { Icon } from './icon'

interface Props {
  heading: string
  onClose: () => void
  children: ComponentChildren
}

/** Modal dialog. Escape closes it, and the focus returns to the element that had it. */
export function Sheet({ heading, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const focused = document.activeElement
    dialog.current?.showModal()
    title.current?.focus()
    return () => {
      if (focused instanceof HTMLElement) focused.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onClose={onClose}>
      <div class="inside">
        <header class="heading">
          <h2 id="sheet-title" ref={title} tabIndex={-1}>
            <bdi>{heading}</bdi>
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
