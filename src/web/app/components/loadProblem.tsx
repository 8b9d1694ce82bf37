import { useEffect, useRef } from 'preact/hooks'
import { connectionState } from '../store'
import { strings } from '../strings'

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
  useEffect(() => {
    if (isLive && !wasLive.current) retry.current()
    wasLive.current = isLive
  }, [isLive])
  useEffect(() => {
    const listener = () => retry.current()
    addEventListener('online', listener)
    return () => removeEventListener('online', listener)
  }, [])
  return (
    <>
      <p role="alert">{text}</p>
      <button type="button" onClick={onRetry}>
        {strings.tryAgain}
      </button>
    </>
  )
}
