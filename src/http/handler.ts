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
import { type RequestContext, requestIdOf, setContext } from './context'
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
import { compress } from './response'
import { respondWithJson } from './routeGroup'
import { createFindRouteMetrics, type FindRouteMetrics } from './routeMetrics'
import { isSafeMethod } from './safeMethod'
import { originConfig } from './web/cookie'

export interface ServerParts
  extends RouteParts,
    Omit<ErrorResponseParts, 'outages'>,
    Pick<PublicParts, 'checkHealth'> {
  /** While the server stops: what an answer waits for before it ends its connection. */
  closing: () => Promise<void> | undefined
  /** Who counts what is asked; nobody where the operator does not want it. */
  metrics?: Metrics | undefined
}

/** Answers one request. The peer's address is asked for only where it matters. */
export interface Handle {
  (request: Request, peer: string | (() => string)): Promise<Response>
  /** How many it works on now. */
  inFlight(): number
}

/** What is ready for the requests to a path before they come. */
interface PathEntry {
  readonly policy: PathPolicy
  /** Where in the path the name begins that may follow its noun. */
  readonly nameAt: number
  readonly start: string
  readonly mount: LazyModule
  readonly unlimited: BaseHeadersOfPath
  readonly limited: BaseHeadersOfPath
}

/** The edge: who asks, how often, what is answered, and one line of log for each request. */
export function createHandler(given: ServerParts): Handle {
  const parts = { ...given, outages: createOutageLog(given.log) }
  const { deps, config, log, closing, metrics } = parts
  const wires = [
    publicModule({ ...parts, describeRoutes: () => describeRoutes(parts) }),
    ...documentedModules(parts),
    rootModule(parts),
  ]
  const policyOf = (path: string) => findPolicy(places, path).policy
  const mounts = new Map(wires.map((module) => [module, createLazyModule(module, policyOf, parts)]))
  const nothing = createLazyModule(null, policyOf, parts)
  const places: PolicyTable<PathEntry> = buildPolicyTable(
    wires,
    (policy, start, module): PathEntry => {
      const unlimited = baseHeadersOf(policy)
      const limited = config.RATE_LIMIT ? limitedHeadersOf(policy, config.RATE_LIMIT) : unlimited
      const nameAt = start.length + 1
      const mount = (module && mounts.get(module)) ?? nothing
      return { policy, start, nameAt, mount, unlimited, limited }
    },
  )
  const authenticate = createAuthenticator(deps, originConfig(config))
  const limit = createRequestLimit(config, log)
  const gate = createAdmission(config.REQUESTS_IN_FLIGHT)
  const refuse = createOverloadResponder(log)
  const isClientLogged = config.LOG_CLIENT === 'on'
  // Unique without being drawn anew for each request.
  const boot = crypto.randomUUID().slice(0, 13)
  let count = 0

  /** One function, because every further one that waits would cost each request. */
  const handle = async (given: Request, from: string | (() => string)): Promise<Response> => {
    const started = performance.now()
    const request = withAddress(given)
    const { method, url } = request
    const path = pathOf(url)
    const place = findPolicy(places, path)
    const { policy, nameAt, unlimited, limited } = place
    if (gate.isFull && !policy.bypassesAdmission) {
      metrics?.countOverload()
      return refuse(policy.isSameOriginOnly)
    }
    const requestId = `${boot}-${(count++).toString(36)}`
    let response: Response
    let base = unlimited.writes
    let allowance: Allowance | null = null
    let isOfSession = false
    try {
      // A request reads no snapshot that is older than its arrival.
      deps.sharedRead.end()
      const turn = policy.bypassesAdmission ? undefined : gate.acquire(started)
      if (turn !== undefined) await turn
      // HEAD is answered as GET: no route has to know of it.
      const asked = method === 'HEAD' ? new Request(request, { method: 'GET' }) : request
      if (method === 'OPTIONS')
        response = new Response(null, {
          status: 204,
          headers: policy.isSameOriginOnly ? {} : preflight,
        })
      else if (policy.isPublic) response = await place.mount().app.fetch(asked)
      else {
        const found = authenticate(request, policy)
        const caller = found instanceof Promise ? await found : found
        const peer = typeof from === 'string' ? () => from : from
        const isReading = isSafeMethod(method)
        const name = partAt(path, nameAt)
        // Writes are only ever allowed on the caller's own system.
        const named = isReading ? (policy.hasSystemParam ? name || '@me' : null) : '@me'
        const scope = isReading ? policy.scope : 'generic_update'
        allowance = limit(request, scope, named, caller, peer)
        const bases = allowance ? limited : unlimited
        base = isReading ? (caller.kind === 'nobody' ? bases.reads : bases.ownReads) : bases.writes
        const context: RequestContext = {
          caller,
          authenticate,
          requestId,
          peer,
          headers: base.ofJson,
          isCacheable: isReading && policy.isCacheable,
          trustedProxies: config.TRUST_PROXY,
        }
        setContext(asked, context)
        isOfSession = caller.viewer.access === 'session'
        const { app, reads } = place.mount()
        const load = isReading
          ? findDirectRead(reads.get(place.start), path, name, nameAt)
          : undefined
        if (allowance?.retryAfter) {
          metrics?.countRateLimited(allowance.scope)
          response = rateLimitedResponse(allowance)
        } else if (load) {
          const loaded = load(caller.viewer, name)
          context.isAsync = loaded instanceof Promise
          response = respondWithJson(
            asked,
            context,
            loaded instanceof Promise ? await loaded : loaded,
          )
        } else if (mayBeFolded(method, path))
          response = notFoundResponse(app, method, path, policy.notFoundError)
        else response = await app.fetch(asked)
        if (context.pendingCompression)
          response =
            method === 'HEAD'
              ? new Response(context.pendingCompression.bytes, response)
              : await compress(context.pendingCompression, response)
      }
    } catch (cause) {
      response = responseForThrown(cause, requestId, parts)
    }
    if (!policy.bypassesAdmission) gate.release()
    if (method === 'HEAD') response = await withoutBody(response)
    const { headers, status } = response
    addBaseHeaders(headers, base)
    // Nothing of a system is kept on a device that may be shared.
    if (isOfSession) headers.set('cache-control', 'no-store')
    if (allowance) {
      headers.set('x-ratelimit-remaining', String(allowance.remaining))
      headers.set('x-ratelimit-reset', String(allowance.reset))
    }
    headers.set('x-request-id', requestId)
    const took = performance.now() - started
    if (metrics)
      place
        .mount()
        .findRouteMetrics?.(place.start, path, method)
        .record(status, took / 1000)
    const ms = Math.round(took * 100) / 100
    const client = isClientLogged ? clientOf(request, from, config.TRUST_PROXY) : undefined
    const line = { method, path, status, ms, request_id: requestId, client }
    // Those who watch ask every few seconds, and nobody wants to read of it.
    if (policy.bypassesAdmission) log.debug('request', line)
    else log.info('request', line)
    const closed = closing()
    if (closed !== undefined) {
      await closed
      headers.set('connection', 'close')
    }
    return response
  }
  return Object.assign(handle, { inFlight: () => gate.inFlight })
}

