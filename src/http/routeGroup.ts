import {
  type DefinitionBase,
  Elysia,
  type EphemeralType,
  type MetadataBase,
  type RouteBase,
  type SingletonBase,
} from 'elysia'
import { error } from '../model/errors'
import { requireBot, requireWriter, type Serialized } from '../model/privacy'
import { type BodyStream, readBody, streamBody } from './body'
import { callerOf, type RequestWithContext } from './context'
import { unparsedBody, withStatusUsed } from './elysiaInternals'
import { type Json, respondAndDetach, respondWithETag } from './response'
import { isSafeMethod } from './routeTable'

/** Creates a group of routes that have a viewer and receive their body as unparsed JSON text. */
export function routes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false })
      .guard(unparsedBody)
      .derive(async ({ request }) => {
        const { viewer } = callerOf(request)
        if (isSafeMethod(request.method)) return { viewer }
        requireAuthentication(request)
        return { viewer, body: await readBody(request, bodyLimit) }
      })
      .mapResponse(async ({ request, responseValue, set }) =>
        withStatusUsed(set, await jsonResponse(request, responseValue, set.status)),
      ),
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
      const { viewer } = callerOf(request)
      if (isSafeMethod(request.method)) return { viewer }
      return { viewer, body: await readBody(request, bodyLimit) }
    }),
  )
}

/** Like `routes`, but the body is a file, which the route reads when it is its turn. */
export function uploadRoutes(bodyLimit: number) {
  return withSerializedResponses(
    new Elysia({ normalize: false }).guard(unparsedBody).derive(({ request }) => {
      const { viewer } = callerOf(request)
      if (isSafeMethod(request.method)) return { viewer }
      requireAuthentication(request)
      const body: BodyStream = { open: () => streamBody(request, bodyLimit) }
      return { viewer, body }
    }),
  )
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

/** Refuses writes by anonymous callers before their body is read. */
function requireAuthentication(request: Request): void {
  if (callerOf(request).kind === 'anonymous') throw error('unauthorized')
}

/** Refuses writes by callers without write access before their body is parsed. */
export function requireWriteAccess({ request }: { request: Request }): void {
  if (!isSafeMethod(request.method)) requireWriter(callerOf(request).viewer)
}

/** Responds to JSON text or bytes, and to cacheable reads; Elysia handles all else. */
function jsonResponse(
  request: RequestWithContext,
  value: unknown,
  status: number | string | undefined,
): Response | Promise<Response> | undefined {
  const { context } = request
  if (!context) return undefined
  const { isCacheable, headers } = context
  const json = isJson(value) ? value : isCacheable && isPlain(value) ? JSON.stringify(value) : null
  if (json === null) return undefined
  if (isCacheable) return respondWithETag(request, json, headers)
  return respondAndDetach(request, json, headers, {
    status: typeof status === 'number' ? status : 200,
  })
}

function isJson(value: unknown): value is Json {
  return typeof value === 'string' || value instanceof Uint8Array
}

/** Whether a value is a plain object or array, not a `Response` or a stream. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype
}
