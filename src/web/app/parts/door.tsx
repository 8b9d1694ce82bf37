import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { words } from '../words'

/** The quiet page of one question. Its heading gets the focus, so that it is what is read first. */
export function Door({ heading, children }: { heading: string; children: ComponentChildren }) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${heading} · ${words.title}`
    title.current?.focus()
  }, [heading])
  return (
    <main class="door">
      <svg class="mark" viewBox="0 0 48 48" aria-hidden="true">
        <circle cx="30" cy="19" r="11" fill="var(--accent)" opacity="0.7" />
        <circle cx="22" cy="34" r="11" fill="var(--accent)" opacity="0.5" />
        <circle cx="17" cy="15" r="13" fill="var(--accent)" />
      </svg>
      <h1 ref={title} tabIndex={-1}>
        {heading}
      </h1>
      {children}
    </main>
  )
}
