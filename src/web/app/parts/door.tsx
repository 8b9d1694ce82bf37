import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words'
import { Mark } from './mark'

/** The quiet page of one question. Its heading gets the focus, so that it is what is read first. */
export function Door({ heading, children }: { heading: string; children: ComponentChildren }) {
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${heading} · ${words.title}`
    title.current?.focus()
  }, [heading])
  return (
    <main class="door">
      <Mark />
      <h1 ref={title} tabIndex={-1}>
        {heading}
      </h1>
      {children}
    </main>
  )
}
