import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config'
import type { Events } from '../events/events'
import type { Log } from '../log'
import { DomainError, error } from '../model/errors'
import type { Deps } from '../service/deps'
import type { TokenOwner } from '../service/tokens'
import { docsFiles } from '../web/docs'
import { spellError } from '../wire/error'
import { compress } from './answers'
import { bot } from './bot'
import { findClient } from './client'
import { createDocument } from './docs'
import { createGate, createRefusal } from './gate'
import { begin, createStarts, limitedStarts, preflight, retryAfterOf } from './headers'
import { type Caller, type Note, noteOn, requestIdOf } from './note'
import { privateRoutes } from './private'
import { type Allowance, createRateLimiter, type Scope } from './ratelimit'
import { markDeprecated, v1 } from './v1'
import { v2 } from './v2'
import { findCaller, isRead } from './viewer'

/** What the routes are made of. */
export interface RouteParts {
  deps: Deps
  events: Events
  config: Config
}

export interface ServerParts extends RouteParts {
  log: Log
  /** What keeps the database from being read or written; null when nothing does. */
  findTrouble: () => Promise<DomainError | null>
  /** What is answered to a failure that will pass; null for all others. */
  refusalFor: (cause: unknown) => DomainError | null
  /** While the server stops: what an answer waits for before it ends its connection. */
  door: () => Promise<void> | undefined
}

/** Answers one request. The peer's address is asked for only where it matters. */
export type Handle = (request: Request, peer: string | (() => string)) => Promise<Response>

/** The edge: who asks, how often, what is answered, and one line of log for each request. */
export function createHandler(parts: ServerParts): Handle {
  const { deps, config, log, door } = parts
  const appFor = createRoutes(parts)
  const limiter = config.RATE_LIMIT && createRateLimiter(config.RATE_LIMIT)
  const unlimited = createStarts()
  const limited = config.RATE_LIMIT && limitedStarts(config.RATE_LIMIT)
  const gate = createGate(config.REQUESTS_IN_FLIGHT)
  const refuse = createRefusal(log)
  let warnedOfProxy = false
  // Unique without being drawn anew for each request.
  const boot = crypto.randomUUID().slice(0, 13)
  let count = 0

  const limit = (
    request: Request,
    method: string,
    path: string,
    caller: Caller,
    peer: () => string,
  ) => {
    if (limiter === null || caller.kind === 'bot') return null
    const client = findClient(peer, request.headers, config.TRUST_PROXY)
    if (client.isLocal) return null
    if (!warnedOfProxy && config.TRUST_PROXY === 0 && request.headers.has('x-forwarded-for')) {
      warnedOfProxy = true
      log.warn('a request came through a proxy, but TRUST_PROXY is 0: its clients share one limit')
    }
    const { system } = caller
    const who = system && actsOnItself(method, path, system) ? system.id : client.address
    return limiter(scopeOf(method, path), who, Date.now())
  }

  /** One function, because every further one that waits would cost each request. */
  return async (given, from) => {
    const started = performance.now()
    const request = withAddress(given)
    const { method, url } = request
    const path = pathOf(url)
    const isHealth = path === '/health'
    if (gate.isFull && !isHealth) return refuse()
    const requestId = `${boot}-${(count++).toString(36)}`
    let response: Response
    let start = unlimited.other
    let allowance: Allowance | null = null
    try {
      const turn = isHealth ? undefined : gate.enter(started)
      if (turn !== undefined) await turn
      // HEAD is answered as GET: no route has to know of it.
      const asked = method === 'HEAD' ? new Request(request, { method: 'GET' }) : request
      if (method === 'OPTIONS') response = new Response(null, { status: 204, headers: preflight })
      else if (isForEveryone(path)) response = await appFor(path).fetch(asked)
      else {
        deps.moment.join()
        const found = findCaller(deps, request.headers, path)
        const caller = found instanceof Promise ? await found : found
        const peer = typeof from === 'string' ? () => from : from
        allowance = limit(request, method, path, caller, peer)
        const starts = allowance && limited ? limited[allowance.scope] : unlimited
        const isRead2 = isRead(method) && isVersion2(path)
        start = isRead2 ? (caller.kind === 'nobody' ? starts.read : starts.ownRead) : starts.other
        const note: Note = {
          caller,
          requestId,
          peer,
          headers: start.ofJson,
          isRead: isRead2,
          trustedProxies: config.TRUST_PROXY,
        }
        noteOn(asked, note)
        if (allowance?.retryAfter) response = tooMany(allowance)
        else if (mayBeFolded(method, path)) response = answerUnknown(appFor(path), method, path)
        else response = await appFor(path).fetch(asked)
        if (note.large)
          response =
            method === 'HEAD'
              ? new Response(note.large.bytes, response)
              : await compress(note.large, response)
      }
    } catch (cause) {
      response = answerError(cause, requestId, parts)
    }
    if (!isHealth) gate.leave()
    if (method === 'HEAD') response = await withoutBody(response)
    const { headers, status } = response
    begin(headers, start)
    if (allowance) {
      headers.set('x-ratelimit-remaining', String(allowance.remaining))
      headers.set('x-ratelimit-reset', String(allowance.reset))
    }
    headers.set('x-request-id', requestId)
    if (path.startsWith('/v1')) markDeprecated(path, response)
    const ms = Math.round((performance.now() - started) * 100) / 100
    log.info('request', { method, path, status, ms, request_id: requestId })
    const closing = door()
    if (closing !== undefined) {
      await closing
      headers.set('connection', 'close')
    }
    return response
  }
}

