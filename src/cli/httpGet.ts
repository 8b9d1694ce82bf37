import type { IncomingMessage } from 'node:http'

const TIMEOUT_MS = 5000

/** Sends a GET request. `fetch` would use the HTTP proxy of the environment. */
export async function httpGet(
  url: string,
  maxBytes: number,
): Promise<{ status: number; text: string }> {
  const { get } = url.startsWith('https') ? await import('node:https') : await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const readBody = (response: IncomingMessage) => {
    let text = ''
    const finish = () => resolve({ status: response.statusCode ?? 0, text })
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.length > maxBytes) finish()
    })
    response.on('end', finish)
    response.on('error', reject)
  }
  const request = get(url, { agent: false }, readBody)
  request.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    reject(new Error(reasons[code ?? ''] ?? code ?? message)),
  )
  const timer = setTimeout(
    () => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`)),
    TIMEOUT_MS,
  )
  return promise.finally(() => {
    clearTimeout(timer)
    request.destroy()
  })
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ConnectionRefused: 'connection refused',
  ENOTFOUND: 'host not found',
  ECONNRESET: 'connection reset',
}
