import { isIPv4, isIPv6 } from 'node:net'
import { dns } from 'bun'
import { isWebAddress, MAX_URL } from '../model/check'

/** What the operator opens beyond the public internet: host names, and ranges of addresses. */
export interface AllowList {
  readonly hosts: ReadonlySet<string>
  readonly ranges: readonly Range[]
}

export type Resolve = (host: string) => Promise<string[]>

export type CheckedAddress =
  | { ok: true; url: URL; ips: string[] }
  /** The reason is for the owner to read. It never says where the name leads. */
  | { ok: false; reason: string }

/**
 * May events be sent there? Whoever sends connects to one of the `ips`, never to what a second
 * look at the name would give: that answer may have changed since.
 */
export async function checkAddress(
  address: string,
  { allow, resolve = resolveHost }: { allow: AllowList; resolve?: Resolve },
): Promise<CheckedAddress> {
  const url = readAddress(address)
  if (typeof url === 'string') return refuse(url)

  const host = hostOf(url)
  const isLiteral = readIp(host) !== null
  const oddity = findOddity(url, isLiteral)
  const isListed = allow.hosts.has(host)
  if (oddity && !isListed && allow.ranges.length === 0) return refuse(oddity)

  const ips = isLiteral ? [host] : await resolve(host).catch(() => [])
  if (ips.length === 0) return refuse('Cannot resolve: the host name leads to no address.')

  const isOpened = (ip: string) => {
    const read = readIp(ip)
    return read !== null && (isListed || allow.ranges.some((range) => contains(range, read)))
  }
  if (oddity && !ips.every(isOpened)) return refuse(oddity)
  if (!ips.every((ip) => isOpened(ip) || isGlobal(ip)))
    return refuse('Address not public: the host name leads to a private or reserved network.')
  return { ok: true, url, ips: inOrder(ips) }
}

/** Reads the setting DISPATCH_ALLOW. A list of strings names the entries that make no sense. */
export function parseAllowList(text: string): AllowList | string[] {
  const hosts = new Set<string>()
  const ranges: Range[] = []
  const problems: string[] = []
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const range = readRange(entry)
    const host = range ? null : readHost(entry)
    if (range) ranges.push(range)
    else if (host) hosts.add(host)
    else problems.push(`"${entry}" is not a host name, an IP address or a CIDR range.`)
  }
  return problems.length > 0 ? problems : { hosts, ranges }
}

/** Is this the address of a machine anywhere on the public internet? */
export function isGlobal(ip: string): boolean {
  const read = readIp(ip)
  return read !== null && isGlobalIp(read)
}

/**
 * All addresses of a name, from the hosts file or from DNS. Bun's own lookup waits without holding
 * a thread (on Linux `node:dns` holds one, so that a few dead name servers would stop everyone).
 */
export async function resolveHost(
  host: string,
  lookup: (host: string) => Promise<{ address: string }[]> = dns.lookup,
  patienceMs = 3_000,
): Promise<string[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The name server is silent.')), patienceMs)
  try {
    const found = await Promise.race([lookup(host), late.promise])
    return found.map(({ address }) => address)
  } finally {
    clearTimeout(timer)
  }
}

function refuse(reason: string): CheckedAddress {
  return { ok: false, reason }
}

/** The address without a final dot on its host, or what is wrong with it wherever it leads. */
function readAddress(address: string): URL | string {
  if (address.length > MAX_URL) return `Bad address: at most ${MAX_URL} characters.`
  if (!isWebAddress(address)) return 'Bad address: must be absolute and start with https://.'
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    return 'Bad address: must not hold a user name or password.'
  // Certificates and SNI know no final dot. Setting it anew also reads numbers hidden before dots.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = hostOf(url)
  if (!HOST_NAME.test(host) && readIp(host) === null) return 'Bad address: not a host name.'
  // No receiver of ours can live there, so the whole host is refused and no spelling slips through.
  if (DISCORD.test(host)) return 'Bad address: Discord webhooks cannot receive events.'
  return url
}

