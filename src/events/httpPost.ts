import type { ClientRequest } from 'node:http'
import { isIP } from 'node:net'
import type { DeliveryResult } from '../model/events'
import { type Clock, systemClock } from '../runtime/timers/clock'

export interface Post {
  /** URL and `ips` were checked by checkAddress. The connection goes to the first IP. */
  url: URL
  ips: readonly string[]
  headers: Record<string, string>
  body: string | Uint8Array
  /** From connecting to the end of the response; at most 10 s. */
  timeoutMs?: number
  /** Trusted instead of the well-known certificate authorities. */
  ca?: string
  signal?: AbortSignal
  clock?: Clock
}

/** Status of the response and its `Retry-After`, or why there is none. */
export type PostResult = { status: number; retryAfter?: string } | { error: string }

/**
 * Posts once and returns the status, or a short error without private details. Uses `node:http` and
 * `node:https`, because `fetch` obeys proxy variables of the environment, and a proxy would resolve
 * the name again.
 */
export async function post(message: Post): Promise<PostResult> {
  const [ip = ''] = message.ips
  // A host name would be resolved again.
  if (isIP(ip) === 0) return { error: 'no address' }
  if (message.signal?.aborted) return { error: 'given up' }
  try {
    return await exchange(await open(ip, message), message)
  } catch (error) {
    return { error: errorName(error) }
  }
}

const MAX_TIME_MS = 10_000
const MAX_RESPONSE_BYTES = 4_096
const MAX_INTERIM_RESPONSES = 8

function exchange(
  request: ClientRequest,
  { body, timeoutMs = MAX_TIME_MS, signal, clock = systemClock }: Post,
): Promise<PostResult> {
  const { promise, resolve } = Promise.withResolvers<PostResult>()
  let status: number | undefined
  let retryAfter: string | undefined
  let interim = 0
  let bytes = 0

  // A status counts as the result, even if the rest of the response fails.
  const finish = (error = 'no answer') => {
    timer.stop()
    signal?.removeEventListener('abort', giveUp)
    request.destroy()
    if (status === undefined) return resolve({ error })
    resolve({ status, ...(retryAfter !== undefined && { retryAfter }) })
  }
  const giveUp = () => finish('given up')
  const timer = clock.setTimeout(() => finish('timeout'), Math.min(timeoutMs, MAX_TIME_MS))
  signal?.addEventListener('abort', giveUp)

  request.on('error', (error) => finish(errorName(error)))
  request.on('information', () => {
    interim += 1
    if (interim > MAX_INTERIM_RESPONSES) finish()
  })
  request.on('response', (response) => {
    status = response.statusCode
    retryAfter = response.headers['retry-after']
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_RESPONSE_BYTES) finish()
    })
    response.on('end', () => finish())
    response.on('error', () => finish())
  })
  request.end(body)
  return promise
}

async function open(ip: string, { url, headers, body, ca }: Post): Promise<ClientRequest> {
  const isSecure = url.protocol === 'https:'
  const { request } = isSecure ? await import('node:https') : await import('node:http')
  return request({
    host: ip,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
    },
    agent: false,
    // An IP address has no SNI; with an empty name the certificate is verified for the IP.
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
    // Explicit, because the environment can disable the default.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
}

/**
 * Returns codes and our own texts only, because error messages of the runtime may contain
 * addresses.
 */
function errorName(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|ISSUER|LEAF_SIGNATURE|HOSTNAME|_CA$|_PURPOSE/.test(code))
    return `certificate problem: ${code}`
  if (code.startsWith('ERR_SSL')) return 'TLS problem'
  if (code.startsWith('HPE_')) return 'no HTTP answer'
  return /^E[A-Z]+$/.test(code) ? code : 'cannot send'
}

export function resultOf(sent: PostResult): DeliveryResult {
  if ('error' in sent) return 'unanswered'
  return isSuccess(sent) ? 'delivered' : 'refused'
}

export function isSuccess(sent: PostResult): boolean {
  return 'status' in sent && sent.status >= 200 && sent.status < 300
}
