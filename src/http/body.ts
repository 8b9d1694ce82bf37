import { DomainError, error } from '../model/errors'
import { findExcess } from '../model/jsonLimits'
import type { UnreadBody } from '../wire/json'

/** How bodies arrive: never more of them than their routes take. */

const utf8 = new TextDecoder('utf-8', { fatal: true })

export async function receiveBody(request: Request, limit: number): Promise<UnreadBody> {
  const bytes = await receiveBytes(request, limit)
  rejectManyKeys(bytes)
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    throw error('badRequest', 'the body is not UTF-8')
  }
}

/** Bodies of 1,000 members with 30 keys each have half of them. */
const KEY_LIMITS = { objectKeys: 1_000, keys: 64_000 }
/** The shortest key and value, `"":0`, with a comma. Shorter bodies need not be counted. */
const SHORT_BODY = 5 * KEY_LIMITS.objectKeys

function rejectManyKeys(bytes: Uint8Array): void {
  if (bytes.byteLength <= SHORT_BODY) return
  const excess = findExcess(bytes, KEY_LIMITS)
  if (excess === 'objectKeys')
    throw error('badRequest', 'an object of the body has more than 1,000 keys')
  if (excess === 'keys') throw error('badRequest', 'the body has more than 64,000 keys')
}

/** Reads a body of any content type, and stops as soon as it is too large. */
async function receiveBytes(request: Request, limit: number): Promise<Uint8Array> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  // No more than was announced can arrive, so it may come in one piece.
  if (length <= limit) return request.bytes()
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

/** A file that has not been read yet. */
export interface UnreadFile {
  arrive(): AsyncIterable<Uint8Array>
}

/** How long a file may take to arrive: who waits for it keeps others from their turn. */
const ARRIVAL_MS = 120_000

/** Never held whole: several at once would fill the memory. */
export async function* receiveFile(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  const deadline = performance.now() + ARRIVAL_MS
  try {
    for await (const chunk of chunksOf(request, limit)) {
      if (performance.now() > deadline)
        throw error('badRequest', 'the file took too long to arrive')
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw error('badRequest', 'the file did not arrive whole')
  }
}
