import {
  type DefinitionBase,
  Elysia,
  type EphemeralType,
  type MetadataBase,
  type RouteBase,
  type SingletonBase,
} from 'elysia'
import { DomainError, error } from '../../model/core/errors'
import { findExcess } from '../../model/core/jsonLimits'
import { ListPieces } from '../../model/core/listPieces'
import { requireBot, requireWriter, type Serialized, type Viewer } from '../../model/core/privacy'
import type { RawBody } from '../../serializers/body'
import type { Deps } from '../../service/core/deps'
import type { WaitingClient } from '../../service/core/longReads'
import type { DirectRead } from './apiModule'
import { type ArrivalLimits, arrivalLimits } from './bodyArrival'
import type { RequestContext, RequestWithContext } from './context'
import { markDirect } from './directRead'
import { unparsedBody } from './elysiaInternals'
import { type Client, findClient } from './requestLimits'
import { type Json, respondWithJson } from './response'

/** Creates a group of routes that have a viewer and receive their body as unparsed JSON text. */
export function routes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false })
      .guard(unparsedBody)
      .derive(async ({ request }) => {
        const { caller, isReading } = contextOf(request)
        const { viewer } = caller
        if (isReading) return { viewer }
        // Refused before their body is read.
        if (caller.kind === 'anonymous') throw error('unauthorized')
        return { viewer, body: await readBody(request, bodyLimit, arrivalLimits.json) }
      })
      .mapResponse(async ({ request, responseValue, set }) => {
        const response = await jsonResponse(request, responseValue, set.status)
        // With another status, Elysia would copy the response, which already has it, to a stream.
        if (response) set.status = 200
        return response
      }),
  )
}

/** Like `routes`, but requires a bot key. All IDs are those of the bot's platform. */
export function botRoutes(bodyLimit: number) {
  return routes(bodyLimit).derive(({ viewer }) => ({ platform: requireBot(viewer) }))
}

/** Like `routes`, but anonymous callers may write. */
export function publicRoutes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false }).guard(unparsedBody).derive(async ({ request }) => {
      const { caller, isReading } = contextOf(request)
      const { viewer } = caller
      if (isReading) return { viewer }
      return { viewer, body: await readBody(request, bodyLimit, arrivalLimits.login) }
    }),
  )
}

/** Like `routes`, but the body is a file, which the route reads when it is its turn. */
export function uploadRoutes(bodyLimit: number, limits: ArrivalLimits) {
  return withSerializedResponses(
    new Elysia({ normalize: false }).guard(unparsedBody).derive(({ request }) => {
      const { caller, isReading } = contextOf(request)
      const { viewer } = caller
      if (isReading) return { viewer }
      if (caller.kind === 'anonymous') throw error('unauthorized')
      const body: BodyStream = { open: () => streamBody(request, bodyLimit, limits) }
      return { viewer, body }
    }),
  )
}

/** Returns the context of a request. Only public paths, which use none of these routes, have none. */
export function contextOf({ context }: RequestWithContext): RequestContext {
  if (!context) throw new Error('the request has no context')
  return context
}

export function clientOf(request: Request): Client {
  const { peer, trustedProxies } = contextOf(request)
  return findClient(peer, request.headers, trustedProxies)
}

/** Client of a request for the queue of long reads; has no address if no limit applies to it. */
export function waitingClientOf(request: Request): WaitingClient {
  const { address, isLocal } = clientOf(request)
  const isLimited = contextOf(request).caller.kind !== 'bot' && !isLocal
  return { signal: request.signal, address: isLimited ? address : null }
}

interface ReadContext {
  readonly params: object
  readonly viewer: Viewer
  readonly request: Request
  readonly set: { status?: number | string }
}

/**
 * Builds the handler of a read that needs only the caller and the reference in its path. The request
 * handler calls the read without Elysia, which would take as long as a small read itself; Elysia
 * calls the handler if the reference is encoded.
 */
