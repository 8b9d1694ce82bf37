import type { DirectRead } from './apiModule'

const DIRECT_READ = Symbol('direct read')

/** Marks the handler of a route with the read that may be called instead of it. */
export function markDirect<H extends object>(handler: H, read: DirectRead): H {
  return Object.assign(handler, { [DIRECT_READ]: read })
}

/** Returns the read of a marked handler. */
export function directReadOf(handler: object): DirectRead | null {
  return DIRECT_READ in handler ? (handler[DIRECT_READ] as DirectRead) : null
}
