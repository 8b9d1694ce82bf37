/** A browser has six connections for a server: a tab that nobody looks at does not keep one. */
const HIDDEN_MS = 30_000

/** Lets go some time after the tab was hidden, and goes on when it is seen again. Gives how to end it. */
export function onPageVisibility({
  rest,
  wake,
}: {
  rest: () => void
  wake: () => void
}): () => void {
  let hiding: ReturnType<typeof setTimeout> | undefined
  let isResting = false
  const look = () => {
    clearTimeout(hiding)
    if (document.hidden)
      hiding = setTimeout(() => {
        isResting = true
        rest()
      }, HIDDEN_MS)
    else if (isResting) {
      isResting = false
      wake()
    }
  }
  document.addEventListener('visibilitychange', look)
  return () => {
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', look)
  }
}
