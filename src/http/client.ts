/** Where a request came from, before and after believing proxies. */
export interface Client {
  /** The address that limits are counted for. */
  readonly address: string
  /** A program on this machine, talking to us without a proxy in between. */
  readonly isLocal: boolean
}

/**
 * Each trusted proxy appends the address it was called from, so the client is that many entries
 * from the right; anything further left is only what the client says of itself.
 */
export function findClient(peer: () => string, headers: Headers, trustedProxies: number): Client {
  const forwarded = headers.get('x-forwarded-for')
  if (forwarded === null && !headers.has('forwarded'))
    return { address: peer(), isLocal: isLoopback(peer()) }
  if (forwarded === null || trustedProxies === 0) return { address: peer(), isLocal: false }
  const hops = forwarded.split(',')
  const address = hops[Math.max(0, hops.length - trustedProxies)]?.trim() || peer()
  return { address, isLocal: false }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
