import { type AnyElysia, Elysia } from 'elysia'
import type { Metrics } from '../metrics/metrics'
import { createAdmission, createOverloadResponder } from './admission'
import {
  type ApiModule,
  buildPolicyTable,
  findPolicy,
  type PathPolicy,
  type PolicyTable,
} from './apiModule'
import { describeRoutes, documentedModules, type RouteParts, rootModule } from './apiModules'
import { createAuthenticator } from './authenticate'
import { addressOf } from './clientAddress'
import { type RequestContext, type RequestWithContext, requestIdOf } from './context'
import { collectDirectReads, type DirectReads, findDirectRead } from './directReads'
import {
  createOutageLog,
  type ErrorResponseParts,
  notFoundResponse,
  rateLimitedResponse,
  responseForThrown,
} from './errorResponse'
import {
  addBaseHeaders,
  type BaseHeadersOfPath,
  baseHeadersOf,
  limitedHeadersOf,
  preflight,
} from './headers'
import { type PublicParts, publicModule } from './publicRoutes'
import { type Allowance, createRequestLimit } from './ratelimit'
import { respondWithJson } from './response'
import { createFindRouteMetrics, type FindRouteMetrics } from './routeMetrics'
import { isSafeMethod } from './safeMethod'
import { originConfig } from './web/cookie'

export interface ServerParts
  extends RouteParts,
    Omit<ErrorResponseParts, 'outages'>,
    Pick<PublicParts, 'checkHealth'> {
  /** While the server stops: promise that a response awaits before it closes its connection. */
  closing: () => Promise<void> | undefined
  /** Undefined if metrics are off. */
  metrics?: Metrics | undefined
}

/** Answers one request. The peer's address may be a function, called only if needed. */
export interface Handle {
  (request: Request, peer: string | (() => string)): Promise<Response>
  /** Number of requests in progress. */
  inFlight(): number
}

/** Values prepared for the requests to a path. */
interface PathEntry {
  readonly policy: PathPolicy
  /** Index in the path of the reference that may follow `start`. */
  readonly refStart: number
  readonly start: string
  readonly lazyModule: LazyModule
  readonly unlimited: BaseHeadersOfPath
  readonly limited: BaseHeadersOfPath
}

