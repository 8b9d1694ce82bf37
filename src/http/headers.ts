import type { RateLimits } from '../config'
import type { DomainError } from '../model/errors'
import type { PathPolicy } from './apiModule'
import type { Scope } from './ratelimit'
import { VARY } from './response'

/** Headers that are the same for many answers, made once: setting each on each would cost a tenth. */
export interface BaseHeaders {
  readonly ofAny: readonly [string, string][]
  readonly ofJson: Headers
}

export function createBaseHeaders(all: Record<string, string>): BaseHeaders {
  const ofAny = Object.entries(all)
  const ofJson = new Headers([...ofAny, ['content-type', 'application/json;charset=utf-8']])
  return { ofAny, ofJson }
}

/** The base headers of one path's answers, by who asks for what. */
export interface BaseHeadersOfPath {
  readonly writes: BaseHeaders
  /** Of reads by nobody, and by somebody who is known. */
  readonly reads: BaseHeaders
  readonly ownReads: BaseHeaders
}

export function baseHeadersOf(
  { headers, isCacheable, isSameOriginOnly }: PathPolicy,
  more: Record<string, string> = {},
): BaseHeadersOfPath {
  const all = { ...(!isSameOriginOnly && CORS), ...headers, ...more }
  const writes = createBaseHeaders(all)
  if (!isCacheable) return { writes, reads: writes, ownReads: writes }
  const kept = { ...all, vary: VARY }
  return {
    writes,
    reads: createBaseHeaders(kept),
    // A copy may be kept, but not without asking each time whether it is still true.
    ownReads: createBaseHeaders({ ...kept, 'cache-control': 'private, no-cache' }),
  }
}

/** The same where requests are counted. */
export function limitedHeadersOf(policy: PathPolicy, limits: RateLimits): BaseHeadersOfPath {
  const of = (scope: Scope) =>
    baseHeadersOf(policy, {
      'x-ratelimit-limit': String(limits[scope]),
      'x-ratelimit-scope': scope,
    })
  return { ...of(policy.scope), writes: of('generic_update').writes }
}

/** Gives an answer its base headers, unless it was made with them. */
export function addBaseHeaders(headers: Headers, { ofAny }: BaseHeaders): void {
  if (headers.has(ALLOW_ORIGIN)) return
  for (const [name, value] of ofAny) if (!headers.has(name)) headers.set(name, value)
}

/** When to try again, in the seconds that HTTP counts in. */
export function retryAfterOf({ retryAfter = 0 }: DomainError): string {
  return String(Math.ceil(retryAfter / 1000))
}

const ALLOW_ORIGIN = 'access-control-allow-origin'

export const CORS = {
  [ALLOW_ORIGIN]: '*',
  'access-control-expose-headers':
    'ETag, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Scope',
}

export const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Content-Type, Authorization, User-Agent, If-None-Match, Last-Event-ID, X-System',
  'access-control-max-age': '86400',
}
