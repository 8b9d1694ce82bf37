import { type RequestOptions, requestOnce, requestWithRetry } from '../../api/client'
import { importPlacePath } from '../../api/resources'

/**
 * Sends a file as the logged-in system, when the server has a place for it; otherwise a large file
 * would be sent several times, only to be refused.
 */
export function upload<T>(
  path: string,
  { onReady, ...options }: RequestOptions & { onReady: () => void },
): Promise<T | null> {
  const { signal } = options
  return requestWithRetry(async () => {
    const place = { method: 'POST', ...(signal && { signal }) }
    while (!(await requestOnce(importPlacePath, place))?.ready);
    onReady()
    return await requestOnce<T>(path, options)
  })
}
