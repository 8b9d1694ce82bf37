import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

type Loaded<P> = ComponentType<P> | Promise<ComponentType<P>>

interface Lazy<P> {
  /** Null until the component has arrived. */
  readonly Content: ComponentType<P> | null
  readonly hasFailed: boolean
}

/** Loads a component when it is first shown. */
export function useLazy<P>(load: () => Loaded<P>): Lazy<P> {
  const [loaded] = useState(load)
  const [lazy, setLazy] = useState<Lazy<P>>({
    Content: loaded instanceof Promise ? null : loaded,
    hasFailed: false,
  })
  useLayoutEffect(() => {
    if (!(loaded instanceof Promise)) return
    loaded.then(
      (Content) => setLazy({ Content, hasFailed: false }),
      () => setLazy({ Content: null, hasFailed: true }),
    )
  }, [])
  return lazy
}
