import type { AnyElysia } from 'elysia'
import type { Metrics, RouteMetrics } from '../metrics/metrics'
import { METHODS } from './safeMethod'

/**
 * Finds the metrics of a path by the pattern of its route, so that references are not recorded.
 * `start` is the known beginning of the path, which is not looked up again.
 */
export type FindRouteMetrics = (start: string, path: string, method: string) => RouteMetrics

/** Node of a prefix tree of path segments. */
interface Node {
  readonly literals: Map<string, Node>
  parameter?: Node
  byMethod?: MetricsByMethod
}

type MetricsByMethod = (method: string) => RouteMetrics

const UNKNOWN = 'unknown'
const OTHER = 'other'

export function createFindRouteMetrics({ routes }: AnyElysia, metrics: Metrics): FindRouteMetrics {
  const root: Node = { literals: new Map() }
  const unknown = createRouteMetrics(UNKNOWN, metrics)
  for (const { path } of routes) {
    let node = root
    for (const part of path.split('/').slice(1)) node = getOrCreateChild(node, part)
    node.byMethod ??= createRouteMetrics(path, metrics)
  }
  const starts = new Map<string, Node | null>()
  const nodeAt = (start: string): Node | null => {
    let node: Node | undefined = root
    for (const part of start.split('/').slice(1)) node = node?.literals.get(part)
    return node ?? null
  }
  return (start, path, method) => {
    let startNode = starts.get(start)
    if (startNode === undefined) {
      startNode = nodeAt(start)
      starts.set(start, startNode)
    }
    const found = startNode && findBelow(startNode, path, start.length)
    return (found?.byMethod ?? unknown)(method)
  }
}

function findBelow(node: Node, path: string, at: number): Node | undefined {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return at >= end ? node : find(node, path, at + 1, end)
}

function getOrCreateChild(node: Node, part: string): Node {
  if (part.startsWith(':')) {
    node.parameter ??= { literals: new Map() }
    return node.parameter
  }
  const next = node.literals.get(part) ?? { literals: new Map() }
  node.literals.set(part, next)
  return next
}

/** Prefers a literal segment such as `@me` to a parameter. */
function find(node: Node, path: string, start: number, end: number): Node | undefined {
  const slash = path.indexOf('/', start)
  const stop = slash === -1 || slash > end ? end : slash
  const isLast = stop === end
  const literal = node.literals.get(path.slice(start, stop))
  const found = literal && (isLast ? literal : find(literal, path, stop + 1, end))
  if (found?.byMethod) return found
  // An empty segment matches no parameter.
  if (!node.parameter || stop === start) return undefined
  return isLast ? node.parameter : find(node.parameter, path, stop + 1, end)
}

/** Counts unknown methods as one, because clients can send any. */
function createRouteMetrics(route: string, metrics: Metrics): MetricsByMethod {
  const known = new Map<string, RouteMetrics>()
  return (method) => {
    const cached = known.get(method)
    if (cached) return cached
    const name = METHODS.has(method) ? method : OTHER
    const created = known.get(name) ?? metrics.routeMetrics(route, name)
    known.set(name, created)
    return created
  }
}
