import { type AnyElysia, Elysia } from 'elysia'
import type { Metrics } from '../metrics/metrics'
import { compress } from './answers'
import { createFindCaller } from './caller'
import { addressOf } from './client'
import { giveContext, type RequestContext, requestIdOf } from './context'
import {
  answerThrown,
  answerTooMany,
  answerUnknown,
  createOutageLog,
  type FailureParts,
} from './failures'
import { forEveryone, type PublicParts } from './forEveryone'
import { createGate, createRefusal } from './gate'
import {
  addBaseHeaders,
  type BaseHeadersOfPath,
  baseHeadersOf,
  limitedHeadersOf,
  preflight,
} from './headers'
import { createFindMeter, type FindMeter } from './meters'
import { isRead } from './method'
import { type Allowance, createRequestLimit } from './ratelimit'
import { collectReads, findRead, type Reads } from './reads'
import { answerLoaded } from './routes'
import { placeOf } from './web/cookie'
import { collectFacts, type Facts, type FactsByPath, findFacts, type Wire } from './wire'
import { describeRoutes, documentedWires, type RouteParts, rootWire } from './wires'

export interface ServerParts
  extends RouteParts,
    Omit<FailureParts, 'outages'>,
    Pick<PublicParts, 'findTrouble'> {
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
interface Place {
  readonly facts: Facts
  /** Where in the path the name begins that may follow its noun. */
  readonly nameAt: number
  readonly start: string
  readonly mount: Mount
  readonly unlimited: BaseHeadersOfPath
  readonly limited: BaseHeadersOfPath
}

/** The edge: who asks, how often, what is answered, and one line of log for each request. */
export function createHandler(given: ServerParts): Handle {
  const parts = { ...given, outages: createOutageLog(given.log) }
  const { deps, config, log, closing, metrics } = parts
  const wires = [
    forEveryone({ ...parts, describeRoutes: () => describeRoutes(parts) }),
    ...documentedWires(parts),
    rootWire(parts),
  ]
  const factsOf = (path: string) => findFacts(places, path).facts
  const mounts = new Map(wires.map((wire) => [wire, createMount(wire, factsOf, parts)]))
  const nothing = createMount(null, factsOf, parts)
  const places: FactsByPath<Place> = collectFacts(wires, (facts, start, wire): Place => {
    const unlimited = baseHeadersOf(facts)
    const limited = config.RATE_LIMIT ? limitedHeadersOf(facts, config.RATE_LIMIT) : unlimited
    const nameAt = start.length + 1
    const mount = (wire && mounts.get(wire)) ?? nothing
    return { facts, start, nameAt, mount, unlimited, limited }
  })
  const findCaller = createFindCaller(deps, placeOf(config))
  const limit = createRequestLimit(config, log)
  const gate = createGate(config.REQUESTS_IN_FLIGHT)
  const refuse = createRefusal(log)
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
    const place = findFacts(places, path)
    const { facts, nameAt, unlimited, limited } = place
    if (gate.isFull && !facts.isUrgent) {
      metrics?.noteTooMany()
      return refuse(facts.isOfPage)
    }
    const requestId = `${boot}-${(count++).toString(36)}`
    let response: Response
    let base = unlimited.writes
    let allowance: Allowance | null = null
    let isOfSession = false
    try {
      // A request reads no snapshot that is older than its arrival.
      deps.sharedRead.end()
      const turn = facts.isUrgent ? undefined : gate.enter(started)
      if (turn !== undefined) await turn
      // HEAD is answered as GET: no route has to know of it.
      const asked = method === 'HEAD' ? new Request(request, { method: 'GET' }) : request
      if (method === 'OPTIONS')
        response = new Response(null, { status: 204, headers: facts.isOfPage ? {} : preflight })
      else if (facts.isForEveryone) response = await place.mount().app.fetch(asked)
      else {
        const found = findCaller(request, facts)
        const caller = found instanceof Promise ? await found : found
        const peer = typeof from === 'string' ? () => from : from
        const isReading = isRead(method)
        const name = partAt(path, nameAt)
        // Writes are only ever allowed on the caller's own system.
        const named = isReading ? (facts.namesSystem ? name || '@me' : null) : '@me'
        const scope = isReading ? facts.scope : 'generic_update'
        allowance = limit(request, scope, named, caller, peer)
        const bases = allowance ? limited : unlimited
        base = isReading ? (caller.kind === 'nobody' ? bases.reads : bases.ownReads) : bases.writes
        const context: RequestContext = {
          caller,
          findCaller,
          requestId,
          peer,
          headers: base.ofJson,
          isKept: isReading && facts.isKept,
          trustedProxies: config.TRUST_PROXY,
        }
        giveContext(asked, context)
        isOfSession = caller.viewer.access === 'session'
        const { app, reads } = place.mount()
        const load = isReading ? findRead(reads.get(place.start), path, name, nameAt) : undefined
        if (allowance?.retryAfter) {
          metrics?.noteLimited(allowance.scope)
          response = answerTooMany(allowance)
        } else if (load) {
          const loaded = load(caller.viewer, name)
          context.isLate = loaded instanceof Promise
          response = answerLoaded(asked, context, loaded instanceof Promise ? await loaded : loaded)
        } else if (mayBeFolded(method, path))
          response = answerUnknown(app, method, path, facts.unknown)
        else response = await app.fetch(asked)
        if (context.large)
          response =
            method === 'HEAD'
              ? new Response(context.large.bytes, response)
              : await compress(context.large, response)
      }
    } catch (cause) {
      response = answerThrown(cause, requestId, parts)
    }
    if (!facts.isUrgent) gate.leave()
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
        .findMeter?.(place.start, path, method)
        .note(status, took / 1000)
    const ms = Math.round(took * 100) / 100
    const client = isClientLogged ? clientOf(request, from, config.TRUST_PROXY) : undefined
    const line = { method, path, status, ms, request_id: requestId, client }
    // Those who watch ask every few seconds, and nobody wants to read of it.
    if (facts.isUrgent) log.debug('request', line)
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

interface Mounted {
  readonly app: AnyElysia
  readonly reads: ReadonlyMap<string, Reads>
  readonly findMeter: FindMeter | undefined
}

type MountParts = FailureParts & Pick<ServerParts, 'metrics'>

/** The routes of a wire, made when one of them is first asked. */
type Mount = () => Mounted

function createMount(
  wire: Wire | null,
  factsOf: (path: string) => Facts,
  parts: MountParts,
): Mount {
  let mounted: Mounted | undefined
  return () => {
    mounted ??= mountWire(wire, factsOf, parts)
    return mounted
  }
}

function mountWire(
  wire: Wire | null,
  factsOf: (path: string) => Facts,
  parts: MountParts,
): Mounted {
  // Hosts of one to three letters, such as "nas", are hosts too.
  const app: AnyElysia = new Elysia({ normalize: false, handler: { standardHostname: false } })
  app.onError(({ error: cause, code, request, path }) => {
    if (code === 'NOT_FOUND') return answerUnknown(app, request.method, path, factsOf(path).unknown)
    if (cause === request.signal.reason) return new Response(null, { status: CLIENT_CLOSED })
    return answerThrown(cause, requestIdOf(request), parts)
  })
  if (wire) app.use(wire.routes())
  const findMeter = parts.metrics && createFindMeter(app, parts.metrics)
  return { app, reads: collectReads(app), findMeter }
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
