import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { loadRestOfStrings } from '../texts/texts'

type Loaded<P> = ComponentType<P> | Promise<ComponentType<P>>

interface Lazy<P> {
  /** Null until the component has arrived. */
  readonly Content: ComponentType<P> | null
  readonly hasFailed: boolean
}

/** Loads a component, and the texts of lazily loaded pages, when it is first shown. */
export function useLazy<P>(load: () => Loaded<P>): Lazy<P> & { retry: () => void } {
  const [loaded] = useState(load)
  const [lazy, setLazy] = useState<Lazy<P>>({
    Content: loaded instanceof Promise ? null : loaded,
    hasFailed: false,
  })
  const show = (promise: Promise<ComponentType<P>>) =>
    Promise.all([promise, loadRestOfStrings()]).then(
      ([Content]) => setLazy({ Content, hasFailed: false }),
      async () => {
        setLazy({ Content: null, hasFailed: true })
        if (await isServerReachable()) reloadPage()
      },
    )
  useLayoutEffect(() => {
    if (loaded instanceof Promise) show(loaded)
  }, [])
  return { ...lazy, retry: () => show(Promise.resolve(load())) }
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch('./', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

const KEY = 'multitude-reloaded'
const RELOAD_INTERVAL_MS = 30_000

/**
 * Loads the page again: after an upgrade of the server its parts have other names, and browsers
 * may remember that a part could not be loaded. Not twice in a row, in case that does not help.
 */
function reloadPage(): void {
  try {
    if (Date.now() - Number(sessionStorage.getItem(KEY)) < RELOAD_INTERVAL_MS) return
    sessionStorage.setItem(KEY, String(Date.now()))
  } catch {
    return
  }
  location.reload()
}
