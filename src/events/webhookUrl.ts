import { isIPv6 } from 'node:net'
import { dns } from 'bun'
import { type AllowList, contains, isGlobal, isHostName, parseIp } from '../model/core/network'
import { isHttpUrl, MAX_URL, Problem } from '../model/core/validation'
import { type Clock, systemClock } from '../runtime/timers/clock'
import { withTimeout } from '../runtime/timers/withTimeout'

export type Resolve = (host: string) => Promise<string[]>

export type CheckedAddress =
  | { ok: true; url: URL; ips: string[] }
  /** The problem is shown to the owner. It never contains the resolved addresses. */
  | { ok: false; problem: Problem }

export interface AddressRules {
  readonly allow: AllowList
  readonly resolve?: Resolve | undefined
  /** Longest address; that of a webhook by default. */
  readonly maxLength?: number
  /** Requires https also for receivers on the allow list. */
  readonly isHttpsOnly?: boolean
}

/**
 * Checks that events may be sent to an address. The sender connects to one of the `ips` and does
 * not resolve the name again, because the result may have changed since.
 */
export async function checkAddress(
  address: string,
  { allow, resolve = resolveHost, maxLength = MAX_URL, isHttpsOnly = false }: AddressRules,
): Promise<CheckedAddress> {
  const url = parseAddress(address, maxLength)
  if (url instanceof Problem) return rejected(url)
  if (isHttpsOnly && url.protocol !== 'https:') return rejected(NOT_HTTPS)

  const host = hostOf(url)
  const isLiteral = parseIp(host) !== null
  const violation = findViolation(url, isLiteral)
  const isListed = allow.hosts.has(host)
  if (violation && !isListed && allow.ranges.length === 0) return rejected(violation)

  const ips = isLiteral ? [host] : await resolve(host).catch(() => [])
  if (ips.length === 0) return rejected(new Problem('address_not_found'))

  const isAllowed = (ip: string) => {
    const parsed = parseIp(ip)
    return parsed !== null && (isListed || allow.ranges.some((range) => contains(range, parsed)))
  }
  if (violation && !ips.every(isAllowed)) return rejected(violation)
  if (!ips.every((ip) => isAllowed(ip) || isGlobal(ip)))
    return rejected(new Problem('address_not_public'))
  return { ok: true, url, ips: sortIps(ips) }
}

/**
 * Resolves a name with the hosts file or DNS. Bun's lookup does not block a thread; `node:dns` on
 * Linux does, so that a few unresponsive name servers would block all lookups.
 */
export async function resolveHost(
  host: string,
  lookup: (host: string) => Promise<{ address: string }[]> = dns.lookup,
  timeoutMs = 3_000,
  clock: Clock = systemClock,
): Promise<string[]> {
  const rejectLate = () => {
    throw new Error('DNS lookup timed out.')
  }
  const addresses = await withTimeout(lookup(host), timeoutMs, rejectLate, clock)
  return addresses.map(({ address }) => address)
}

function rejected(problem: Problem): CheckedAddress {
  return { ok: false, problem }
}

/** Returns the address without a final dot in its host, or the problem that never allows it. */
function parseAddress(address: string, maxLength: number): URL | Problem {
  if (address.length > maxLength) return new Problem('address_too_long', { max: maxLength })
  if (!isHttpUrl(address)) return new Problem('address_not_absolute')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return new Problem('address_with_user')
  // Certificates and SNI have no final dot. Setting the host also normalizes numeric IPs before it.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = hostOf(url)
  if (!isHostName(host) && parseIp(host) === null) return new Problem('address_without_host')
  // Discord hosts no receivers, so the entire host is rejected, whatever the path.
  if (DISCORD.test(host)) return new Problem('address_of_discord')
  return url
}

/** Returns the rule that the URL violates, or null. Receivers on the allow list are exempt from these rules. */
function findViolation(url: URL, isLiteral: boolean): Problem | null {
  if (url.protocol !== 'https:') return NOT_HTTPS
  if (isLiteral) return new Problem('address_is_ip')
  if (url.port !== '') return new Problem('address_with_port')
  return null
}

const NOT_HTTPS = new Problem('address_not_https')

const DISCORD = /(^|\.)discord(app)?\.com$/

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Sorts IPv4 first, because many self-hosted machines have no IPv6 route. */
function sortIps(ips: string[]): string[] {
  return [...new Set(ips)].sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)))
}
