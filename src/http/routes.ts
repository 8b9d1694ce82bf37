import { Elysia } from 'elysia'
import { error } from '../model/errors'
import { requireSystem } from '../model/privacy'
import { answerBytes, answerRead, type Bytes, encodeJson } from './answers'
import { receiveBody, receiveFile, type UnreadFile } from './body'
import { callerOf, type KnownRequest } from './context'

/** A group of routes that know their viewer and get their body as unread JSON text. */
export function routes(bodyLimit: number) {
  return new Elysia({ normalize: false })
    .onParse(refuseNobody)
    .onParse(({ request }) => receiveBody(request, bodyLimit))
    .derive(({ request }) => ({ viewer: callerOf(request).viewer }))
    .mapResponse(({ request, responseValue, set }) =>
      answerJson(request, responseValue, set.status),
    )
}

/** As routes, for those that take a whole file as their body, and read it when its turn has come. */
export function fileRoutes(bodyLimit: number) {
  return new Elysia({ normalize: false })
    .onParse(refuseNobody)
    .onParse(({ request }): UnreadFile => ({ arrive: () => receiveFile(request, bodyLimit) }))
    .derive(({ request }) => ({ viewer: callerOf(request).viewer }))
}

/** Nobody may write, and nobody's body is read. */
function refuseNobody({ request }: { request: Request }): void {
  if (callerOf(request).kind === 'nobody') throw error('unauthorized')
}

/** Who writes has a system, which is said before a body is looked at. */
export function refuseStrangersToWrite({ request }: { request: Request }): void {
  if (!isRead(request.method)) requireSystem(callerOf(request).viewer)
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** What storage gave as bytes is JSON already. Elysia knows by itself what to make of all else. */
function answerJson(
  request: KnownRequest,
  value: unknown,
  status: number | string | undefined,
): Response | undefined {
  const { context } = request
  if (!context) return undefined
  if (context.isKept) {
    const bytes = isBytes(value) ? value : isJson(value) ? encodeJson(JSON.stringify(value)) : null
    return bytes ? answerRead(request, bytes, context.headers) : undefined
  }
  if (!isBytes(value)) return undefined
  return answerBytes(request, value, context.headers, typeof status === 'number' ? status : 200)
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