/** What only an allow-listed receiver may have. */
function findOddity(url: URL, isLiteral: boolean): string | null {
  if (url.protocol !== 'https:') return 'Bad address: must start with https://.'
  if (isLiteral) return 'Bad address: must have a host name instead of an IP address.'
  if (url.port !== '') return 'Bad address: must use port 443.'
  return null
}

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/
const DISCORD = /(^|\.)discord(app)?\.com$/

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** IPv4 first: many self-hosted machines have no way out over IPv6. */
function inOrder(ips: string[]): string[] {
  return [...new Set(ips)].sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)))
}

function readHost(entry: string): string | null {
  if (/[\s/\\:@?#[\]]/.test(entry)) return null
  const host = URL.parse(`https://${entry}`)?.hostname.replace(/\.$/, '') ?? ''
  return HOST_NAME.test(host) && !isIPv4(host) ? host : null
}

function readRange(entry: string): Range | null {
  const [address = '', size, ...rest] = entry.split('/')
  const ip = readIp(address)
  if (ip === null || rest.length > 0) return null
  if (size === undefined) return { ...ip, prefix: ip.bits }
  const prefix = Number(size)
  return /^\d{1,3}$/.test(size) && prefix <= ip.bits ? { ...ip, prefix } : null
}

interface Ip {
  readonly bits: 32 | 128
  readonly value: bigint
}

interface Range extends Ip {
  readonly prefix: number
}

/** Strict: four plain decimals, or IPv6 without a zone. A v4-mapped address is that IPv4. */
function readIp(text: string): Ip | null {
  if (isIPv4(text)) {
    const value = text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
    return { bits: 32, value }
  }
  if (!isIPv6(text) || text.includes('%')) return null
  const value = readIpv6(text)
  return value >> 32n === 0xffffn ? { bits: 32, value: low32(value) } : { bits: 128, value }
}

function readIpv6(text: string): bigint {
  // The URL parser spells every form as plain hexadecimal groups with at most one "::".
  const [head = '', tail = ''] = hostOf(new URL(`http://[${text}]`)).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...zeros, ...right].map((group) => group.padStart(4, '0'))
  return BigInt(`0x${groups.join('')}`)
}

function low32(value: bigint): bigint {
  return value & 0xffff_ffffn
}

function contains(range: Range, ip: Ip): boolean {
  const rest = BigInt(range.bits - range.prefix)
  return range.bits === ip.bits && range.value >> rest === ip.value >> rest
}

function isGlobalIp(ip: Ip): boolean {
  const inner = innerIpv4s(ip)
  if (inner.length > 0) return inner.every((value) => isGlobalIp({ bits: 32, value }))
  ranges ??= specialRanges()
  const narrowest = ranges
    .filter(({ range }) => contains(range, ip))
    .reduce((best, next) => (next.range.prefix > best.range.prefix ? next : best))
  return narrowest.global
}

/** The IPv4 addresses where packets for this IPv6 address really go. */
function innerIpv4s({ bits, value }: Ip): bigint[] {
  if (bits === 32) return []
  // v4-compatible, with "::" and "::1" as 0.0.0.0 and 0.0.0.1.
  if (value >> 32n === 0n) return [low32(value)]
  // 6to4.
  if (value >> 112n === 0x2002n) return [low32(value >> 80n)]
  // Teredo: its server, and the client with every bit turned.
  if (value >> 96n === 0x2001_0000n) return [low32(value >> 64n), low32(~value)]
  return []
}

/**
 * IANA's special-purpose registries; the narrowest range that holds an address decides. Of IPv6
 * only 2000::/3 is given out, so everything else (private, link-local, multicast, NAT64, discard …)
 * needs no line of its own.
 */
function specialRanges(): Special[] {
  return [
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
}

interface Special {
  readonly range: Range
  readonly global: boolean
}

/** Read when the first address is checked: no start waits for it. */
let ranges: Special[] | undefined

function rangesOf(global: boolean, entries: string): Special[] {
  return entries.split(/\s+/).flatMap((entry) => {
    const range = readRange(entry)
    return range ? [{ range, global }] : []
  })
}