function clientOf(request: Request, from: string | (() => string), proxies: number): string {
  return addressOf(typeof from === 'string' ? () => from : from, request.headers, proxies)
}

/** Status of a request whose client closed the connection, for the log; as nginx has it. */
const CLIENT_CLOSED = 499

interface LoadedModule {
  readonly app: AnyElysia
  readonly reads: ReadonlyMap<string, DirectReads>
  readonly findRouteMetrics: FindRouteMetrics | undefined
}

type MountParts = ErrorResponseParts & Pick<ServerParts, 'metrics'>

/** The routes of a wire, made when one of them is first asked. */
type LazyModule = () => LoadedModule

function createLazyModule(
  module: ApiModule | null,
  policyOf: (path: string) => PathPolicy,
  parts: MountParts,
): LazyModule {
  let mounted: LoadedModule | undefined
  return () => {
    mounted ??= loadModule(module, policyOf, parts)
    return mounted
  }
}

function loadModule(
  module: ApiModule | null,
  policyOf: (path: string) => PathPolicy,
  parts: MountParts,
): LoadedModule {
  // Hosts of one to three letters, such as "nas", are hosts too.
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
 * A last segment of dots arrives as a slash, whoever folded it: `/systems/ID/accounts/..` would
 * delete the system. On all else a slash at the end is fine.
 */
function mayBeFolded(method: string, path: string): boolean {
  return method === 'DELETE' && path.endsWith('/')
}

async function withoutBody(response: Response): Promise<Response> {
  const head = new Response(null, response)
  // A stream of events has no length, and no end that could be waited for.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return head
  }
  const { size } = await response.blob()
  head.headers.set('content-length', String(size))
  return head
}

/** Without a usable Host header, as HTTP/1.0 allows, a request comes as its path alone. */
function withAddress(request: Request): Request {
  if (!request.url.startsWith('/')) return request
  return new Request(`http://localhost${request.url}`, request)
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** The part of a path that begins there, or nothing. */
function partAt(path: string, start: number): string {
  const end = path.indexOf('/', start)
  return end === -1 ? path.slice(start) : path.slice(start, end)
}
