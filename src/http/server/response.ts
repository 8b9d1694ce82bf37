import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { ListPieces } from '../../model/core/listPieces'
import type { RequestContext, RequestWithContext } from './context'
import { findClient } from './requestLimits'

/** Smaller responses are not worth the time. */
const COMPRESS_FROM_BYTES = 16 * 1024
/** Size up to which Bun sends a response together with its headers, even if it is asynchronous. */
const MAX_SINGLE_WRITE = 14 * 1024

/** Length up to which a text is never larger: a UTF-16 unit has at most three bytes in UTF-8. */
const MAX_SINGLE_WRITE_TEXT = Math.floor(MAX_SINGLE_WRITE / 3)

export type Bytes = Uint8Array<ArrayBuffer>

/** JSON, as bytes if the database returned it. */
export type Json = Bytes | string

const encoder = new TextEncoder()

function toBytes(json: Json): Bytes {
  return typeof json === 'string' ? (encoder.encode(json) as Bytes) : json
}

interface ResponseOptions {
  readonly status?: number
  /** True if the response is created in a later turn of the event loop than the request. */
  readonly isLate?: boolean
}

/** Responds with serialized JSON. Large JSON is detached. */
export function respondWithJson(
  request: RequestWithContext,
  context: RequestContext,
  json: Json | ListPieces,
  options: ResponseOptions = {},
): Response | Promise<Response> {
  if (json instanceof ListPieces) return respondInPieces(request, context, json)
  const { isCacheable, headers, complete } = context
  const response = isCacheable
    ? respondWithETag(request, json, headers, options)
    : respondAndDetach(request, json, headers, options)
  return response instanceof Promise ? response : complete(response)
}

/** Responds to a cacheable read: 304 if the client already has this response. */
function respondWithETag(
  request: RequestWithContext,
  json: Json,
  headers: RequestContext['headers'],
  options: ResponseOptions,
): Response | Promise<Response> {
  const bytes = toBytes(json)
  const etag = etagOf(bytes)
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch !== null && includesETag(ifNoneMatch, etag)) {
    const response = new Response(null, { status: 304, headers: headers(etag) })
    response.headers.delete('content-type')
    return response
  }
  return respondAndDetach(request, bytes, () => headers(etag), options)
}

/**
 * Responds with JSON. The caller must not use bytes afterwards: Bun sends a copy, and detaching
 * large ones frees their memory before the next collection. Returns a promise while a large response
 * is compressed.
 */
export function respondAndDetach(
  request: RequestWithContext,
  json: Json,
  headers: () => Headers | Record<string, string>,
  { status = 200, isLate = false }: ResponseOptions = {},
): Response | Promise<Response> {
  if (typeof json === 'string' && json.length <= MAX_SINGLE_WRITE_TEXT)
    return new Response(json, { status, headers: headers() })
  const bytes = toBytes(json)
  if (bytes.length <= MAX_SINGLE_WRITE) return new Response(bytes, { status, headers: headers() })
  const encoding = bytes.length > COMPRESS_FROM_BYTES ? encodingFor(request) : null
  if (encoding) return respondCompressed(bytes, encoding, status, headers)
  if (isLate) return new Response(toDirectStream(bytes), { status, headers: headers() })
  const response = new Response(bytes, { status, headers: headers() })
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
async function respondCompressed(
  bytes: Bytes,
  encoding: Encoding,
  status: number,
  headers: () => Headers | Record<string, string>,
): Promise<Response> {
  const compressed =
    encoding === 'zstd' ? await Bun.zstdCompress(bytes) : await gzipAsync(bytes, FAST)
  const response = new Response(
    compressed.length > MAX_SINGLE_WRITE ? toDirectStream(compressed) : compressed,
    { status, headers: headers() },
  )
  response.headers.set('content-encoding', encoding)
  response.headers.set('vary', VARY)
  return response
}

/**
 * Responds with a large list as the client reads it. The response has no ETag and no length, because
 * its end is not known; a response to HEAD has no body either.
 */
function respondInPieces(
  request: RequestWithContext,
  { headers, isHead, reportFailure }: RequestContext,
  list: ListPieces,
): Response {
  if (isHead) {
    list.stop()
    return new Response(null, { headers: headers() })
  }
  const isCompressed = encodingFor(request, ['gzip']) !== null
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const piece = await list.read()
          if (piece) controller.enqueue(piece)
          else controller.close()
        } catch (cause) {
          if (request.signal.aborted) return controller.close()
          reportFailure(cause)
          // Closes the connection, so that the client does not take the part for the whole.
          controller.error(new Error('a list could not be read to its end'))
        }
      },
      cancel: () => list.stop(),
    },
    { highWaterMark: 0 },
  )
  const body = isCompressed ? stream.pipeThrough(new CompressionStream('gzip')) : stream
  const response = new Response(body, { headers: headers() })
  if (isCompressed) {
    response.headers.set('content-encoding', 'gzip')
    response.headers.set('vary', VARY)
  }
  return response
}

/** Request headers that a response depends on. */
export const VARY = 'Authorization, Accept-Encoding'

const gzipAsync = promisify<Uint8Array, { level: number }, Buffer>(gzip)
const FAST = { level: constants.Z_BEST_SPEED }

type Encoding = 'zstd' | 'gzip'

/**
 * Encoding that the client accepts; null for HEAD, which reports the uncompressed length, and for
 * local clients, which are faster without compression.
 */
function encodingFor(
  { headers, context }: RequestWithContext,
  encodings: readonly Encoding[] = ['zstd', 'gzip'],
): Encoding | null {
  const accepted = headers.get('accept-encoding')
  if (accepted === null || !context || context.isHead) return null
  const encoding = encodings.find((name) => acceptsEncoding(accepted, name))
  if (encoding === undefined) return null
  return findClient(context.peer, headers, context.trustedProxies).isLocal ? null : encoding
}

/** Checks an `Accept-Encoding` header for an encoding. */
export function acceptsEncoding(accepted: string, name: string): boolean {
  return accepted.split(',').some((entry) => {
    const [encoding = '', ...parameters] = entry.toLowerCase().split(';')
    return encoding.trim() === name && !parameters.some((part) => /^\s*q=0(\.0*)?\s*$/.test(part))
  })
}

/** Length from which the faster hash is worth that its result is a BigInt, which costs 2 µs. */
const HASH_AS_BIGINT_FROM = 8 * 1024

/** Weak, because the same response may be compressed or not. */
function etagOf(bytes: Bytes): string {
  const { xxHash3, xxHash32 } = Bun.hash
  const hash =
    bytes.length < HASH_AS_BIGINT_FROM
      ? xxHash32(bytes, 0).toString(36) + xxHash32(bytes, 1).toString(36)
      : xxHash3(bytes).toString(36)
  return `W/"${hash}"`
}

/** Checks an `If-None-Match` header for an ETag, strong or weak. */
export function includesETag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const strong = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === strong)
}
