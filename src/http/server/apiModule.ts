import type { AnyElysia } from 'elysia'
import type { ErrorName } from '../../model/core/errors'
import type { ListPieces } from '../../model/core/listPieces'
import type { Serialized, Viewer } from '../../model/core/privacy'
import type { RateLimits } from '../../runtime/config/config'
import type { Deps } from '../../service/core/deps'
import type { FindClient } from '../../service/reads/objects'

/** Policy of a path, applied before its route is called. */
export interface PathPolicy {
  /** Requests are neither authenticated nor rate limited. */
  readonly isPublic: boolean
  /** Requests are answered even while the server is overloaded. */
  readonly bypassesAdmission: boolean
  /** Requests need a bot key, and name their system in the path. */
  readonly requiresBotKey: boolean
  /** Paths for login and logout, where the callers of writes are treated as anonymous. */
  readonly isLogin: boolean
  /** Clients may cache reads and revalidate them by ETag. */
  readonly isCacheable: boolean
  /** Rate limit scope of reads. */
  readonly scope: Exclude<keyof RateLimits, 'generic_update'>
  /** True if the next segment of the path refers to a system; if empty, to the caller's own. */
  readonly hasSystemParam: boolean
  /** Only the dashboard may read responses: they have no CORS headers. */
  readonly isSameOriginOnly: boolean
  /** Headers of every response, including those without a route. */
  readonly headers: Readonly<Record<string, string>>
  /** Problems in errors have a code and values, in addition to their messages. */
  readonly hasProblemCodes: boolean
  /** Error for paths without a route. */
  readonly notFoundError: ErrorName
}

/** Read of stored JSON that needs only the caller and one reference; null is "no content". */
export type DirectRead = (
  deps: Deps,
  viewer: Viewer,
  ref: string,
  findClient: FindClient,
) => ReadResult | Promise<ReadResult>

export type ReadResult = ((Uint8Array<ArrayBuffer> | string | ListPieces) & Serialized) | null

/** Part of the HTTP API with a common prefix. */
export interface ApiModule {
  readonly prefix: string
  /** Creates the routes on the first request, so that unused modules cost no time or memory. */
  readonly routes: () => AnyElysia
  readonly policy: Partial<PathPolicy>
  /** Additional policy by the first segment of the path after the prefix. */
  readonly resources: Readonly<Record<string, Partial<PathPolicy>>>
  /** Policy of paths outside this module. */
  readonly overrides?: Readonly<Record<string, Partial<PathPolicy>>>
}

export const defaultPolicy: PathPolicy = {
  isPublic: false,
  bypassesAdmission: false,
  requiresBotKey: false,
  isLogin: false,
  isCacheable: false,
  scope: 'generic_get',
  hasSystemParam: false,
  isSameOriginOnly: false,
  headers: {},
  hasProblemCodes: false,
  notFoundError: 'notFound',
}
