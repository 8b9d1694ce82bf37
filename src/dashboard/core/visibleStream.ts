import { subscribe } from './eventStream'
import { onPageVisibility } from './pageVisibility'

/**
 * Reads an event stream while the page is visible: a browser has few connections per server. Returns
 * a function that stops it.
 */
export function subscribeWhileVisible(
  options: Parameters<typeof subscribe>[0],
  onHidden = () => {},
): () => void {
  let subscription = subscribe(options)
  const reconnect = () => subscription.reconnectNow()
  const stopWatching = onPageVisibility({
    onHidden() {
      subscription.stop()
      onHidden()
    },
    onVisible() {
      subscription = subscribe(options)
    },
  })
  addEventListener('online', reconnect)
  return () => {
    subscription.stop()
    stopWatching()
    removeEventListener('online', reconnect)
  }
}