/** Creates the HTTP handler: authentication, rate limits, routing and one log line per request. */
export function createHandler(serverParts: ServerParts): Handle {
  const parts = { ...serverParts, outages: createOutageLog(serverParts.log) }
  const { deps, config, log, closing, metrics } = parts
  const modules = [
    publicModule({ ...parts, describeRoutes: () => describeRoutes(parts) }),
    ...documentedModules(parts),
    rootModule(parts),
  ]
  const policyOf = (path: string) => findPolicy(pathEntries, path).policy
  const lazyModules = new Map(
    modules.map((module) => [module, createLazyModule(module, policyOf, parts)]),
  )
  const emptyModule = createLazyModule(null, policyOf, parts)
  const pathEntries: PolicyTable<PathEntry> = buildPolicyTable(
    modules,
    (policy, start, module): PathEntry => {
      const unlimited = baseHeadersOf(policy)
      const limited = config.RATE_LIMIT ? limitedHeadersOf(policy, config.RATE_LIMIT) : unlimited
      const refStart = start.length + 1
      const lazyModule = (module && lazyModules.get(module)) ?? emptyModule
      return { policy, start, refStart, lazyModule, unlimited, limited }
    },
  )
  const authenticate = createAuthenticator(deps, originConfig(config))
  const limit = createRequestLimit(config, log)
  const admission = createAdmission(config.REQUESTS_IN_FLIGHT)
  const respondOverloaded = createOverloadResponder(log)
  const isClientLogged = config.LOG_CLIENT === 'on'
  // A random prefix per start and a counter make request IDs unique without a UUID per request.
  const bootId = crypto.randomUUID().slice(0, 13)
  let count = 0

  /** A single function, because every further async call would cost each request. */
  const handle = async (incoming: Request, from: string | (() => string)): Promise<Response> => {
    const started = performance.now()
    const request = withAddress(incoming)
    const { method, url } = request
    const path = pathOf(url)
    const entry = findPolicy(pathEntries, path)
    const { policy, refStart, unlimited, limited } = entry
    if (admission.isFull && !policy.bypassesAdmission) {
      metrics?.countOverload()
      return respondOverloaded(policy.isSameOriginOnly)
    }
    const requestId = `${bootId}-${(count++).toString(36)}`
    let response: Response
    let base = unlimited.writes
    let allowance: Allowance | null = null
    let isSession = false
    try {
      // A request reads no snapshot that is older than its arrival.
      deps.sharedRead.end()
      const turn = policy.bypassesAdmission ? undefined : admission.acquire(started)
      if (turn !== undefined) await turn
      // HEAD is routed as GET, so routes need not handle it.
      const routed: RequestWithContext =
        method === 'HEAD' ? new Request(request, { method: 'GET' }) : request
      if (method === 'OPTIONS')
        response = new Response(null, {
          status: 204,
          headers: policy.isSameOriginOnly ? {} : preflight,
        })
      else if (policy.isPublic) response = await entry.lazyModule().app.fetch(routed)
      else {
        const found = authenticate(request, policy)
        const caller = found instanceof Promise ? await found : found
        const peer = typeof from === 'string' ? () => from : from
        const isReading = isSafeMethod(method)
        const ref = segmentAt(path, refStart)
        // Writes are only allowed on the caller's own system.
        const systemRef = isReading ? (policy.hasSystemParam ? ref || '@me' : null) : '@me'
        const scope = isReading ? policy.scope : 'generic_update'
        allowance = limit(request, scope, systemRef, caller, peer)
        const bases = allowance ? limited : unlimited
        base = isReading
          ? caller.kind === 'anonymous'
            ? bases.reads
            : bases.authenticatedReads
          : bases.writes
        const context: RequestContext = {
          caller,
          authenticate,
          requestId,
          peer,
          headers: base.json,
          isCacheable: isReading && policy.isCacheable,
          isHead: method === 'HEAD',
          trustedProxies: config.TRUST_PROXY,
        }
        routed.context = context
        isSession = caller.viewer.access === 'session'
        const { app, reads } = entry.lazyModule()
        const read = isReading
          ? findDirectRead(reads.get(entry.start), path, ref, refStart)
          : undefined
        if (allowance?.retryAfter) {
          metrics?.countRateLimited(allowance.scope)
          response = rateLimitedResponse(allowance)
        } else if (read) {
          const result = read(caller.viewer, ref)
          const isLate = result instanceof Promise
          const answer = respondWithJson(routed, context, isLate ? await result : result, isLate)
          response = answer instanceof Promise ? await answer : answer
        } else if (mayBeNormalized(method, path))
          response = notFoundResponse(app, method, path, policy.notFoundError)
        else response = await app.fetch(routed)
      }
    } catch (cause) {
      response = responseForThrown(cause, requestId, parts)
    }
    if (!policy.bypassesAdmission) admission.release()
    if (method === 'HEAD') response = await withoutBody(response)
    const { headers, status } = response
    addBaseHeaders(headers, base)
    // Devices may be shared, so browsers must not cache the data of a session.
    if (isSession) headers.set('cache-control', 'no-store')
    if (allowance) {
      headers.set('x-ratelimit-remaining', String(allowance.remaining))
      headers.set('x-ratelimit-reset', String(allowance.reset))
    }
    headers.set('x-request-id', requestId)
    const elapsedMs = performance.now() - started
    if (metrics)
      entry
        .lazyModule()
        .findRouteMetrics?.(entry.start, path, method)
        .record(status, elapsedMs / 1000)
    const ms = Math.round(elapsedMs * 100) / 100
    const client = isClientLogged ? clientOf(request, from, config.TRUST_PROXY) : undefined
    const fields = { method, path, status, ms, request_id: requestId, client }
    // Health checks come every few seconds and would flood the log.
    if (policy.bypassesAdmission) log.debug('request', fields)
    else log.info('request', fields)
    const closed = closing()
    if (closed !== undefined) {
      await closed
      headers.set('connection', 'close')
    }
    return response
  }
  return Object.assign(handle, { inFlight: () => admission.inFlight })
}

function clientOf(request: Request, from: string | (() => string), proxies: number): string {
  return addressOf(typeof from === 'string' ? () => from : from, request.headers, proxies)
}

/** Status for the log of a request whose client closed the connection; nginx uses the same. */
const CLIENT_CLOSED = 499

interface LoadedModule {
  readonly app: AnyElysia
  readonly reads: ReadonlyMap<string, DirectReads>
  readonly findRouteMetrics: FindRouteMetrics | undefined
}

type ModuleParts = ErrorResponseParts & Pick<ServerParts, 'metrics'>

/** Loads the routes of a module on the first request to one of them. */
type LazyModule = () => LoadedModule

function createLazyModule(
  module: ApiModule | null,
  policyOf: (path: string) => PathPolicy,
  parts: ModuleParts,
): LazyModule {
  let loaded: LoadedModule | undefined
  return () => {
    loaded ??= loadModule(module, policyOf, parts)
    return loaded
  }
}

function loadModule(
  module: ApiModule | null,
  policyOf: (path: string) => PathPolicy,
  parts: ModuleParts,
): LoadedModule {
  // Elysia's shortcut fails on host names of one to three letters, such as "nas".
  const app: AnyElysia = new Elysia({ normalize: false, handler: { standardHostname: false } })
  app.onError(({ error: cause, code, request, path }) => {
    if (code === 'NOT_FOUND')
      return notFoundResponse(app, request.method, path, policyOf(path).notFoundError)
    if (cause === request.signal.reason) return new Response(null, { status: CLIENT_CLOSED })
    return responseForThrown(cause, requestIdOf(request), parts)
  })
  if (module) app.use(module.routes())
  const findRouteMetrics = parts.metrics && createFindRouteMetrics(app, parts.metrics)
  return { app, reads: collectDirectReads(app), findRouteMetrics }
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
