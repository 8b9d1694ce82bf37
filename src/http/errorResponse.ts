import type { AnyElysia } from 'elysia'
import type { Log } from '../log'
import { DomainError, type ErrorName, error } from '../model/errors'
import { serializeError } from '../serializers/error'
import { retryAfterOf } from './headers'
import type { Allowance } from './ratelimit'

/** How failures are answered. */

export interface ErrorResponseParts {
  log: Log
  outages: OutageLog
  /** What is answered to a failure that will pass; null for all others. */
  toUnavailable: (cause: unknown) => DomainError | null
}

export function errorResponse(failure: DomainError): Response {
  const { status, retryAfter } = failure
  const response = Response.json(serializeError(failure), { status })
  if (retryAfter !== undefined) response.headers.set('retry-after', retryAfterOf(failure))
  // Where there is too much of everything, who is refused shall not keep a connection either.
  if (status === 503) response.headers.set('connection', 'close')
  return response
}

/** Logs that the database refuses requests. */
export type OutageLog = (refusal: DomainError, cause: string) => void

/** A failure this long after the last one of the same kind begins another outage. */
const QUIET_MS = 60_000

/** Logs one line for each outage: the request log has a line for every refused request anyway. */
export function createOutageLog(log: Log): OutageLog {
  const lastAt = new Map<string, number>()
  return ({ message }, cause) => {
    const now = performance.now()
    if (now - (lastAt.get(message) ?? Number.NEGATIVE_INFINITY) > QUIET_MS)
      log.error('request failed', { cause })
    lastAt.set(message, now)
  }
}

/** Answers what was thrown. What nobody foresaw is logged whole, and shown as a bare 500. */
export function responseForThrown(
  cause: unknown,
  requestId: string | undefined,
  { log, outages, toUnavailable }: ErrorResponseParts,
): Response {
  // Around what failed stands the query, with values that belong in no log.
  const told = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const refusal = toUnavailable(cause)
  if (refusal) {
    outages(refusal, told instanceof Error ? told.message : String(told))
    return errorResponse(refusal)
  }
  // What a parser throws comes wrapped.
  if (cause instanceof DomainError) return errorResponse(cause)
  if (told instanceof DomainError) return errorResponse(told)
  if (isClientFault(cause)) return errorResponse(error('badRequest'))
  log.error('request failed', {
    request_id: requestId,
    cause: told instanceof Error ? (told.stack ?? told.message) : String(told),
  })
  return errorResponse(error('internal'))
}

/** What Elysia itself finds wrong, such as a path that is not valid percent-encoding. */
function isClientFault(cause: unknown): boolean {
  const { code } = cause as { code?: string }
  return code === 'VALIDATION' || code === 'PARSE'
}

export function rateLimitedResponse({ retryAfter }: Allowance): Response {
  const { message } = error('tooManyRequests')
  return errorResponse(new DomainError('tooManyRequests', message, undefined, retryAfter ?? 0))
}

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Nothing answers here: a wrong method, or no path at all. */
export function notFoundResponse(
  { router }: AnyElysia,
  method: string,
  path: string,
  unknown: ErrorName,
): Response {
  const plain = router.static[path.replace(/(?<=[^/])\/$/, '')]
  const allowed = METHODS.filter(
    (method) => plain?.[method] !== undefined || router.http.find(method, path) !== null,
  )
  if (allowed.includes('GET')) allowed.push('HEAD')
  if (allowed.length === 0 || allowed.includes(method)) return errorResponse(error(unknown))
  const response = errorResponse(error('methodNotAllowed'))
  response.headers.set('allow', allowed.join(', '))
  return response
}
