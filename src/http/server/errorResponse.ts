import { DomainError, type ErrorName, error } from '../../model/core/errors'
import type { Log } from '../../runtime/log'
import type { Clock } from '../../runtime/timers/clock'
import { serializeError } from '../../serializers/error'
import { CORS, createBaseHeaders, retryAfterOf } from './headers'
import type { Allowance } from './requestLimits'

export interface ErrorResponseParts {
  log: Log
  outages: OutageLog
  /** Converts a temporary failure to the error to answer with; null for all others. */
  toUnavailable: (cause: unknown) => DomainError | null
}

export function errorResponse(failure: DomainError, hasProblemCodes = false): Response {
  const { status, retryAfter } = failure
  const response = Response.json(serializeError(failure, hasProblemCodes), { status })
  if (retryAfter !== undefined) response.headers.set('retry-after', retryAfterOf(failure))
  // An overloaded server also frees the connection of a refused request. After 408, the rest of the
  // body may still arrive.
  if (status === 503 || status === 408) response.headers.set('connection', 'close')
  return response
}

/** Logs that the database refuses requests. */
export type OutageLog = (refusal: DomainError, cause: string) => void

/** Time without a failure of the same kind after which the next one is a new outage. */
const QUIET_MS = 60_000

/** Logs one line for each outage: the request log has a line for every refused request anyway. */
export function createOutageLog(log: Log, clock: Clock): OutageLog {
  const lastAt = new Map<string, number>()
  return ({ message }, cause) => {
    const now = clock.monotonic()
    if (now - (lastAt.get(message) ?? Number.NEGATIVE_INFINITY) > QUIET_MS)
      log.error('request failed', { cause })
    lastAt.set(message, now)
  }
}

/** Converts a thrown value to a response. Unexpected ones are logged in full and answered as 500. */
export function responseForThrown(
  cause: unknown,
  requestId: string | undefined,
  { log, outages, toUnavailable }: ErrorResponseParts,
  hasProblemCodes = false,
): Response {
  // Drizzle wraps the failure in an error with the query, whose values must not be logged.
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const refusal = toUnavailable(cause)
  if (refusal) {
    outages(refusal, inner instanceof Error ? inner.message : String(inner))
    return errorResponse(refusal)
  }
  if (cause instanceof DomainError) return errorResponse(cause, hasProblemCodes)
  if (isClientFault(cause)) return errorResponse(error('badRequest'))
  log.error('request failed', {
    request_id: requestId,
    cause: inner instanceof Error ? (inner.stack ?? inner.message) : String(inner),
  })
  return errorResponse(error('internal'))
}

/** Returns true if Elysia rejected the request, such as a path with invalid percent-encoding. */
function isClientFault(cause: unknown): boolean {
  const { code } = cause as { code?: string }
  return code === 'VALIDATION' || code === 'PARSE'
}

export function rateLimitedResponse({ retryAfter }: Allowance): Response {
  const { message } = error('tooManyRequests')
  return errorResponse(new DomainError('tooManyRequests', message, undefined, retryAfter ?? 0))
}

/** Delay before a rejected request is answered, and minimum interval between log lines about rejections. */
const REFUSAL_DELAY_MS = 500

/** Refuses requests while the server is overloaded. */
interface OverloadResponder {
  respond(isSameOriginOnly: boolean): Promise<Response>
  /** Throws instead, for a request that a route has begun to answer. */
  reject(): Promise<never>
}

/**
 * Creates the 503 response of an overloaded server. Refusals are delayed and sent together, because
 * clients that retry immediately would take more time to refuse than to serve.
 */
export function createOverloadResponder(log: Log, clock: Clock): OverloadResponder {
  const failure = error('unavailable', 'too many requests at once')
  const body = JSON.stringify(serializeError(failure))
  const retryAfter = { 'retry-after': retryAfterOf(failure) }
  const sameOriginHeaders = createBaseHeaders(retryAfter).json
  const headers = createBaseHeaders({ ...CORS, ...retryAfter }).json
  let refused = 0
  let pending: Promise<void> | undefined
  const wait = async () => {
    await clock.sleep(REFUSAL_DELAY_MS)
    log.warn('requests refused: server overloaded', { refused })
    refused = 0
    pending = undefined
  }
  const delay = () => {
    refused++
    pending ??= wait()
    return pending
  }
  return {
    async respond(isSameOriginOnly) {
      await delay()
      return new Response(body, {
        status: failure.status,
        headers: isSameOriginOnly ? sameOriginHeaders : headers,
      })
    },
    async reject() {
      await delay()
      throw failure
    },
  }
}

/** Responds with 405 if the path has a route for another method, else with the given error. */
export function notFoundResponse(
  methods: readonly string[],
  method: string,
  notFoundError: ErrorName,
): Response {
  if (methods.length === 0 || methods.includes(method)) return errorResponse(error(notFoundError))
  const response = errorResponse(error('methodNotAllowed'))
  response.headers.set('allow', methods.join(', '))
  return response
}
