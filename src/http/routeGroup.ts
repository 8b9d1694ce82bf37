import {
  type DefinitionBase,
  Elysia,
  type EphemeralType,
  type MetadataBase,
  type RouteBase,
  type SingletonBase,
} from 'elysia'
import { error } from '../model/errors'
import { requireWriter, type Serialized } from '../model/privacy'
import { type BodyStream, readBody, streamBody } from './body'
import { callerOf, type RequestContext, type RequestWithContext } from './context'
import { type Bytes, encodeJson, respondWithBytes, respondWithETag } from './response'
import { isSafeMethod } from './safeMethod'

/** A group of routes that know their viewer and get their body as unread JSON text. */
export function routes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false })
      .onParse(requireAuthentication)
      .onParse(({ request }) => readBody(request, bodyLimit))
      .derive(({ request }) => ({ viewer: callerOf(request).viewer }))
      .mapResponse(({ request, responseValue, set }) =>
        jsonResponse(request, responseValue, set.status),
      ),
  )
}

/** As routes, also for nobody. */
export function publicRoutes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false })
      .onParse(({ request }) => readBody(request, bodyLimit))
      .derive(({ request }) => ({ viewer: callerOf(request).viewer })),
  )
}

/** As routes, for those that take a whole file as their body, and read it when its turn has come. */
export function uploadRoutes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false })
      .onParse(requireAuthentication)
      .onParse(({ request }): BodyStream => ({ open: () => streamBody(request, bodyLimit) }))
      .derive(({ request }) => ({ viewer: callerOf(request).viewer })),
  )
}

/** All that a route may answer beside a ready `Response`: a row that nobody has looked at is none. */
// biome-ignore lint/suspicious/noConfusingVoidType: a route that only sets its status gives nothing
type RouteResult = Serialized | readonly Serialized[] | undefined | void

/** Says so to the type checker alone: Elysia would look at each answer again. */
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

/** Nobody may write, and nobody's body is read. */
function requireAuthentication({ request }: { request: Request }): void {
  if (callerOf(request).kind === 'nobody') throw error('unauthorized')
}

/** Who may not write is told so before a body is looked at. */
export function requireWriteAccess({ request }: { request: Request }): void {
  if (!isSafeMethod(request.method)) requireWriter(callerOf(request).viewer)
}

/** Answers with what a read found. */
export function respondWithJson(
  request: Request,
  { isCacheable, headers }: RequestContext,
  json: Bytes | null,
): Response {
  if (json === null) return new Response(null, { status: 204 })
  return isCacheable
    ? respondWithETag(request, json, headers)
    : respondWithBytes(request, json, headers)
}

/** What storage gave as bytes is JSON already. Elysia knows by itself what to make of all else. */
function jsonResponse(
  request: RequestWithContext,
  value: unknown,
  status: number | string | undefined,
): Response | undefined {
  const { context } = request
  if (!context) return undefined
  if (context.isCacheable) {
    const bytes = isBytes(value) ? value : isJson(value) ? encodeJson(JSON.stringify(value)) : null
    return bytes ? respondWithETag(request, bytes, context.headers) : undefined
  }
  if (!isBytes(value)) return undefined
  return respondWithBytes(
    request,
    value,
    context.headers,
    typeof status === 'number' ? status : 200,
  )
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
