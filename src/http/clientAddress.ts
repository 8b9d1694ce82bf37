import { isIP, isIPv6 } from 'node:net'

/** Where a request came from, before and after believing proxies. */
export interface Client {
  /** The address that limits are counted for. */
  readonly address: string
  /** A program on this machine, talking to us without a proxy in between. */
  readonly isLocal: boolean
}

/** More letters than any address has; what is longer would only fill the memory. */
const MAX_LENGTH = 64

/**
 * Each trusted proxy appends the address it was called from, so the client is that many entries
 * from the right; anything further left is only what the client says of itself.
 */
export function findClient(peer: () => string, headers: Headers, trustedProxies: number): Client {
  const forwarded = headers.get('x-forwarded-for')
  if (forwarded === null && !headers.has('forwarded'))
    return { address: rateLimitKey(peer()), isLocal: isLoopback(peer()) }
  if (forwarded === null || trustedProxies === 0)
    return { address: rateLimitKey(peer()), isLocal: false }
  const hops = forwarded.split(',')
  const address = hops[Math.max(0, hops.length - trustedProxies)]?.trim() || peer()
  return { address: rateLimitKey(address.slice(0, MAX_LENGTH)), isLocal: false }
}

/** The very address, for the log; what a client only claims to be one is not taken for it. */
export function addressOf(peer: () => string, headers: Headers, trustedProxies: number): string {
  const hops = headers.get('x-forwarded-for')?.split(',') ?? []
  const named = trustedProxies > 0 ? hops[Math.max(0, hops.length - trustedProxies)]?.trim() : ''
  const [, v4] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(named ?? '') ?? []
  const [, v6] = /^\[(.+)\](?::\d+)?$/.exec(named ?? '') ?? []
  const address = v4 ?? v6 ?? named ?? ''
  return (isIP(address) ? address : peer()).replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * Some proxies name a port, which is another with each connection. And of IPv6 one subscriber owns
 * a whole /64: more addresses than anybody could count limits for.
 */
function rateLimitKey(address: string): string {
  if (!address.includes(':')) return address
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(address) ?? []
  if (v4 !== undefined) return v4
  const [, v6 = address] = /^\[(.+)\](?::\d+)?$/.exec(address) ?? []
  return isIPv6(v6) ? `${networkOf(v6)}::/64` : address
}

/** The first four of the eight groups, spelled the same however the address is. */
function networkOf(address: string): string {
  const [left = '', right] = address.split('::')
  const before = groupsOf(left)
  const after = groupsOf(right ?? '')
  const zeros = right === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}

function groupsOf(text: string): string[] {
  if (text === '') return []
  // An IPv4 address at the end stands for two groups, which are never among the first four.
  return text
    .replace(/\d+\.\d+\.\d+\.\d+/, '0:0')
    .split(':')
    .map((group) => Number.parseInt(group, 16).toString(16))
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
