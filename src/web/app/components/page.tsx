import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { system } from '../store'
import { strings } from '../strings'

interface Props {
  /** What the place is called, in the title of the window. */
  place: string
  heading?: string
  /** Said as a greeting rather than as a title. */
  isQuiet?: boolean
  beside?: ComponentChildren
  /** Puts the heading where the page wants it. */
  around?: (heading: ComponentChildren) => ComponentChildren
  children: ComponentChildren
}

/** A place: whoever comes here hears its heading first. */
export function Page({ place, heading = place, isQuiet = false, beside, around, children }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  const name = system.value?.name ?? strings.title
  // Before anything is painted, so that the focus is never nowhere.
  useLayoutEffect(() => {
    title.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  useLayoutEffect(() => {
    document.title = `${place} · ${name}`
  }, [place, name])
  const shown = (
    <h1 ref={title} tabIndex={-1} class={isQuiet ? 'greeting' : ''}>
      <bdi>{heading}</bdi>
    </h1>
  )
  return (
    <main id="page" class="page">
      <header class={around ? '' : 'heading'}>
        {around ? around(shown) : shown}
        {beside}
      </header>
      {children}
    </main>
  )
}

const SKELETON_AFTER_MS = 5000

/** Quiet blocks of about the size of what comes. */
export function Skeleton({ blocks }: { blocks: readonly string[] }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="waiting" aria-busy="true">
      <p role="status">{isLong ? strings.waiting : ''}</p>
      {blocks.map((kind, at) => (
        <div key={`${kind}${at}`} class={`block block-${kind}`} />
      ))}
    </div>
  )
}
