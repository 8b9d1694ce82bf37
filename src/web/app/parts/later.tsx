import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { tell } from '../acts'
import { words } from '../words'

/** A part that is fetched when it is first needed; null until it is there. */
export function useLater<P>(load: () => Promise<ComponentType<P>>): ComponentType<P> | null {
  const [part, setPart] = useState<{ Part: ComponentType<P> } | null>(null)
  useEffect(() => {
    load().then(
      (Part) => setPart({ Part }),
      () => tell({ text: words.away }),
    )
  }, [load])
  return part?.Part ?? null
}
