/** Hosts and address ranges outside the public internet that the operator allows. */
export interface AllowList {
  readonly hosts: ReadonlySet<string>
  readonly ranges: readonly Range[]
}

/** Parses the setting DISPATCH_ALLOW, or returns a problem for each invalid entry. */
export function parseAllowList(text: string): AllowList | string[] {
  const hosts = new Set<string>()
  const ranges: Range[] = []
  const problems: string[] = []
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const range = parseRange(entry)
    const host = range ? null : parseHost(entry)
    if (range) ranges.push(range)
    else if (host) hosts.add(host)
    else problems.push(`"${entry}" is not a host name, an IP address or a CIDR range.`)
  }
  return problems.length > 0 ? problems : { hosts, ranges }
}

/** Formats a list so that `parseAllowList` can parse it again. */
export function formatAllowList({ hosts, ranges }: AllowList): string {
  return [...hosts, ...ranges.map(({ text }) => text)].join(',')
}

/** Checks for an address that is routed on the public internet. */
export function isGlobal(ip: string): boolean {
  const parsed = parseIp(ip)
  return parsed !== null && isGlobalIp(parsed)
}

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/

export function isHostName(text: string): boolean {
  return HOST_NAME.test(text)
}

function parseHost(entry: string): string | null {
  if (/[\s/\\:@?#[\]]/.test(entry)) return null
  const host = URL.parse(`https://${entry}`)?.hostname.replace(/\.$/, '') ?? ''
  return isHostName(host) && parseIpv4(host) === null ? host : null
}

function parseRange(entry: string): Range | null {
  const [address = '', size, ...rest] = entry.split('/')
  const ip = parseIp(address)
  if (ip === null || rest.length > 0) return null
  if (size === undefined) return { ...ip, prefix: ip.bits, text: entry }
  const prefix = Number(size)
  return /^\d{1,3}$/.test(size) && prefix <= ip.bits ? { ...ip, prefix, text: entry } : null
}

interface Ip {
  readonly bits: 32 | 128
  readonly value: bigint
}

interface Range extends Ip {
  readonly prefix: number
  /** The entry as the operator wrote it. */
  readonly text: string
}

/** Accepts IPv4 in dotted-decimal notation, or IPv6 without a zone ID. An IPv4-mapped address counts as IPv4. */
export function parseIp(text: string): Ip | null {
  const short = parseIpv4(text)
  if (short !== null) return { bits: 32, value: short }
  const value = parseIpv6(text)
  if (value === null) return null
  return value >> 32n === 0xffffn ? { bits: 32, value: low32(value) } : { bits: 128, value }
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

function parseIpv4(text: string): bigint | null {
  if (!IPV4.test(text)) return null
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
}

/** Parses IPv6 without a URL parser, because these accept invalid and reject valid addresses. */
function parseIpv6(text: string): bigint | null {
  const halves = withoutDots(text).split('::')
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - left.length - right.length
  const isFull = halves.length === 1 && missing === 0
  const isShortened = halves.length === 2 && missing > 0
  if (!isFull && !isShortened) return null
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null
  return BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`)
}

/** Rewrites the last two groups if they are written as an IPv4 address. */
function withoutDots(text: string): string {
  return text.replace(/(?<=:)[\d.]+$/, (end) => {
    const value = parseIpv4(end)
    return value === null ? end : `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
  })
}

function low32(value: bigint): bigint {
  return value & 0xffff_ffffn
}

export function contains(range: Range, ip: Ip): boolean {
  const rest = BigInt(range.bits - range.prefix)
  return range.bits === ip.bits && range.value >> rest === ip.value >> rest
}

function isGlobalIp(ip: Ip): boolean {
  const inner = innerIpv4s(ip)
  if (inner.length > 0) return inner.every((value) => isGlobalIp({ bits: 32, value }))
  const narrowest = RANGES.filter(({ range }) => contains(range, ip)).reduce((best, next) =>
    next.range.prefix > best.range.prefix ? next : best,
  )
  return narrowest.global
}

/** Returns the IPv4 addresses to which packets for this IPv6 address are sent. */
function innerIpv4s({ bits, value }: Ip): bigint[] {
  if (bits === 32) return []
  // IPv4-compatible, with "::" and "::1" as 0.0.0.0 and 0.0.0.1.
  if (value >> 32n === 0n) return [low32(value)]
  // 6to4.
  if (value >> 112n === 0x2002n) return [low32(value >> 80n)]
  // Teredo: the server, and the client with all bits inverted.
  if (value >> 96n === 0x2001_0000n) return [low32(value >> 64n), low32(~value)]
  return []
}

/**
 * IANA's special-purpose registries; the narrowest range that contains an address decides. IANA
 * allocates IPv6 addresses in 2000::/3 only, so other special ranges (private, link-local,
 * multicast, NAT64, discard …) need no entry.
 */
const RANGES = [
  ...rangesOf(
    true,
    `0.0.0.0/0 192.0.0.9 192.0.0.10
     2000::/3 2001:1::1 2001:1::2 2001:1::3 2001:3::/32 2001:4:112::/48 2001:20::/28 2001:30::/28`,
  ),
  ...rangesOf(
    false,
    `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
     192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
     224.0.0.0/4 240.0.0.0/4
     ::/0 2001::/23 2001:db8::/32 3fff::/20`,
  ),
]

function rangesOf(global: boolean, entries: string): { range: Range; global: boolean }[] {
  return entries.split(/\s+/).flatMap((entry) => {
    const range = parseRange(entry)
    return range ? [{ range, global }] : []
  })
}
