import { type AnyElysia, Elysia } from 'elysia'
import { error } from '../model/core/errors'
import type { Metrics } from '../runtime/metrics/metrics'
import { describeRoutes, documentedModules, type RouteParts, rootModule } from './apiModules'
import { type PublicParts, publicModule } from './publicRoutes'
import type { ApiModule, DirectRead, PathPolicy, ReadResult } from './server/apiModule'
import { type Caller, createAuthenticator } from './server/authenticate'
import { type ArrivingRequest, createBodyArrival } from './server/bodyArrival'
import type { RequestContext, RequestWithContext } from './server/context'
import {
  createOutageLog,
  createOverloadResponder,
  type ErrorResponseParts,
  errorResponse,
  notFoundResponse,
  rateLimitedResponse,
  responseForThrown,
} from './server/errorResponse'
import {
  ALLOW_ORIGIN,
  type BaseHeaders,
  type BaseHeadersOfPath,
  baseHeadersOf,
  limitedHeadersOf,
  preflight,
} from './server/headers'
import {
  type Allowance,
  addressOf,
  clientKeysOf,
  createAdmission,
  createRequestLimit,
} from './server/requestLimits'
import { respondWithJson } from './server/response'
import { waitingClientOf } from './server/routeGroup'
import { createRouteTable, isSafeMethod, METHODS, type RouteMatch } from './server/routeTable'
import { originConfig } from './server/sessionCookie'

export interface ServerParts
  extends RouteParts,
    Omit<ErrorResponseParts, 'outages'>,
    Pick<PublicParts, 'checkHealth'> {
  /** While the server stops: promise that a response awaits before it closes its connection. */
  shutdown: { readonly closing?: Promise<void> }
  /** Undefined if metrics are off. */
  metrics?: Metrics | undefined
}

type MaybePromise<T> = T | Promise<T>

/** Answers one request. The peer's address may be a function, called only if needed. */
export interface Handle {
  (request: Request, peer: string | (() => string)): MaybePromise<Response>
  /** Number of requests in progress, without those whose body is unfinished. */
  inFlight(): number
  unfinishedBodies(): number
}

/** Values prepared for the requests to a path. */
interface Mounted {
  readonly policy: PathPolicy
  readonly app: AnyElysia
  /** Index in the path of the reference to a system, if the policy has one. */
  readonly systemRefStart: number
  readonly unlimited: BaseHeadersOfPath
  readonly limited: BaseHeadersOfPath
}

/** A request that is being answered. */
interface Exchange extends ArrivingRequest {
  readonly started: number
  readonly requestId: string
  readonly request: RequestWithContext
  readonly method: string
  readonly path: string
  readonly peer: () => string
  readonly match: RouteMatch<Mounted>
  /** Known when the caller is. */
  base: BaseHeaders
  allowance: Allowance | null
  isSession: boolean
  /** Response that was created with all its headers. */
  complete: Response | null
}

