import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { system } from '../core/store'
import { strings } from '../texts/texts'

interface Props {
  /** Page name in the window title. */
  title: string
  heading?: string
  /** Styles the heading as a greeting. */
  isQuiet?: boolean
  actions?: ComponentChildren
  /** Wraps the heading, for pages that have their own header. */
  header?: (heading: ComponentChildren) => ComponentChildren
  children: ComponentChildren
}

/** Page layout. The heading gets the focus, so that screen readers announce it first. */
export function Page({
  title,
  heading = title,
  isQuiet = false,
  actions,
  header,
  children,
}: Props) {
  const headingRef = useRef<HTMLHeadingElement>(null)
  const name = system.value?.name ?? strings.title
  // Before paint, so that the focus is never lost.
  useLayoutEffect(() => {
    headingRef.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  useLayoutEffect(() => {
    document.title = `${title} · ${name}`
  }, [title, name])
  const shown = (
    <h1 ref={headingRef} tabIndex={-1} class={isQuiet ? 'greeting' : ''}>
      <bdi>{heading}</bdi>
    </h1>
  )
  return (
    <main id="page" class="page">
      <header class={header ? '' : 'heading'}>
        {header ? header(shown) : shown}
        {actions}
      </header>
      {children}
    </main>
  )
}

const SKELETON_AFTER_MS = 5000

/** Placeholder blocks of about the size of the content. */
export function Skeleton({ blocks }: { blocks: readonly string[] }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="waiting" aria-busy="true">
      <p role="status">{isLong ? strings.stillLoading : ''}</p>
      {blocks.map((kind, index) => (
        <div key={`${kind}${index}`} class={`block block-${kind}`} />
      ))}
    </div>
  )
}
