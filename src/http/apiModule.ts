import type { AnyElysia } from 'elysia'
import type { RateLimits } from '../config'
import type { ErrorName } from '../model/errors'

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
  /** Whether the next segment of the path refers to a system; if empty, to the caller's own. */
  readonly hasSystemParam: boolean
  /** Only the dashboard may read responses: they have no CORS headers. */
  readonly isSameOriginOnly: boolean
  /** Headers of every response, including those without a route. */
  readonly headers: Readonly<Record<string, string>>
  /** Error for paths without a route. */
  readonly notFoundError: ErrorName
}

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

const defaultPolicy: PathPolicy = {
  isPublic: false,
  bypassesAdmission: false,
  requiresBotKey: false,
  isLogin: false,
  isCacheable: false,
  scope: 'generic_get',
  hasSystemParam: false,
  isSameOriginOnly: false,
  headers: {},
  notFoundError: 'notFound',
}

/** Values prepared from policies, keyed by the first two segments of a path or its first one. */
export interface PolicyTable<T> {
  readonly entries: ReadonlyMap<string, T>
  /** Entry of the root module, for all other paths. */
  readonly fallback: T
}

/** Prepares the entry of each path once, so that a request only needs a lookup. */
export function buildPolicyTable<T>(
  modules: readonly ApiModule[],
  prepare: (policy: PathPolicy, start: string, module: ApiModule | null) => T,
): PolicyTable<T> {
  const policies = new Map<string, { policy: PathPolicy; module: ApiModule | null }>()
  const merge = (start: string, policy: Partial<PathPolicy>, module: ApiModule | null) =>
    policies.set(start, {
      policy: { ...defaultPolicy, ...policies.get(start)?.policy, ...policy },
      module,
    })
  for (const module of modules) {
    const { prefix, policy, resources } = module
    merge(prefix, policy, module)
    for (const [segment, additional] of Object.entries(resources))
      merge(`${prefix}/${segment}`, { ...policy, ...additional }, module)
  }
  for (const { overrides = {} } of modules)
    for (const [start, policy] of Object.entries(overrides)) {
      const parent = policies.get(prefixOf(start))
      merge(start, { ...parent?.policy, ...policy }, parent?.module ?? null)
    }
  const entries = new Map(
    [...policies].map(([start, { policy, module }]) => [start, prepare(policy, start, module)]),
  )
  return { entries, fallback: entries.get('') ?? prepare(defaultPolicy, '', null) }
}

export function findPolicy<T>({ entries, fallback }: PolicyTable<T>, path: string): T {
  // A slash in second position does not end a segment: `//docs` is not the root.
  const first = path.indexOf('/', 2)
  if (first === -1) return entries.get(path) ?? fallback
  const second = path.indexOf('/', first + 1)
  return (
    entries.get(second === -1 ? path : path.slice(0, second)) ??
    entries.get(path.slice(0, first)) ??
    fallback
  )
}

function prefixOf(start: string): string {
  return start.slice(0, start.indexOf('/', 1))
}
