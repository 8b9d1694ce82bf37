import { Elysia } from 'elysia'
import { error } from '../model/errors'
import { nobody, type Viewer } from '../model/privacy'
import type { Deps } from '../service/deps'
import { findSystem } from '../service/systems'
import { findTokenOwner, isBotKey, type TokenOwner } from '../service/tokens'
import type { UnreadBody } from '../wire/json'

/** Who is at the other end of a request. */
export interface Caller {
  readonly requestId: string
  readonly kind: 'nobody' | 'system' | 'bot'
  readonly viewer: Viewer
  /** The system that the caller acts as, as it may be named. */
  readonly system: TokenOwner | null
}

/** The server notes the caller of each request here; the routes look it up. */
export const callers = new WeakMap<Request, Caller>()

/** A missing, malformed or unknown token makes the caller nobody. */
export async function findCaller(
  deps: Deps,
  requestId: string,
  headers: Headers,
  path: string,
): Promise<Caller> {
  const authorization = headers.get('authorization') ?? ''
  const [, scheme = '', secret = ''] =
    /^(?:(Bot|Bearer)\s+)?(.*)$/i.exec(authorization.trim()) ?? []
  if (secret === '') return { requestId, kind: 'nobody', viewer: nobody, system: null }
  if (scheme.toLowerCase() === 'bot') {
    // The bot interface itself names its systems in the path.
    const named = path.startsWith('/bot/') ? null : headers.get('x-system')
    return findBot(deps, requestId, secret, named)
  }
  const system = await findTokenOwner(deps, secret)
  const viewer = system ? { system: system.id, bot: false } : nobody
  return { requestId, kind: system ? 'system' : 'nobody', viewer, system }
}

/** A bot acts as the system it names in `X-System`, or as nobody. */
async function findBot(
  deps: Deps,
  requestId: string,
  key: string,
  named: string | null,
): Promise<Caller> {
  if (!(await isBotKey(deps, key)))
    return { requestId, kind: 'nobody', viewer: nobody, system: null }
  if (named === null) return { requestId, kind: 'bot', viewer: nobody, system: null }
  const system = await findSystem(deps.db, named)
  if (!system) throw error('systemNotFound')
  return { requestId, kind: 'bot', viewer: { system: system.id, bot: true }, system }
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

/** As routes, for those that take a whole file as their body. */
export function fileRoutes(bodyLimit: number) {
  return new Elysia({ normalize: false })
    .onParse(async ({ request }) => ({ bytes: await readBytes(request, bodyLimit) }))
    .derive(({ request }) => ({ viewer: callers.get(request)?.viewer ?? nobody }))
}

async function readBody(request: Request, limit: number): Promise<UnreadBody> {
  const bytes = await readBytes(request, limit)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw error('badRequest', 'the body is not UTF-8')
  }
}

/** Reads a body of any content type, and stops as soon as it is too large. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw error('tooLarge')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw error('tooLarge')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
