import { useLayoutEffect, useRef } from 'preact/hooks'
import { connectionState } from '../core/store'
import { strings } from '../texts/texts'

interface Props {
  text?: string
  onRetry: () => void
}

/** Says that something could not be loaded. Tries again on request, and when the connection is back. */
export function LoadProblem({ text = strings.unreachable, onRetry }: Props) {
  const retry = useRef(onRetry)
  retry.current = onRetry
  const isLive = connectionState.value === 'live'
  const wasLive = useRef(isLive)
  // Before the text is drawn: the connection may come back in the next moment.
  useLayoutEffect(() => {
    if (isLive && !wasLive.current) retry.current()
    wasLive.current = isLive
    const listener = () => retry.current()
    addEventListener('online', listener)
    return () => removeEventListener('online', listener)
  }, [isLive])
  return (
    <>
      <p role="alert">{text}</p>
      <button type="button" onClick={onRetry}>
        {strings.tryAgain}
      </button>
    </>
  )
}
