import type { DomainError } from '../../model/core/errors'
import type { RateLimits } from '../../runtime/config/config'
import type { PathPolicy } from './apiModule'
import type { Scope } from './requestLimits'
import { VARY } from './response'

/** Headers shared by many responses. Setting each one on each response would cost a tenth more. */
export interface BaseHeaders {
  readonly entries: readonly [string, string][]
  readonly json: Headers
}

export function createBaseHeaders(all: Record<string, string>): BaseHeaders {
  const entries = Object.entries(all)
  const json = new Headers([...entries, ['content-type', 'application/json;charset=utf-8']])
  return { entries, json }
}

export interface BaseHeadersOfPath {
  readonly writes: BaseHeaders
  /** For reads by anonymous callers. */
  readonly reads: BaseHeaders
  /** For reads by authenticated callers. */
  readonly authenticatedReads: BaseHeaders
}

export function baseHeadersOf(
  { headers, isCacheable, isSameOriginOnly }: PathPolicy,
  more: Record<string, string> = {},
): BaseHeadersOfPath {
  const all = { ...(!isSameOriginOnly && CORS), ...headers, ...more }
  const writes = createBaseHeaders(all)
  if (!isCacheable) return { writes, reads: writes, authenticatedReads: writes }
  const cacheable = { ...all, vary: VARY }
  return {
    writes,
    reads: createBaseHeaders(cacheable),
    // Clients may store a response, but must revalidate it before each use.
    authenticatedReads: createBaseHeaders({ ...cacheable, 'cache-control': 'private, no-cache' }),
  }
}

/** Base headers of rate-limited requests. */
export function limitedHeadersOf(policy: PathPolicy, limits: RateLimits): BaseHeadersOfPath {
  const headersOfScope = (scope: Scope) =>
    baseHeadersOf(policy, {
      'x-ratelimit-limit': String(limits[scope]),
      'x-ratelimit-scope': scope,
    })
  return { ...headersOfScope(policy.scope), writes: headersOfScope('generic_update').writes }
}

/** Value of `Retry-After`, which HTTP counts in seconds. */
export function retryAfterOf({ retryAfter = 0 }: DomainError): string {
  return String(Math.ceil(retryAfter / 1000))
}

export const ALLOW_ORIGIN = 'access-control-allow-origin'

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
