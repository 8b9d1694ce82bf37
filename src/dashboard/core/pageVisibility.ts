/** Browsers open at most six connections per server, so a hidden tab gives up its own. */
const HIDDEN_MS = 30_000

/**
 * Calls back some time after the tab was hidden, and when it is visible again. Returns a function
 * that stops it.
 */
export function onPageVisibility({
  onHidden,
  onVisible,
}: {
  onHidden: () => void
  onVisible: () => void
}): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHidden = false
  const update = () => {
    clearTimeout(timer)
    if (document.hidden)
      timer = setTimeout(() => {
        isHidden = true
        onHidden()
      }, HIDDEN_MS)
    else if (isHidden) {
      isHidden = false
      onVisible()
    }
  }
  document.addEventListener('visibilitychange', update)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', update)
  }
}
