import type { AnyElysia } from 'elysia'
import { type ApiModule, type DirectRead, defaultPolicy, type PathPolicy } from './apiModule'
import { directReadOf } from './directRead'
import { type ListedRoute, listRoutes } from './elysiaInternals'

/** Returns true if a request with this method only reads. */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Methods that the server supports, in the order of the `Allow` header. */
export const METHODS: readonly string[] = [
  'GET',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
]

/** Values prepared from policies, keyed by up to three first segments of a path. */
export interface PolicyTable<T> {
  readonly entries: ReadonlyMap<string, T>
  /** Entries of two segments below which there are entries of three. */
  readonly deep: ReadonlySet<string>
  /** Entry of the root module, for all other paths. */
  readonly fallback: T
}

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
  const deep = new Set(
    modules.map(({ prefix }) => prefix).filter((prefix) => /\/.*\//.test(prefix)),
  )
  return { entries, deep, fallback: entries.get('') ?? prepare(defaultPolicy, '', null) }
}

export function findPolicy<T>({ entries, deep, fallback }: PolicyTable<T>, path: string): T {
  // A slash in second position does not end a segment: `//docs` is not the root.
  const first = path.indexOf('/', 2)
  if (first === -1) return entries.get(path) ?? fallback
  const second = segmentEnd(path, first)
  const start = path.slice(0, second)
  // Only a prefix of two segments, such as `/ext/v1`, has resources with three.
  const longest = deep.has(start) ? entries.get(path.slice(0, segmentEnd(path, second))) : undefined
  return longest ?? entries.get(start) ?? entries.get(path.slice(0, first)) ?? fallback
}

/** Returns the end of the segment that begins at a slash. */
function segmentEnd(path: string, slash: number): number {
  const next = path.indexOf('/', slash + 1)
  return next === -1 ? path.length : next
}

function prefixOf(start: string): string {
  return start.slice(0, start.indexOf('/', 1))
}

/** Match of a path, prepared for all requests to it. */
export interface RouteMatch<M> {
  readonly mounted: M
  /** Pattern of the route, such as `/v2/members/:memberRef`; `unknown` if the path has none. */
  readonly route: string
  /** Methods that have a route. */
  readonly methods: readonly string[]
  /** Answers reads without Elysia; `refStart` is the index of the reference in the path. */
  readonly directRead: { readonly read: DirectRead; readonly refStart: number } | null
}

/** Builds the table of paths. Each entry is mounted on the first request to one of its paths. */
export function createRouteTable<M extends { readonly app: AnyElysia }>(
  modules: readonly ApiModule[],
  mount: (policy: PathPolicy, start: string, module: ApiModule | null) => M,
): (path: string) => RouteMatch<M> {
  const table = buildPolicyTable(modules, (policy, start, module) => {
    let tree: Tree<M> | undefined
    const load = () => {
      tree ??= buildTree(mount(policy, start, module), start)
      return tree
    }
    return { start, load }
  })
  return (path) => {
    const { start, load } = findPolicy(table, path)
    const { root, unmatched } = load()
    const end = path.endsWith('/') ? path.length - 1 : path.length
    return findMatch(root, path, start.length, end) ?? unmatched
  }
}

interface Tree<M> {
  readonly root: Node<M>
  readonly unmatched: RouteMatch<M>
}

/** Node of a tree of path segments. */
interface Node<M> {
  readonly literals: Map<string, Node<M>>
  parameter?: Node<M>
  match?: RouteMatch<M>
}

/** Builds the tree of the routes below the start of a path. */
function buildTree<M extends { readonly app: AnyElysia }>(mounted: M, start: string): Tree<M> {
  const routes = listRoutes(mounted.app).map((route) => ({
    ...route,
    parts: route.path.split('/'),
  }))
  const root: Node<M> = { literals: new Map() }
  const unmatched = { mounted, route: UNKNOWN, methods: [], directRead: null }
  for (const { path, parts } of routes) {
    if (path !== start && !path.startsWith(`${start}/`)) continue
    let node = root
    for (const part of path.slice(start.length).split('/').slice(1)) node = childOf(node, part)
    if (node.match) continue
    // `/systems/:ref/members` also matches `/systems/@me/members`, which may lack some methods.
    const matching = routes.filter((other) => covers(other.parts, parts))
    const methods = matching.map(({ method }) => method)
    const reads = matching.filter(({ method }) => method === 'GET')
    node.match = {
      mounted,
      route: path,
      methods: METHODS.filter((method) => methods.includes(method === 'HEAD' ? 'GET' : method)),
      // If there are several, Elysia chooses between them.
      directRead: reads.length === 1 && reads[0] ? findDirectRead(reads[0]) : null,
    }
  }
  return { root, unmatched }
}

const UNKNOWN = 'unknown'

function childOf<M>(node: Node<M>, part: string): Node<M> {
  if (part.startsWith(':')) {
    node.parameter ??= { literals: new Map() }
    return node.parameter
  }
  const child = node.literals.get(part) ?? { literals: new Map() }
  node.literals.set(part, child)
  return child
}

/** Checks that a pattern matches every path that the other one matches. */
function covers(pattern: readonly string[], other: readonly string[]): boolean {
  return (
    pattern.length === other.length &&
    pattern.every((part, index) => part.startsWith(':') || part === other[index])
  )
}

function findDirectRead({ path, handler }: ListedRoute): RouteMatch<unknown>['directRead'] {
  const read = directReadOf(handler)
  return read ? { read, refStart: path.indexOf(':') } : null
}

/** Prefers a literal segment such as `@me` to a parameter, like Elysia. */
function findMatch<M>(
  node: Node<M>,
  path: string,
  slash: number,
  end: number,
): RouteMatch<M> | undefined {
  if (slash >= end) return node.match
  const next = path.indexOf('/', slash + 1)
  const stop = next === -1 || next > end ? end : next
  const literal = node.literals.get(path.slice(slash + 1, stop))
  const match = literal && findMatch(literal, path, stop, end)
  // An empty segment matches no parameter.
  if (match || !node.parameter || stop === slash + 1) return match
  return findMatch(node.parameter, path, stop, end)
}