/** The OpenAPI document of this server. */
export function describeRoutes(parts: RouteParts): Promise<object> {
  return createDocument(documented(parts), parts.config.PUBLIC_URL)
}

function documented({ deps, events, config }: RouteParts): AnyElysia {
  return new Elysia({ normalize: false })
    .use(v2(deps, events, limitsOf(config), '/v2'))
    .use(v1(deps, config.BODY_LIMIT))
    .use(bot(deps, config.BODY_LIMIT))
    .use(privateRoutes(deps, config.BODY_LIMIT))
}

function limitsOf({ BODY_LIMIT, IMPORT_LIMIT, TRUST_PROXY }: Config) {
  return { bodyLimit: BODY_LIMIT, importLimit: IMPORT_LIMIT, trustedProxies: TRUST_PROXY }
}

/**
 * Gives the routes that a path belongs to, by its first word. They are made when first asked for:
 * nobody waits at the start for routes, and nobody keeps those, that are never asked.
 */
function createRoutes(parts: ServerParts): (path: string) => AnyElysia {
  const { deps, events, config } = parts
  const bodyLimit = config.BODY_LIMIT
  const mount = (make: () => AnyElysia) => {
    let made: AnyElysia | undefined
    return () => {
      made ??= guarded(make(), parts)
      return made
    }
  }
  const page = mount(() => pages(parts))
  const mounts = new Map([
    ['', page],
    ['health', page],
    ['docs', page],
    ['openapi.json', page],
    ['v2', mount(() => v2(deps, events, limitsOf(config), '/v2'))],
    ['v1', mount(() => v1(deps, bodyLimit))],
    ['bot', mount(() => bot(deps, bodyLimit))],
    ['private', mount(() => privateRoutes(deps, bodyLimit))],
  ])
  // Version 2 is at the root, too.
  const root = mount(() => v2(deps, events, limitsOf(config), ''))
  return (path) => {
    const end = path.indexOf('/', 1)
    return (mounts.get(end === -1 ? path.slice(1) : path.slice(1, end)) ?? root)()
  }
}

function guarded(routes: AnyElysia, parts: ServerParts): AnyElysia {
  // Hosts of one to three letters, such as "nas", are hosts too.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
  return app
    .onError(({ error: cause, code, request, path }) => {
      if (code === 'NOT_FOUND') return answerUnknown(app, request.method, path)
      return answerError(cause, requestIdOf(request), parts)
    })
    .use(routes)
}

