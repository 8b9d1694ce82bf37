import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { loadRestOfStrings } from './strings'

type Loaded<P> = ComponentType<P> | Promise<ComponentType<P>>

interface Lazy<P> {
  /** Null until the component has arrived. */
  readonly Content: ComponentType<P> | null
  readonly hasFailed: boolean
}

/** Loads a component, and the texts of lazily loaded pages, when it is first shown. */
export function useLazy<P>(load: () => Loaded<P>): Lazy<P> {
  const [loaded] = useState(load)
  const [lazy, setLazy] = useState<Lazy<P>>({
    Content: loaded instanceof Promise ? null : loaded,
    hasFailed: false,
  })
  useLayoutEffect(() => {
    if (!(loaded instanceof Promise)) return
    Promise.all([loaded, loadRestOfStrings()]).then(
      ([Content]) => setLazy({ Content, hasFailed: false }),
      () => setLazy({ Content: null, hasFailed: true }),
    )
  }, [])
  return lazy
}
