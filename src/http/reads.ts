import type { AnyElysia } from 'elysia'
import type { Serialized, Viewer } from '../model/privacy'
import type { Bytes } from './answers'

/** What a read finds: JSON as storage has it, or null where there is no content. */
type Loaded = (Bytes & Serialized) | null
type Load = (viewer: Viewer, name: string) => Loaded | Promise<Loaded>

interface Asked<K extends string> {
  params: Record<K, string>
  viewer: Viewer
  set: { status?: number | string }
}

/**
 * Makes the handler of a read that needs to know nothing but who asks, and one name in its path. The
 * edge asks it without a way around through the framework, which would take as long as finding a
 * small answer; the framework documents it, and answers where a path is spelled in another way.
 */
export function readBy<K extends string>(name: K, load: Load) {
  const handle = async ({ params, viewer, set }: Asked<K>) => {
    const json = await load(viewer, params[name])
    if (json !== null) return json
    set.status = 204
    return
  }
  return Object.assign(handle, { load })
}

/** Reads by what follows the name in their path. */
export type Reads = ReadonlyMap<string, Load>

/** The reads among routes, by what comes before the name. */
export function collectReads(routes: AnyElysia): ReadonlyMap<string, Reads> {
  const byStart = new Map<string, Map<string, Load>>()
  const all = routes.routes.filter(({ method }) => method === 'GET')
  for (const { path, handler } of all) {
    const [, start, end = ''] = /^((?:\/[^/:]+)+)\/:\w+((?:\/[^/:]+)*)$/.exec(path) ?? []
    if (start === undefined || !isRead(handler)) continue
    byStart.set(start, (byStart.get(start) ?? new Map()).set(end, handler.load))
  }
  // Where a route has a word for a name, such as `@me`, the framework chooses between them.
  for (const [start, reads] of byStart)
    for (const { path } of all) {
      if (!path.startsWith(`${start}/`)) continue
      const [word = '', ...rest] = path.slice(start.length + 1).split('/')
      if (!word.startsWith(':')) reads.delete(rest.map((part) => `/${part}`).join(''))
    }
  return byStart
}

function isRead(handler: unknown): handler is { load: Load } {
  return typeof handler === 'function' && 'load' in handler
}

export function findRead(reads: Reads | undefined, path: string, name: string, nameAt: number) {
  // What is encoded is for the framework to decode.
  if (reads === undefined || name === '' || name.includes('%')) return undefined
  return reads.get(path.slice(nameAt + name.length))
}
