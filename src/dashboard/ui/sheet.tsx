import { signal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { announcement } from '../core/actions'
import { openSheetEntry } from '../core/historyEntries'
import { strings } from '../texts/texts'
import { Icon } from './icon'
import { Toaster } from './toaster'

/** Open sheets, the top one last. It shows the toast, because everything outside it is inert. */
export const openSheets = signal<readonly symbol[]>([])

interface Props {
  heading: string
  onClose: () => void
  /** Gets the focus in place of the heading. */
  field?: RefObject<HTMLElement | null>
  /** Asks before unsaved changes are dropped. */
  isChanged?: boolean
  children: ComponentChildren
}

/**
 * Modal dialog. Escape and the browser's Back close it, and the focus returns to the element that
 * had it.
 */
export function Sheet({ heading, onClose, isChanged = false, field, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const [isAsking, setAsking] = useState(false)
  const latest = useRef({ isChanged, onClose })
  latest.current = { isChanged, onClose }
  const [id] = useState(() => Symbol())
  const [earlierAnnouncement] = useState(announcement.peek())
  useEffect(() => {
    openSheets.value = [...openSheets.value, id]
    const focused = document.activeElement
    dialog.current?.showModal()
    let removeEntry = openSheetEntry(goBack)
    function goBack() {
      if (!latest.current.isChanged) return latest.current.onClose()
      removeEntry = openSheetEntry(goBack)
      setAsking((wasAsking) => !wasAsking)
    }
    return () => {
      openSheets.value = openSheets.value.filter((other) => other !== id)
      removeEntry()
      if (focused instanceof HTMLElement) focused.focus()
    }
  }, [])
  useEffect(() => ((!isAsking && field?.current) || title.current)?.focus(), [isAsking])
  const close = () => (isChanged ? setAsking(true) : onClose())
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={isAsking ? strings.leaveAsk : heading}
      onCancel={(event) => {
        if (!isChanged) return
        event.preventDefault()
        setAsking(!isAsking)
      }}
      onClose={() => {
        if (!isChanged) return onClose()
        // Browsers close a dialog at the second Escape, whatever its page says.
        dialog.current?.showModal()
        setAsking(!isAsking)
      }}
    >
      {isAsking && (
        <div class="inside">
          <h2 ref={title} tabIndex={-1}>
            {strings.leaveAsk}
          </h2>
          <p>{strings.leaveEffect}</p>
          <button type="button" class="main" onClick={() => setAsking(false)}>
            {strings.stay}
          </button>
          <button type="button" class="danger" onClick={onClose}>
            {strings.leave}
          </button>
        </div>
      )}
      <div class="inside" hidden={isAsking}>
        <header class="heading">
          <h2 ref={isAsking ? null : title} tabIndex={-1}>
            <bdi>{heading}</bdi>
          </h2>
          <button type="button" class="round" aria-label={strings.close} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
      {openSheets.value.at(-1) === id && <Toaster />}
      <div role="status" class="unseen">
        {announcement.value !== earlierAnnouncement && announcement.value}
      </div>
    </dialog>
  )
}
