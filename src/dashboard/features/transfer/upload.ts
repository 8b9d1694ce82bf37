import { type RequestOptions, request, requestWithRetry } from '../../core/api'

/**
 * Sends a file as the logged-in system, when the server has a place for it; otherwise a large file
 * would be sent several times, only to be refused.
 */
export function uploadOwn<T>(
  path: string,
  { onReady, ...options }: RequestOptions & { onReady: () => void },
): Promise<T | null> {
  const { signal } = options
  return requestWithRetry(async () => {
    const place = { method: 'POST', ...(signal && { signal }) }
    while (!(await request<{ ready: boolean }>('web/import-place', place))?.ready);
    onReady()
    return await request<T>(path, options)
  })
}
