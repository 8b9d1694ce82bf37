import type { RateLimits } from '../config'
import type { DomainError } from '../model/errors'
import { VARY } from './answers'
import type { Scope } from './ratelimit'

/** Headers that are the same for many answers, made once: setting each on each would cost a tenth. */
export interface Start {
  readonly ofAny: readonly [string, string][]
  readonly ofJson: Headers
}

export function startWith(more: Record<string, string>): Start {
  const ofAny = Object.entries({ ...CORS, ...more })
  const ofJson = new Headers([...ofAny, ['content-type', 'application/json;charset=utf-8']])
  return { ofAny, ofJson }
}

/** How answers start, by who asks for what. */
export interface Starts {
  readonly other: Start
  /** Reads of version 2, by nobody and by somebody who is known. */
  readonly read: Start
  readonly ownRead: Start
}

export function createStarts(more: Record<string, string> = {}): Starts {
  return {
    other: startWith(more),
    read: startWith({ ...more, vary: VARY }),
    // A copy may be kept, but not without asking each time whether it is still true.
    ownRead: startWith({ ...more, vary: VARY, 'cache-control': 'private, no-cache' }),
  }
}

export function limitedStarts(limits: RateLimits): Record<Scope, Starts> {
  const of = (scope: Scope) =>
    createStarts({ 'x-ratelimit-limit': String(limits[scope]), 'x-ratelimit-scope': scope })
  return {
    generic_get: of('generic_get'),
    message: of('message'),
    generic_update: of('generic_update'),
  }
}

/** Gives an answer what it starts with, unless it was made with it. */
export function begin(headers: Headers, { ofAny }: Start): void {
  if (headers.has(ALLOW_ORIGIN)) return
  for (const [name, value] of ofAny) if (!headers.has(name)) headers.set(name, value)
}

/** When to try again, in the seconds that HTTP counts in. */
export function retryAfterOf({ retryAfter = 0 }: DomainError): string {
  return String(Math.ceil(retryAfter / 1000))
}

const ALLOW_ORIGIN = 'access-control-allow-origin'

const CORS = {
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
