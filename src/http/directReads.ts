import type { AnyElysia } from 'elysia'
import type { Serialized, Viewer } from '../model/privacy'
import type { Bytes } from './response'

/** Result of a read: the stored JSON, or null for "no content". */
type ReadResult = (Bytes & Serialized) | null
type DirectRead = (viewer: Viewer, ref: string) => ReadResult | Promise<ReadResult>

interface DirectReadContext<K extends string> {
  params: Record<K, string>
  viewer: Viewer
  set: { status?: number | string }
}

/**
 * Creates the handler of a read that needs only the viewer and one reference in its path. The HTTP
 * handler calls it without Elysia, which would take as long as a small read itself; Elysia documents
 * the route and answers it for other notations of the path.
 */
export function directRead<K extends string>(param: K, read: DirectRead) {
  const handle = async ({ params, viewer, set }: DirectReadContext<K>) => {
    const json = await read(viewer, params[param])
    if (json !== null) return json
    set.status = 204
    return
  }
  return Object.assign(handle, { read })
}

/** Direct reads, keyed by the part of their path after the reference. */
export type DirectReads = ReadonlyMap<string, DirectRead>

/** Collects the direct reads among the routes, keyed by the part of their path before the reference. */
export function collectDirectReads(routes: AnyElysia): ReadonlyMap<string, DirectReads> {
  const byStart = new Map<string, Map<string, DirectRead>>()
  const all = routes.routes.filter(({ method }) => method === 'GET')
  for (const { path, handler } of all) {
    const [, start, end = ''] = /^((?:\/[^/:]+)+)\/:\w+((?:\/[^/:]+)*)$/.exec(path) ?? []
    if (start === undefined || !isDirectRead(handler)) continue
    byStart.set(start, (byStart.get(start) ?? new Map()).set(end, handler.read))
  }
  // If another route has a fixed segment there, such as `@me`, Elysia chooses between them.
  for (const [start, directReads] of byStart)
    for (const { path } of all) {
      if (!path.startsWith(`${start}/`)) continue
      const [segment = '', ...rest] = path.slice(start.length + 1).split('/')
      if (!segment.startsWith(':')) directReads.delete(rest.map((part) => `/${part}`).join(''))
    }
  return byStart
}

function isDirectRead(handler: unknown): handler is { read: DirectRead } {
  return typeof handler === 'function' && 'read' in handler
}

export function findDirectRead(
  directReads: DirectReads | undefined,
  path: string,
  ref: string,
  refStart: number,
) {
  // Elysia decodes percent-encoded references.
  if (directReads === undefined || ref === '' || ref.includes('%')) return undefined
  return directReads.get(path.slice(refStart + ref.length))
}
