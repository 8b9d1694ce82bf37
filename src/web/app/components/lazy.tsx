import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { showToast } from '../actions'
import { strings } from '../strings'

/** Loads a component on first use; null until it has arrived. */
export function lazy<P>(load: () => Promise<ComponentType<P>>): ComponentType<P> | null {
  const [part, setPart] = useState<{ Part: ComponentType<P> } | null>(null)
  useEffect(() => {
    load().then(
      (Part) => setPart({ Part }),
      () => showToast({ text: strings.away }),
    )
  }, [load])
  return part?.Part ?? null
}
