import type { IncomingMessage } from 'node:http'

const TIMEOUT_MS = 5000

/** Not by `fetch`, which would ask a proxy that the environment names. */
export async function httpGet(
  url: string,
  maxBytes: number,
): Promise<{ status: number; text: string }> {
  const { get } = url.startsWith('https') ? await import('node:https') : await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const hear = (answer: IncomingMessage) => {
    let text = ''
    const finish = () => resolve({ status: answer.statusCode ?? 0, text })
    answer.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.length > maxBytes) finish()
    })
    answer.on('end', finish)
    answer.on('error', reject)
  }
  const request = get(url, { agent: false }, hear)
  request.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    reject(new Error(words[code ?? ''] ?? code ?? message)),
  )
  const timer = setTimeout(
    () => reject(new Error(`nothing came for ${TIMEOUT_MS / 1000} s`)),
    TIMEOUT_MS,
  )
  return promise.finally(() => {
    clearTimeout(timer)
    request.destroy()
  })
}

const words: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ConnectionRefused: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was cut',
}
