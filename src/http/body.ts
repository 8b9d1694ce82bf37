import { DomainError, error } from '../model/errors'
import { findExcess } from '../model/jsonLimits'
import type { RawBody } from '../serializers/body'
import { withTimeout } from '../timers/withTimeout'

const utf8 = new TextDecoder('utf-8', { fatal: true })

export async function readBody(request: Request, limit: number): Promise<RawBody> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  let bytes: Uint8Array
  try {
    // No more bytes than announced can arrive, so the body may be read at once.
    bytes = length <= limit ? await request.bytes() : await readChunks(request, limit)
  } catch (cause) {
    // The client closed the connection, or its chunks are malformed.
    throw cause instanceof DomainError ? cause : error('badRequest')
  }
  rejectManyKeys(bytes)
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    throw error('badRequest', 'the body is not UTF-8')
  }
}

/** A body of 1,000 members with 30 keys each uses half of the limit. */
const KEY_LIMITS = { objectKeys: 1_000, keys: 64_000 }
/** Size below which no body can exceed a limit: the shortest entry, `"":0,`, has five bytes. */
const SHORT_BODY = 5 * KEY_LIMITS.objectKeys

function rejectManyKeys(bytes: Uint8Array): void {
  if (bytes.byteLength <= SHORT_BODY) return
  const excess = findExcess(bytes, KEY_LIMITS)
  if (excess === 'objectKeys')
    throw error('badRequest', 'an object of the body has more than 1,000 keys')
  if (excess === 'keys') throw error('badRequest', 'the body has more than 64,000 keys')
}

/** Reads a body of any content type and stops as soon as it is too large. */
async function readChunks(request: Request, limit: number): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(chunksOf(request, limit)))
}

async function* chunksOf(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limit) throw error('tooLarge')
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw error('tooLarge')
    yield chunk
  }
}

/** Uploaded file that has not been read yet. */
export interface BodyStream {
  open(): AsyncIterable<Uint8Array>
}

/** Time limits of an upload. */
export interface ArrivalLimits {
  /** Average speed that the client must have. The runtime closes connections that are below it. */
  bytesPerSecond: number
  /** Time that the client may be behind that speed: networks of phones pause. */
  toleranceMs: number
  totalMs: number
}

const ARRIVAL: ArrivalLimits = {
  bytesPerSecond: 16 * 1024,
  toleranceMs: 30_000,
  totalMs: 600_000,
}

/** Receives a file in chunks, never whole: several at once would fill the memory. */
export async function* streamBody(
  request: Request,
  limit: number,
  { bytesPerSecond, toleranceMs, totalMs }: ArrivalLimits = ARRIVAL,
): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(request, limit)
  let remaining = totalMs
  let ahead = toleranceMs
  try {
    for (;;) {
      const began = performance.now()
      const limitMs = Math.max(0, Math.min(ahead, remaining))
      const next = await withTimeout(chunks.next(), limitMs, throwTooSlow)
      if (next.done) return
      // Only the client's time counts: between the chunks the server stores them.
      const waited = performance.now() - began
      remaining -= waited
      const earned = (next.value.byteLength / bytesPerSecond) * 1000
      ahead = Math.min(ahead - waited + earned, toleranceMs)
      yield next.value
    }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw error('badRequest', 'the file did not arrive whole')
  } finally {
    // Not awaited: it ends when the next chunk arrives or the connection is closed.
    chunks.return(undefined).catch(() => {})
  }
}

function throwTooSlow(): never {
  throw error('badRequest', 'the file took too long to arrive')
}