/** Creates the HTTP handler: authentication, rate limits, routing and one log line per request. */
export function createHandler(serverParts: ServerParts): Handle {
  const { deps, config, log, shutdown, metrics } = serverParts
  const parts = { ...serverParts, outages: createOutageLog(log, deps.clock) }
  const matchPath = createRouteTable(listModules(parts), createMount(parts))
  const authenticate = createAuthenticator(deps, originConfig(config))
  const limit = createRequestLimit(config, log, deps.clock)
  const admission = createAdmission(config.REQUESTS_IN_FLIGHT)
  const overload = createOverloadResponder(log, deps.clock)
  const bodyArrival = createBodyArrival({
    clock: deps.clock,
    admission,
    rejectOverload() {
      metrics?.countOverload()
      return overload.reject()
    },
  })
  const isClientLogged = config.LOG_CLIENT === 'on'
  // A random prefix per start and a counter make request IDs unique without a UUID per request.
  const bootId = crypto.randomUUID().slice(0, 13)
  let count = 0

  const begin = (incoming: Request, from: string | (() => string)): Exchange => {
    const started = performance.now()
    const request = withAddress(incoming)
    const path = pathOf(request.url)
    const match = matchPath(path)
    return {
      started,
      requestId: `${bootId}-${(count++).toString(36)}`,
      request,
      method: request.method,
      path,
      peer: typeof from === 'string' ? () => from : from,
      match,
      base: match.mounted.unlimited.writes,
      allowance: null,
      isSession: false,
      complete: null,
      hasSlot: false,
      clientKeys: () => [],
    }
  }

  /** Applies the rate limit, and calls the route or the direct read. */
  const respondToCaller = (exchange: Exchange, caller: Caller): MaybePromise<Response> => {
    const { request, requestId, method, path, peer, match } = exchange
    const { policy, systemRefStart, unlimited, limited } = match.mounted
    const isReading = isSafeMethod(method)
    const refInPath = policy.hasSystemParam ? segmentAt(path, systemRefStart) || '@me' : null
    // Writes are only allowed on the caller's own system.
    const systemRef = isReading ? refInPath : '@me'
    const scope = isReading ? policy.scope : 'generic_update'
    const allowance = limit(request, scope, systemRef, caller, peer)
    exchange.allowance = allowance
    exchange.base = baseFor(allowance ? limited : unlimited, isReading, caller)
    exchange.isSession = caller.viewer.access === 'session'
    exchange.clientKeys = () => clientKeysOf(request, caller, peer, config.TRUST_PROXY)
    if (allowance?.retryAfter) {
      metrics?.countRateLimited(allowance.scope)
      return rateLimitedResponse(allowance)
    }
    const context: RequestContext = {
      caller,
      authenticate,
      requestId,
      reportFailure: (cause) => void responseForThrown(cause, requestId, parts),
      peer,
      headers: (etag) => jsonHeadersOf(exchange, etag),
      complete: (response) => {
        // The prepared headers of a path are shared by callers whose responses may be stored.
        if (!exchange.isSession) exchange.complete = response
        return response
      },
      isReading,
      isCacheable: isReading && policy.isCacheable,
      isHead: method === 'HEAD',
      trustedProxies: config.TRUST_PROXY,
      receive: (chunks, limits) => bodyArrival.receive(exchange, chunks, limits),
      receiveWhole: (whole, limits) => bodyArrival.receiveWhole(exchange, whole, limits),
    }
    request.context = context
    // A write ends also if its client leaves.
    return isReading ? deps.readFor(request, () => callRead(exchange, context)) : route(exchange)
  }

  const callRead = (exchange: Exchange, context: RequestContext): MaybePromise<Response> => {
    const { path, match } = exchange
    if (!match.directRead) return route(exchange)
    const ref = segmentAt(path, match.directRead.refStart)
    // Elysia decodes percent-encoded references.
    if (ref.includes('%')) return route(exchange)
    return callDirectRead(match.directRead.read, ref, exchange, context)
  }

  const callDirectRead = (
    read: DirectRead,
    ref: string,
    exchange: Exchange,
    context: RequestContext,
  ): MaybePromise<Response> => {
    const { request } = exchange
    const respondTo = (json: ReadResult, isLate: boolean): MaybePromise<Response> => {
      if (json === null) return new Response(null, { status: 204 })
      return respondWithJson(request, context, json, { isLate })
    }
    const result = read(deps, context.caller.viewer, ref, () => waitingClientOf(request))
    return result instanceof Promise
      ? result.then((json) => respondTo(json, true))
      : respondTo(result, false)
  }

  const record = (exchange: Exchange, status: number): void => {
    const { started, requestId, request, method, path, peer, match } = exchange
    const elapsedMs = performance.now() - started
    if (metrics) {
      const knownMethod = METHODS.includes(method) ? method : 'other'
      metrics.recordRequest(match.route, knownMethod, status, elapsedMs / 1000)
    }
    const ms = Math.round(elapsedMs * 100) / 100
    const client = isClientLogged ? addressOf(peer, request.headers, config.TRUST_PROXY) : undefined
    const fields = { method, path, status, ms, request_id: requestId, client }
    // Health checks come every few seconds and would flood the log.
    if (match.mounted.policy.bypassesAdmission) log.debug('request', fields)
    else log.info('request', fields)
  }

  const respond = (exchange: Exchange): MaybePromise<Response> => {
    const { request, method } = exchange
    const { policy } = exchange.match.mounted
    if (method === 'OPTIONS') return preflightResponse(policy)
    if (policy.isPublic) return route(exchange)
    // The lookup of the caller and the statements of its request read one snapshot.
    deps.sharedRead.begin()
    const caller = authenticate(request, policy)
    return caller instanceof Promise
      ? caller.then((resolvedCaller) => respondToCaller(exchange, resolvedCaller))
      : respondToCaller(exchange, caller)
  }

  const respondAfter = async (turn: Promise<void>, exchange: Exchange): Promise<Response> => {
    await turn
    // The client of a read may have left while it waited.
    if (isSafeMethod(exchange.method)) exchange.request.signal.throwIfAborted()
    return await respond(exchange)
  }

  const finish = (exchange: Exchange, response: Response): Response => {
    if (response !== exchange.complete) addHeaders(response.headers, exchange)
    record(exchange, response.status)
    return response
  }

  const finishHead = async (exchange: Exchange, response: Response): Promise<Response> =>
    finish(exchange, await withoutBody(response))

  /** While the server stops, its responses wait and close their connections. */
  const closeAfter = async (closing: Promise<void>, finished: MaybePromise<Response>) => {
    const response = await finished
    await closing
    response.headers.set('connection', 'close')
    return response
  }

  const end = (exchange: Exchange, response: Response): MaybePromise<Response> => {
    if (exchange.hasSlot) admission.release()
    const finished =
      exchange.method === 'HEAD' ? finishHead(exchange, response) : finish(exchange, response)
    return shutdown.closing ? closeAfter(shutdown.closing, finished) : finished
  }

  /** Returns a promise only if it must: Bun sends a promised response one step later. */
  const handle = (incoming: Request, from: string | (() => string)): MaybePromise<Response> => {
    const exchange = begin(incoming, from)
    const { policy } = exchange.match.mounted
    const isCounted = !policy.bypassesAdmission
    if (isCounted && admission.isFull) {
      metrics?.countOverload()
      return overload.respond(policy.isSameOriginOnly)
    }
    const fail = (cause: unknown) =>
      responseAfterError(cause, exchange.request, exchange.requestId, parts, policy)
    let response: MaybePromise<Response>
    try {
      // A request reads no snapshot that is older than its arrival.
      deps.sharedRead.end()
      exchange.hasSlot = isCounted
      const turn = isCounted ? admission.acquire(exchange.started) : undefined
      response = turn === undefined ? respond(exchange) : respondAfter(turn, exchange)
    } catch (cause) {
      response = fail(cause)
    }
    return response instanceof Promise
      ? response.catch(fail).then((late) => end(exchange, late))
      : end(exchange, response)
  }
  return Object.assign(handle, {
    inFlight: () => admission.inFlight,
    unfinishedBodies: () => bodyArrival.count,
  })
}

