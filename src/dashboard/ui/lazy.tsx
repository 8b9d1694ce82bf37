import type { ComponentType } from 'preact'
import { useLazy } from '../lib/useLazy'
import { LoadProblem } from './loadProblem'

/** Returns a component whose code is loaded when it is first shown. */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Problem: ComponentType<{ onRetry: () => void }> = LoadProblem,
) {
  return (props: P) => {
    const { Content, hasFailed, retry } = useLazy(load)
    if (Content) return <Content {...props} />
    return hasFailed ? <Problem onRetry={retry} /> : null
  }
}
