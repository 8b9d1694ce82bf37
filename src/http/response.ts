import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { findClient } from './clientAddress'
import type { Encoding, PendingCompression, RequestWithContext } from './context'

/** How an answer in JSON is sent: whole, not at all where the caller has it, or compressed. */

/** Smaller ones are not worth the time. */
const COMPRESS_FROM_BYTES = 16 * 1024
/** What Bun sends together with its headers, whenever it comes. */
const MAX_CONCURRENT = 14 * 1024

export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

export function encodeJson(json: string): Bytes {
  return encoder.encode(json) as Bytes
}

/** A read that may be kept: who has this very answer already is only told so. */
export function respondWithETag(
  request: RequestWithContext,
  bytes: Bytes,
  headers: Headers,
): Response {
  const tag = tagOf(bytes)
  const known = request.headers.get('if-none-match')
  if (known !== null && isAmong(known, tag)) {
    const response = new Response(null, { status: 304, headers })
    response.headers.set('etag', tag)
    response.headers.delete('content-type')
    return response
  }
  const response = respondWithBytes(request, bytes, headers)
  response.headers.set('etag', tag)
  return response
}

/** Gives the bytes away: Bun sends a copy, and large ones are not kept until the next collection. */
export function respondWithBytes(
  request: RequestWithContext,
  bytes: Bytes,
  headers: Headers | Record<string, string>,
  status = 200,
): Response {
  if (bytes.length <= MAX_CONCURRENT) return new Response(bytes, { status, headers })
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
 * Once the moment of its request is over, Bun would send a large answer header by header, in dozens
 * of packets; a stream goes out at once.
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

/** Compresses on another thread: this one has others to answer. */
export async function compress(
  { bytes, encoding }: PendingCompression,
  empty: Response,
): Promise<Response> {
  const packed = encoding === 'zstd' ? await Bun.zstdCompress(bytes) : await pack(bytes, FAST)
  const response = new Response(
    packed.length > MAX_CONCURRENT ? toDirectStream(packed) : packed,
    empty,
  )
  response.headers.set('content-encoding', encoding)
  response.headers.set('vary', VARY)
  return response
}

/** What an answer depends on beside its address. */
export const VARY = 'Authorization, Accept-Encoding'

const pack = promisify<Uint8Array, { level: number }, Buffer>(gzip)
const FAST = { level: constants.Z_BEST_SPEED }

/** Programs on the same machine have it sooner as it is. */
function encodingFor(request: RequestWithContext): Encoding | null {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null || !request.context) return null
  const encoding = isAccepted(accepted, 'zstd')
    ? 'zstd'
    : isAccepted(accepted, 'gzip')
      ? 'gzip'
      : null
  if (encoding === null) return null
  const { peer, trustedProxies } = request.context
  return findClient(peer, request.headers, trustedProxies).isLocal ? null : encoding
}

function isAccepted(accepted: string, name: Encoding): boolean {
  return accepted.split(',').some((one) => {
    const [encoding = '', ...parameters] = one.toLowerCase().split(';')
    return encoding.trim() === name && !parameters.some((part) => /^\s*q=0(\.0*)?\s*$/.test(part))
  })
}

/** Weak, because the same answer may be compressed or not. Of long answers this hash is soonest made. */
function tagOf(bytes: Bytes): string {
  return `W/"${Bun.hash.xxHash3(bytes).toString(36)}"`
}

function isAmong(known: string, tag: string): boolean {
  if (known.trim() === '*') return true
  const strong = tag.slice(2)
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === strong)
}
