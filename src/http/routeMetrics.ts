import type { AnyElysia } from 'elysia'
import type { Metrics, RouteMetrics } from '../metrics/metrics'
import { METHODS } from './safeMethod'

/**
 * Finds what counts the requests to a path: by the pattern of its route, never by what it names.
 * The start of the path is known already, and need not be looked up again.
 */
export type FindRouteMetrics = (start: string, path: string, method: string) => RouteMetrics

/** A part of a path, and what may follow. */
interface Node {
  readonly words: Map<string, Node>
  any?: Node
  meters?: MetricsByMethod
}

type MetricsByMethod = (method: string) => RouteMetrics

const UNKNOWN = 'unknown'
const OTHER = 'other'

export function createFindRouteMetrics({ routes }: AnyElysia, metrics: Metrics): FindRouteMetrics {
  const root: Node = { words: new Map() }
  const unknown = createRouteMetrics(UNKNOWN, metrics)
  for (const { path } of routes) {
    let node = root
    for (const part of path.split('/').slice(1)) node = follow(node, part)
    node.meters ??= createRouteMetrics(path, metrics)
  }
  const starts = new Map<string, Node | null>()
  const nodeAt = (start: string): Node | null => {
    let node: Node | undefined = root
    for (const part of start.split('/').slice(1)) node = node?.words.get(part)
    return node ?? null
  }
  return (start, path, method) => {
    let from = starts.get(start)
    if (from === undefined) {
      from = nodeAt(start)
      starts.set(start, from)
    }
    const found = from && findBelow(from, path, start.length)
    return (found?.meters ?? unknown)(method)
  }
}

function findBelow(node: Node, path: string, at: number): Node | undefined {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return at >= end ? node : find(node, path, at + 1, end)
}

function follow(node: Node, part: string): Node {
  if (part.startsWith(':')) {
    node.any ??= { words: new Map() }
    return node.any
  }
  const next = node.words.get(part) ?? { words: new Map() }
  node.words.set(part, next)
  return next
}

/** A word is more than a name: `@me` is looked for before what may be any. */
function find(node: Node, path: string, start: number, end: number): Node | undefined {
  const slash = path.indexOf('/', start)
  const stop = slash === -1 || slash > end ? end : slash
  const isLast = stop === end
  const word = node.words.get(path.slice(start, stop))
  const found = word && (isLast ? word : find(word, path, stop + 1, end))
  if (found?.meters) return found
  // Where nothing stands there is no name either.
  if (!node.any || stop === start) return undefined
  return isLast ? node.any : find(node.any, path, stop + 1, end)
}

/** Clients may make up methods; these are counted as one. */
function createRouteMetrics(route: string, metrics: Metrics): MetricsByMethod {
  const known = new Map<string, RouteMetrics>()
  return (method) => {
    const meter = known.get(method)
    if (meter) return meter
    const name = METHODS.has(method) ? method : OTHER
    const made = known.get(name) ?? metrics.routeMetrics(route, name)
    known.set(name, made)
    return made
  }
}
