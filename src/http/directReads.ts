import type { AnyElysia } from 'elysia'
import type { Serialized, Viewer } from '../model/privacy'
import type { Bytes } from './response'

/** What a read finds: JSON as storage has it, or null where there is no content. */
type ReadResult = (Bytes & Serialized) | null
type DirectRead = (viewer: Viewer, name: string) => ReadResult | Promise<ReadResult>

interface DirectReadContext<K extends string> {
  params: Record<K, string>
  viewer: Viewer
  set: { status?: number | string }
}

/**
 * Makes the handler of a read that needs to know nothing but who asks, and one name in its path. The
 * edge asks it without a way around through the framework, which would take as long as finding a
 * small answer; the framework documents it, and answers where a path is spelled in another way.
 */
export function directRead<K extends string>(name: K, read: DirectRead) {
  const handle = async ({ params, viewer, set }: DirectReadContext<K>) => {
    const json = await read(viewer, params[name])
    if (json !== null) return json
    set.status = 204
    return
  }
  return Object.assign(handle, { read })
}

/** Reads by what follows the name in their path. */
export type DirectReads = ReadonlyMap<string, DirectRead>

/** The reads among routes, by what comes before the name. */
export function collectDirectReads(routes: AnyElysia): ReadonlyMap<string, DirectReads> {
  const byStart = new Map<string, Map<string, DirectRead>>()
  const all = routes.routes.filter(({ method }) => method === 'GET')
  for (const { path, handler } of all) {
    const [, start, end = ''] = /^((?:\/[^/:]+)+)\/:\w+((?:\/[^/:]+)*)$/.exec(path) ?? []
    if (start === undefined || !isDirectRead(handler)) continue
    byStart.set(start, (byStart.get(start) ?? new Map()).set(end, handler.read))
  }
  // Where a route has a word for a name, such as `@me`, the framework chooses between them.
  for (const [start, directReads] of byStart)
    for (const { path } of all) {
      if (!path.startsWith(`${start}/`)) continue
      const [word = '', ...rest] = path.slice(start.length + 1).split('/')
      if (!word.startsWith(':')) directReads.delete(rest.map((part) => `/${part}`).join(''))
    }
  return byStart
}

function isDirectRead(handler: unknown): handler is { read: DirectRead } {
  return typeof handler === 'function' && 'read' in handler
}

export function findDirectRead(
  directReads: DirectReads | undefined,
  path: string,
  name: string,
  nameAt: number,
) {
  // What is encoded is for the framework to decode.
  if (directReads === undefined || name === '' || name.includes('%')) return undefined
  return directReads.get(path.slice(nameAt + name.length))
}