/** Lists the API modules in the order in which they claim paths. */
function listModules(parts: ServerParts): ApiModule[] {
  return [
    publicModule({ ...parts, describeRoutes: () => describeRoutes(parts) }),
    ...documentedModules(parts),
    rootModule(parts),
  ]
}

/** Creates the function that prepares the requests to a path; paths of a module share its app. */
function createMount(parts: ServerParts & ErrorResponseParts) {
  const { RATE_LIMIT } = parts.config
  const apps = new Map<ApiModule | null, AnyElysia>()
  return (policy: PathPolicy, start: string, module: ApiModule | null): Mounted => {
    const app = apps.get(module) ?? createElysia(module, parts)
    apps.set(module, app)
    const unlimited = baseHeadersOf(policy)
    const limited = RATE_LIMIT ? limitedHeadersOf(policy, RATE_LIMIT) : unlimited
    return { policy, app, systemRefStart: start.length + 1, unlimited, limited }
  }
}

/** Status for the log of a request whose client closed the connection; nginx uses the same. */
const CLIENT_CLOSED = 499

function createElysia(module: ApiModule | null, parts: ErrorResponseParts): AnyElysia {
  // Elysia's shortcut fails on host names of one to three letters, such as "nas".
  const app: AnyElysia = new Elysia({ normalize: false, handler: { standardHostname: false } })
  app.onError(({ error: cause, code, request }) => {
    const { context }: RequestWithContext = request
    if (code === 'NOT_FOUND') return errorResponse(error('notFound'))
    return responseAfterError(cause, request, context?.requestId, parts, module?.policy)
  })
  return module ? app.use(module.routes()) : app
}

