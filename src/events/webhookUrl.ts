import { isIPv6 } from 'node:net'
import { dns } from 'bun'
import { type AllowList, contains, isGlobal, isHostName, parseIp } from '../model/network'
import { isHttpUrl, MAX_URL } from '../model/validation'

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
  const url = parseAddress(address)
  if (typeof url === 'string') return rejected(url)

  const host = hostOf(url)
  const isLiteral = parseIp(host) !== null
  const oddity = findViolation(url, isLiteral)
  const isListed = allow.hosts.has(host)
  if (oddity && !isListed && allow.ranges.length === 0) return rejected(oddity)

  const ips = isLiteral ? [host] : await resolve(host).catch(() => [])
  if (ips.length === 0) return rejected('Cannot resolve: the host name leads to no address.')

  const isAllowed = (ip: string) => {
    const read = parseIp(ip)
    return read !== null && (isListed || allow.ranges.some((range) => contains(range, read)))
  }
  if (oddity && !ips.every(isAllowed)) return rejected(oddity)
  if (!ips.every((ip) => isAllowed(ip) || isGlobal(ip)))
    return rejected('Address not public: the host name leads to a private or reserved network.')
  return { ok: true, url, ips: inOrder(ips) }
}

/**
 * All addresses of a name, from the hosts file or from DNS. Bun's own lookup waits without holding
 * a thread (on Linux `node:dns` holds one, so that a few dead name servers would stop everyone).
 */
export async function resolveHost(
  host: string,
  lookup: (host: string) => Promise<{ address: string }[]> = dns.lookup,
  timeoutMs = 3_000,
): Promise<string[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The name server is silent.')), timeoutMs)
  try {
    const found = await Promise.race([lookup(host), late.promise])
    return found.map(({ address }) => address)
  } finally {
    clearTimeout(timer)
  }
}

function rejected(reason: string): CheckedAddress {
  return { ok: false, reason }
}

/** The address without a final dot on its host, or what is wrong with it wherever it leads. */
function parseAddress(address: string): URL | string {
  if (address.length > MAX_URL) return `Bad address: at most ${MAX_URL} characters.`
  if (!isHttpUrl(address)) return 'Bad address: must be absolute and start with https://.'
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    return 'Bad address: must not hold a user name or password.'
  // Certificates and SNI know no final dot. Setting it anew also reads numbers hidden before dots.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = hostOf(url)
  if (!isHostName(host) && parseIp(host) === null) return 'Bad address: not a host name.'
  // No receiver of ours can live there, so the whole host is refused and no spelling slips through.
  if (DISCORD.test(host)) return 'Bad address: Discord webhooks cannot receive events.'
  return url
}

/** What only an allow-listed receiver may have. */
function findViolation(url: URL, isLiteral: boolean): string | null {
  if (url.protocol !== 'https:') return 'Bad address: must start with https://.'
  if (isLiteral) return 'Bad address: must have a host name instead of an IP address.'
  if (url.port !== '') return 'Bad address: must use port 443.'
  return null
}

const DISCORD = /(^|\.)discord(app)?\.com$/

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** IPv4 first: many self-hosted machines have no way out over IPv6. */
function inOrder(ips: string[]): string[] {
  return [...new Set(ips)].sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)))
}
