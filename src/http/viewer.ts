import {
  type DefinitionBase,
  Elysia,
  type EphemeralType,
  type MetadataBase,
  type RouteBase,
  type SingletonBase,
} from 'elysia'
import { DomainError, error } from '../model/errors'
import type { Shown } from '../model/privacy'
import type { Deps } from '../service/deps'
import { actFor } from '../service/systems'
import { findBot, findTokenOwner, recallToken, type TokenOwner } from '../service/tokens'
import type { UnreadBody } from '../wire/json'
import { answerBytes, answerRead, type Bytes } from './answers'
import { anonymous, type Caller, callerOf, type KnownRequest } from './context'

/** A missing, malformed or unknown token makes the caller nobody. */
export function findCaller(deps: Deps, headers: Headers, path: string): Caller | Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null) return anonymous
  // Most requests show a token that was seen a moment ago.
  const known = recallToken(deps, header)
  return known ? asSystem(known) : lookUp(deps, header, headers, path)
}

function asSystem(system: TokenOwner): Caller {
  return { kind: 'system', viewer: { system: system.id, platform: null }, system }
}

/** A raw token, or one behind the word `Bearer` or `Bot`. */
async function lookUp(deps: Deps, header: string, headers: Headers, path: string): Promise<Caller> {
  const [, scheme = '', secret = ''] = /^(?:(Bot|Bearer)\s+)?(.*)$/i.exec(header.trim()) ?? []
  if (secret === '') return anonymous
  if (scheme.toLowerCase() === 'bot') {
    // The bot interface itself names its systems in the path.
    const named = path.startsWith('/bot/') ? null : headers.get('x-system')
    return asBot(deps, secret, named)
  }
  const system = await findTokenOwner(deps, secret)
  return system ? asSystem(system) : anonymous
}

/** A bot acts as the system it names in `X-System`, or as nobody. */
async function asBot(deps: Deps, key: string, named: string | null): Promise<Caller> {
  const bot = await findBot(deps, key)
  if (!bot) return anonymous
  const viewer = { system: null, platform: bot.platform }
  if (named === null) return { kind: 'bot', viewer, system: null }
  return { kind: 'bot', ...(await actFor(deps, viewer, named)) }
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A group of routes that know their viewer and get their body as unread JSON text. */
export function routes(bodyLimit: number) {
  return answeringShown(
    new Elysia({ normalize: false })
      .onParse(refuseNobody)
      .onParse(({ request }) => receiveBody(request, bodyLimit))
      .derive(({ request }) => ({ viewer: callerOf(request).viewer }))
      .mapResponse(({ request, responseValue }) => answerJson(request, responseValue)),
  )
}

/** All that a route may answer beside a ready `Response`: a row that nobody has looked at is none. */
// biome-ignore lint/suspicious/noConfusingVoidType: a route that only sets its status gives nothing
type Answer = Shown | readonly Shown[] | undefined | void

/** Says so to the type checker alone: Elysia would look at each answer again. */
function answeringShown<
  P extends string,
  S extends SingletonBase,
  D extends DefinitionBase,
  M extends MetadataBase,
  R extends RouteBase,
  E extends EphemeralType,
  V extends EphemeralType,
>(app: Elysia<P, S, D, M, R, E, V>) {
  return app as Elysia<P, S, D, M, R, E, V & { schema: { response: { 200: Answer } } }>
}

/** What storage gave as bytes is JSON already. Elysia knows by itself what to make of all else. */
function answerJson(request: KnownRequest, value: unknown): Response | undefined {
  const { context } = request
  if (!context) return undefined
  if (context.isRead) {
    const bytes = isBytes(value) ? value : isJson(value) ? encode(value) : null
    return bytes ? answerRead(request, bytes, context.headers) : undefined
  }
  return isBytes(value) ? answerBytes(request, value, context.headers) : undefined
}

function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array
}

/** Not an answer that is ready, nor a stream. */
function isJson(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const kind = Object.getPrototypeOf(value)
  return kind === Object.prototype || kind === Array.prototype
}

const encoder = new TextEncoder()

function encode(value: object): Bytes {
  return encoder.encode(JSON.stringify(value)) as Bytes
}

/** A file that has not been read yet. */
export interface UnreadFile {
  arrive(): AsyncIterable<Uint8Array>
}

/** How long a file may take to arrive: who waits for it keeps others from their turn. */
const ARRIVAL_MS = 120_000

/** As routes, for those that take a whole file as their body, and read it when its turn has come. */
export function fileRoutes(bodyLimit: number) {
  return answeringShown(
    new Elysia({ normalize: false })
      .onParse(refuseNobody)
      .onParse(({ request }): UnreadFile => ({ arrive: () => fileOf(request, bodyLimit) }))
      .derive(({ request }) => ({ viewer: callerOf(request).viewer })),
  )
}

/** Never held whole: several at once would fill the memory. */
async function* fileOf(request: Request, limit: number): AsyncGenerator<Uint8Array> {
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

/** Nobody may write, and nobody's body is read. */
function refuseNobody({ request }: { request: Request }): void {
  if (callerOf(request).kind === 'nobody') throw error('unauthorized')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function receiveBody(request: Request, limit: number): Promise<UnreadBody> {
  const bytes = await receiveBytes(request, limit)
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    throw error('badRequest', 'the body is not UTF-8')
  }
}

/** Reads a body of any content type, and stops as soon as it is too large. */
async function receiveBytes(request: Request, limit: number): Promise<Uint8Array> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  // No more than was announced can arrive, so it may come in one piece.
  if (length <= limit) return new Uint8Array(await request.arrayBuffer())
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
