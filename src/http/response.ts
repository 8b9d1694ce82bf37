import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { findClient } from './clientAddress'
import type { Encoding, PendingCompression, RequestWithContext } from './context'

/** Smaller responses are not worth the time. */
const COMPRESS_FROM_BYTES = 16 * 1024
/** Size up to which Bun sends a response together with its headers, even if it is asynchronous. */
const MAX_SINGLE_WRITE = 14 * 1024

export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

export function encodeJson(json: string): Bytes {
  return encoder.encode(json) as Bytes
}

/** Responds to a cacheable read: 304 if the client already has this response. */
export function respondWithETag(
  request: RequestWithContext,
  bytes: Bytes,
  headers: Headers,
): Response {
  const etag = etagOf(bytes)
  const known = request.headers.get('if-none-match')
  if (known !== null && includesETag(known, etag)) {
    const response = new Response(null, { status: 304, headers })
    response.headers.set('etag', etag)
    response.headers.delete('content-type')
    return response
  }
  const response = respondWithBytes(request, bytes, headers)
  response.headers.set('etag', etag)
  return response
}

/** Detaches large buffers: Bun sends a copy, and their memory is freed before the next collection. */
export function respondWithBytes(
  request: RequestWithContext,
  bytes: Bytes,
  headers: Headers | Record<string, string>,
  status = 200,
): Response {
  if (bytes.length <= MAX_SINGLE_WRITE) return new Response(bytes, { status, headers })
  const { context } = request
  const encoding = bytes.length > COMPRESS_FROM_BYTES ? encodingFor(request) : null
  if (encoding && context) {
    context.pendingCompression = { bytes, encoding }
    return new Response(null, { status, headers })
  }
  if (context?.isAsync) return new Response(toDirectStream(bytes), { status, headers })
  const response = new Response(bytes, { status, headers })
  bytes.buffer.transfer(0)
  return response
}

/**
 * Wraps bytes in a stream. Bun sends an asynchronous large response header by header, in dozens of
 * packets, but a stream at once.
 */
function toDirectStream(bytes: Uint8Array): ReadableStream {
  return new ReadableStream({
    type: 'direct',
    pull(controller) {
      controller.write(bytes)
      controller.end()
    },
  })
}

/** Compresses on another thread, so that other requests are not delayed. */
export async function compress(
  { bytes, encoding }: PendingCompression,
  empty: Response,
): Promise<Response> {
  const compressed =
    encoding === 'zstd' ? await Bun.zstdCompress(bytes) : await gzipAsync(bytes, FAST)
  const response = new Response(
    compressed.length > MAX_SINGLE_WRITE ? toDirectStream(compressed) : compressed,
    empty,
  )
  response.headers.set('content-encoding', encoding)
  response.headers.set('vary', VARY)
  return response
}

/** Request headers that a response depends on. */
export const VARY = 'Authorization, Accept-Encoding'

const gzipAsync = promisify<Uint8Array, { level: number }, Buffer>(gzip)
const FAST = { level: constants.Z_BEST_SPEED }

/** Encoding that the client accepts; null for local clients, which are faster without compression. */
function encodingFor(request: RequestWithContext): Encoding | null {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null || !request.context) return null
  const encoding = acceptsEncoding(accepted, 'zstd')
    ? 'zstd'
    : acceptsEncoding(accepted, 'gzip')
      ? 'gzip'
      : null
  if (encoding === null) return null
  const { peer, trustedProxies } = request.context
  return findClient(peer, request.headers, trustedProxies).isLocal ? null : encoding
}

/** Checks an `Accept-Encoding` header for an encoding. */
export function acceptsEncoding(accepted: string, name: string): boolean {
  return accepted.split(',').some((one) => {
    const [encoding = '', ...parameters] = one.toLowerCase().split(';')
    return encoding.trim() === name && !parameters.some((part) => /^\s*q=0(\.0*)?\s*$/.test(part))
  })
}

/** Weak, because the same response may be compressed or not. xxHash3 is the fastest for long ones. */
function etagOf(bytes: Bytes): string {
  return `W/"${Bun.hash.xxHash3(bytes).toString(36)}"`
}

function includesETag(known: string, etag: string): boolean {
  if (known.trim() === '*') return true
  const strong = etag.slice(2)
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === strong)
}