export function direct(deps: Deps, read: DirectRead) {
  const handler = async ({ params, viewer, request, set }: ReadContext) => {
    const ref = String(Object.values(params)[0])
    const result = await read(deps, viewer, ref, () => waitingClientOf(request))
    if (result !== null) return result
    set.status = 204
    return
  }
  return markDirect(handler, read)
}

/** Results that a route may return besides a `Response`; excludes unredacted rows. */
// biome-ignore lint/suspicious/noConfusingVoidType: a route that only sets its status returns nothing
type RouteResult = Serialized | readonly Serialized[] | undefined | void

/** Restricts results by type only: a response schema would make Elysia validate each response. */
function withSerializedResponses<
  P extends string,
  S extends SingletonBase,
  D extends DefinitionBase,
  M extends MetadataBase,
  R extends RouteBase,
  E extends EphemeralType,
  V extends EphemeralType,
>(app: Elysia<P, S, D, M, R, E, V>) {
  return app as Elysia<P, S, D, M, R, E, V & { schema: { response: { 200: RouteResult } } }>
}

/** Refuses writes by callers without write access before their body is parsed. */
export function requireWriteAccess({ request }: { request: Request }): void {
  const { caller, isReading } = contextOf(request)
  if (!isReading) requireWriter(caller.viewer)
}

/** Responds to JSON text or bytes, and to cacheable reads; Elysia handles all else. */
function jsonResponse(
  request: Request,
  value: unknown,
  status: number | string | undefined,
): Response | Promise<Response> | undefined {
  const context = contextOf(request)
  if (!context.isCacheable && !isJson(value)) return undefined
  const json = isPlain(value) ? JSON.stringify(value) : value
  if (!isJson(json)) return undefined
  return respondWithJson(request, context, json, {
    status: typeof status === 'number' ? status : 200,
  })
}

function isJson(value: unknown): value is Json | ListPieces {
  return typeof value === 'string' || value instanceof Uint8Array || value instanceof ListPieces
}

/** Returns true if a value is a plain object or array, not a `Response` or a stream. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readBody(request: Request, limit: number, arrival: ArrivalLimits): Promise<RawBody> {
  let bytes: Uint8Array
  try {
    bytes = await readBytes(request, limit, arrival)
  } catch (cause) {
    // The client closed the connection, or its chunks are malformed.
    throw cause instanceof DomainError ? cause : error('badRequest')
  }
  rejectOversized(bytes)
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    throw error('badRequest', 'the body is not UTF-8')
  }
}

/** A body of 1,000 members with 30 keys each uses half of the keys. */
const BODY_LIMITS = { nesting: 32, objectKeys: 1_000, keys: 64_000 }

/** Rejects a body that would take the parser long, before it is parsed. */
function rejectOversized(bytes: Uint8Array): void {
  const excess = findExcess(bytes, BODY_LIMITS)
  if (excess === 'nesting') throw error('badRequest', 'the body is nested deeper than 32 levels')
  if (excess === 'objectKeys')
    throw error('badRequest', 'an object of the body has more than 1,000 keys')
  if (excess === 'keys') throw error('badRequest', 'the body has more than 64,000 keys')
}

/** Reads a body of any content type and stops as soon as it is too large. */
async function readBytes(
  request: Request,
  limit: number,
  arrival: ArrivalLimits,
): Promise<Uint8Array> {
  const { receive, receiveWhole } = contextOf(request)
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  // The first byte of a body that is read at once is not noticed.
  if (!(length <= limit) || arrival.afterFirstByteMs !== undefined)
    return Buffer.concat(await Array.fromAsync(receive(chunksOf(request, limit), arrival)))
  // No more bytes than announced can arrive, so the body may be read at once.
  return receiveWhole(request.bytes(), arrival)
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

/** Receives a file in chunks, never whole: several at once would fill the memory. */
async function* streamBody(
  request: Request,
  limit: number,
  arrival: ArrivalLimits,
): AsyncGenerator<Uint8Array> {
  try {
    yield* contextOf(request).receive(chunksOf(request, limit), arrival)
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw error('badRequest', 'the file did not arrive whole')
  }
}