function pages(parts: ServerParts): AnyElysia {
  const app = new Elysia({ normalize: false })
  for (const [file, { open, type }] of Object.entries(docsFiles))
    app.get(file, ({ path }) =>
      // The page names its files relative to where it lies, so it must lie in one place.
      path.endsWith('/')
        ? redirect(`../${file.split('/').at(-1)}`)
        : new Response(open(), { headers: { 'content-type': type } }),
    )
  let document: Promise<object> | undefined
  return app
    .get('/health', async () => {
      const trouble = await parts.findTrouble()
      return trouble ? spell(trouble) : { status: 'ok' }
    })
    .get('/', () => redirect('docs'))
    .get('/openapi.json', () => {
      document ??= describeRoutes(parts)
      return document
    })
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}

/**
 * A last segment of dots arrives as a slash, whoever folded it: `/systems/ID/accounts/..` would
 * delete the system. On all else a slash at the end is fine.
 */
function mayBeFolded(method: string, path: string): boolean {
  return method === 'DELETE' && path.endsWith('/')
}

/** Nothing answers here: a wrong method, a path of another version, or no path at all. */
function answerUnknown(app: AnyElysia, asked: string, path: string): Response {
  const plain = app.router.static[path.replace(/(?<=[^/])\/$/, '')]
  const allowed = METHODS.filter(
    (method) => plain?.[method] !== undefined || app.router.http.find(method, path) !== null,
  )
  if (allowed.includes('GET')) allowed.push('HEAD')
  if (allowed.length > 0 && !allowed.includes(asked)) {
    const response = spell(error('methodNotAllowed'))
    response.headers.set('allow', allowed.join(', '))
    return response
  }
  if (/^\/v2\/(s|m|a|msg)(\/|$)/.test(path)) return spell(error('invalidPath'))
  return spell(error('notFound'))
}

function answerError(
  cause: unknown,
  requestId: string | undefined,
  { log, refusalFor }: Pick<ServerParts, 'log' | 'refusalFor'>,
): Response {
  if (cause instanceof DomainError) return spell(cause)
  // What a parser throws comes wrapped.
  if (cause instanceof Error && cause.cause instanceof DomainError) return spell(cause.cause)
  if (isClientFault(cause)) return spell(error('badRequest'))
  log.error('request failed', {
    request_id: requestId,
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  })
  return spell(refusalFor(cause) ?? error('internal'))
}

/** What Elysia itself finds wrong, such as a path that is not valid percent-encoding. */
function isClientFault(cause: unknown): boolean {
  const { code } = cause as { code?: string }
  return code === 'VALIDATION' || code === 'PARSE'
}

function spell(failure: DomainError): Response {
  const { status, retryAfter } = failure
  const response = Response.json(spellError(failure), { status })
  if (retryAfter !== undefined) response.headers.set('retry-after', retryAfterOf(failure))
  // Where there is too much of everything, who is refused shall not keep a connection either.
  if (status === 503) response.headers.set('connection', 'close')
  return response
}

function tooMany({ retryAfter }: Allowance): Response {
  const { message } = error('tooManyRequests')
  return spell(new DomainError('tooManyRequests', message, undefined, retryAfter ?? 0))
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

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

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

/** Pages and health: nobody is asked who they are, and nothing is counted. */
function isForEveryone(path: string): boolean {
  return path === '/health' || path === '/openapi.json' || path.startsWith('/docs') || path === '/'
}

/** Under its name, or at the root where others are not. */
function isVersion2(path: string): boolean {
  return !/^\/(v1|bot|private)(\/|$)/.test(path)
}

function scopeOf(method: string, path: string): Scope {
  if (!isRead(method)) return 'generic_update'
  return path.includes('/messages/') || path.includes('/msg/') ? 'message' : 'generic_get'
}

/** Writes are only ever allowed on the caller's own system; reads tell by the name they use. */
function actsOnItself(method: string, path: string, { hid, uuid }: TokenOwner): boolean {
  if (!isRead(method)) return true
  // Version 1 says `/s` for its own system and `/s/ID` for one by name.
  const [, named = '@me'] = /\/(?:systems|s)(?:\/([^/]+)|\/?$)/.exec(path) ?? ['', '']
  if (named === '@me' || named === hid) return true
  const name = named.toLowerCase()
  return name.replace('-', '') === hid || name === uuid
}
