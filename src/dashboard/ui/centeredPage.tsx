import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { strings } from '../texts/texts'
import { LoadProblem } from './loadProblem'
import { Logo } from './logo'

interface Props {
  heading: string
  /** For content rather than a form. */
  isWide?: boolean
  children: ComponentChildren
}

/** Page with a single task. Its heading gets the focus, so that screen readers start there. */
export function CenteredPage({ heading, isWide = false, children }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${heading} · ${strings.title}`
    title.current?.focus()
  }, [heading])
  return (
    <main class={isWide ? 'door wide-door' : 'door'}>
      <Logo />
      <h1 ref={title} tabIndex={-1}>
        <bdi>{heading}</bdi>
      </h1>
      {children}
    </main>
  )
}

interface UnreachableProps {
  onRetry: () => void
  problem?: string
}

/** Page for a server that does not answer, or not now. */
export function Unreachable({ onRetry, problem = strings.unreachable }: UnreachableProps) {
  return (
    <CenteredPage heading={strings.title}>
      <LoadProblem text={problem} onRetry={onRetry} />
    </CenteredPage>
  )
}
