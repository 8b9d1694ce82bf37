import { Elysia } from 'elysia'
import { error } from '../model/errors'
import { nobody, type Viewer } from '../model/privacy'
import type { Deps } from '../service/deps'
import { findTokenOwner, type TokenOwner } from '../service/tokens'
import type { UnreadBody } from '../wire/json'

/** Who is at the other end of a request. */
export interface Caller {
  readonly requestId: string
  readonly viewer: Viewer
  /** The system behind the token, as the caller may name it. */
  readonly system: TokenOwner | null
}

/** The server notes the caller of each request here; the routes look it up. */
export const callers = new WeakMap<Request, Caller>()

/** A missing, malformed or unknown token makes the caller nobody. */
export async function findCaller(
  deps: Deps,
  requestId: string,
  authorization: string | null,
): Promise<Caller> {
  const token = authorization?.replace(/^Bearer\s+/i, '').trim()
  const system = token ? await findTokenOwner(deps, token) : null
  const viewer = system ? { system: system.id, bot: false } : nobody
  return { requestId, viewer, system }
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A group of routes that know their viewer and get their body as unread JSON text. */
export function routes(bodyLimit: number) {
  return new Elysia({ normalize: false })
    .onParse(({ request }) => readBody(request, bodyLimit))
    .derive(({ request }) => ({ viewer: callers.get(request)?.viewer ?? nobody }))
}

/** Reads a body of any content type, and stops as soon as it is too large. */
async function readBody(request: Request, limit: number): Promise<UnreadBody> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw error('tooLarge')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw error('tooLarge')
    chunks.push(chunk)
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) }
  } catch {
    throw error('badRequest', 'the body is not UTF-8')
  }
}