function responseAfterError(
  cause: unknown,
  request: Request,
  requestId: string | undefined,
  parts: ErrorResponseParts,
  policy: Partial<PathPolicy> = {},
): Response {
  if (cause === request.signal.reason) return new Response(null, { status: CLIENT_CLOSED })
  return responseForThrown(cause, requestId, parts, policy.hasProblemCodes)
}

/** Passes a request to Elysia if it has a route. HEAD is routed as GET, so routes need not handle it. */
function route({ request, method, path, match }: Exchange): MaybePromise<Response> {
  const { app, policy } = match.mounted
  if (!match.methods.includes(method) || mayBeNormalized(method, path))
    return notFoundResponse(match.methods, method, policy.notFoundError)
  if (method !== 'HEAD') return app.fetch(request)
  const routed: RequestWithContext = new Request(request, { method: 'GET' })
  if (request.context) routed.context = request.context
  return app.fetch(routed)
}

function baseFor(
  { writes, reads, authenticatedReads }: BaseHeadersOfPath,
  isReading: boolean,
  { kind }: Caller,
): BaseHeaders {
  if (!isReading) return writes
  return kind === 'anonymous' ? reads : authenticatedReads
}

function addHeaders(headers: Headers, exchange: Exchange): void {
  const { base, isSession } = exchange
  // Responses with stored JSON are created with the base headers.
  if (!headers.has(ALLOW_ORIGIN))
    for (const [name, value] of base.entries) if (!headers.has(name)) headers.set(name, value)
  // Devices may be shared, so browsers must not cache the data of a session.
  if (isSession) headers.set('cache-control', 'no-store')
  addOwnHeaders(headers, exchange)
}

/** Sets the headers that differ between the responses of a path. */
function addOwnHeaders(headers: Headers, { allowance, requestId }: Exchange): void {
  if (allowance) {
    headers.set('x-ratelimit-remaining', String(allowance.remaining))
    headers.set('x-ratelimit-reset', String(allowance.reset))
  }
  headers.set('x-request-id', requestId)
}

/**
 * Completes the prepared headers of JSON responses and returns them, for a response that is created
 * at once and copies them. Setting headers on the response itself would cost 0.8 µs.
 */
function jsonHeadersOf(exchange: Exchange, etag: string | undefined): Headers {
  const { json } = exchange.base
  if (etag === undefined) json.delete('etag')
  else json.set('etag', etag)
  addOwnHeaders(json, exchange)
  return json
}

function preflightResponse({ isSameOriginOnly }: PathPolicy): Response {
  return new Response(null, { status: 204, headers: isSameOriginOnly ? {} : preflight })
}

/**
 * Rejects DELETE with a slash at the end. Clients and proxies normalize a last segment of dots to a
 * slash, so `/systems/ID/accounts/..` would delete the system; other methods accept the slash.
 */
function mayBeNormalized(method: string, path: string): boolean {
  return method === 'DELETE' && path.endsWith('/')
}

async function withoutBody(response: Response): Promise<Response> {
  const head = new Response(null, response)
  // The length of a large list is not known.
  if (response.status === 200 && response.body === null) return head
  // An event stream has no length and never ends.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return head
  }
  const { size } = await response.blob()
  head.headers.set('content-length', String(size))
  return head
}

/** Adds a host if the URL is only a path, as for HTTP/1.0 requests without a usable Host header. */
function withAddress(request: Request): Request {
  if (!request.url.startsWith('/')) return request
  return new Request(`http://localhost${request.url}`, request)
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Returns the segment of a path that begins at an index; may be empty. */
function segmentAt(path: string, start: number): string {
  const end = path.indexOf('/', start)
  return end === -1 ? path.slice(start) : path.slice(start, end)
}
