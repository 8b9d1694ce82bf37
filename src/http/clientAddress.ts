import { isIP, isIPv6 } from 'node:net'

/** Origin of a request. */
export interface Client {
  /** Address that rate limits are counted by. */
  readonly address: string
  /** Whether the client is a program on this machine that connects without a proxy. */
  readonly isLocal: boolean
}

/** Exceeds the length of any address; bounds the memory of the rate limiter. */
const MAX_LENGTH = 64

/**
 * Finds the client of a request. Each trusted proxy appends the address of its peer, so the client is
 * that many entries from the right; entries further left are unverified claims of the client.
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

/** Exact address for the log. A forwarded value that is no IP address is ignored. */
export function addressOf(peer: () => string, headers: Headers, trustedProxies: number): string {
  const hops = headers.get('x-forwarded-for')?.split(',') ?? []
  const forwarded =
    trustedProxies > 0 ? hops[Math.max(0, hops.length - trustedProxies)]?.trim() : ''
  const [, v4] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(forwarded ?? '') ?? []
  const [, v6] = /^\[(.+)\](?::\d+)?$/.exec(forwarded ?? '') ?? []
  const address = v4 ?? v6 ?? forwarded ?? ''
  return (isIP(address) ? address : peer()).replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * Removes the port that some proxies add, which differs for each connection, and reduces IPv6
 * addresses to their /64 network, because one subscriber owns all addresses of it.
 */
function rateLimitKey(address: string): string {
  if (!address.includes(':')) return address
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(address) ?? []
  if (v4 !== undefined) return v4
  const [, v6 = address] = /^\[(.+)\](?::\d+)?$/.exec(address) ?? []
  return isIPv6(v6) ? `${networkOf(v6)}::/64` : address
}

/** First four of the eight groups, in a canonical notation. */
function networkOf(address: string): string {
  const [left = '', right] = address.split('::')
  const before = groupsOf(left)
  const after = groupsOf(right ?? '')
  const zeros = right === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}

function groupsOf(text: string): string[] {
  if (text === '') return []
  // An IPv4 address at the end replaces two groups, which are never among the first four.
  return text
    .replace(/\d+\.\d+\.\d+\.\d+/, '0:0')
    .split(':')
    .map((group) => Number.parseInt(group, 16).toString(16))
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
