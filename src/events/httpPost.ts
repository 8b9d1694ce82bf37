import type { ClientRequest } from 'node:http'
import { isIP } from 'node:net'

export interface Post {
  /** Checked by checkAddress, and so are the `ips`. The connection goes to the first of them. */
  url: URL
  ips: readonly string[]
  headers: Record<string, string>
  body: string
  /** For everything from connecting to the end of the answer; never more than 10 s. */
  timeoutMs?: number
  /** Trusted instead of the well-known authorities. */
  ca?: string
  /** Gives up at once. */
  signal?: AbortSignal
}

export type PostResult = { status: number } | { error: string }

/**
 * Posts once and tells the status, or in a few safe words why there is none. Of Bun's ways out only
 * `node:http` and `node:https` do it all: `fetch` obeys proxy variables of the environment, which
 * would resolve the name a second time.
 */
export async function post(message: Post): Promise<PostResult> {
  const [ip = ''] = message.ips
  // Anything but an IP address would be looked up.
  if (isIP(ip) === 0) return { error: 'no address' }
  if (message.signal?.aborted) return { error: 'given up' }
  try {
    return await exchange(await open(ip, message), message)
  } catch (error) {
    return { error: errorName(error) }
  }
}

const MAX_TIME_MS = 10_000
const MAX_ANSWER_BYTES = 4_096
const MAX_INTERIM_ANSWERS = 8

function exchange(
  request: ClientRequest,
  { body, timeoutMs = MAX_TIME_MS, signal }: Post,
): Promise<PostResult> {
  const { promise, resolve } = Promise.withResolvers<PostResult>()
  let status: number | undefined
  let interim = 0
  let bytes = 0

  // Once there is a status it is the answer, whatever becomes of the rest.
  const finish = (error = 'no answer') => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    request.destroy()
    resolve(status === undefined ? { error } : { status })
  }
  const giveUp = () => finish('given up')
  const timer = setTimeout(finish, Math.min(timeoutMs, MAX_TIME_MS), 'timeout')
  signal?.addEventListener('abort', giveUp)

  request.on('error', (error) => finish(errorName(error)))
  request.on('information', () => {
    interim += 1
    if (interim > MAX_INTERIM_ANSWERS) finish()
  })
  request.on('response', (answer) => {
    status = answer.statusCode
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) finish()
    })
    answer.on('end', () => finish())
    answer.on('error', () => finish())
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
    // An IP address in the url has no SNI; the empty name makes the certificate answer for the IP.
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
    // Said aloud because the environment can turn the default off.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
}

/** Messages of the runtime may hold addresses, so only codes and our own words get out. */
function errorName(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|ISSUER|LEAF_SIGNATURE|HOSTNAME|_CA$|_PURPOSE/.test(code))
    return `certificate problem: ${code}`
  if (code.startsWith('ERR_SSL')) return 'TLS problem'
  if (code.startsWith('HPE_')) return 'no HTTP answer'
  return /^E[A-Z]+$/.test(code) ? code : 'cannot send'
}

/** What became of an attempt, in one word. */
export type DeliveryResult = 'delivered' | 'refused' | 'unanswered'

export function resultOf(sent: PostResult): DeliveryResult {
  if ('error' in sent) return 'unanswered'
  return isSuccess(sent) ? 'delivered' : 'refused'
}

export function isSuccess(sent: PostResult): boolean {
  return 'status' in sent && sent.status >= 200 && sent.status < 300
}
