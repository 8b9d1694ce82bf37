import type { Config } from '../../config'
import { isSafeMethod } from '../safeMethod'

/** Where a browser keeps who it is, and whether it may be believed. */
export interface Cookie {
  readonly name: string
  readonly isSecure: boolean
}

/** How long a browser keeps it when told to remember; the server may end it sooner. */
const LONGEST_SECONDS = 365 * 24 * 60 * 60

export interface OriginConfig {
  readonly publicUrl: string
  readonly trustedProxies: number
}

export function originConfig({ PUBLIC_URL, TRUST_PROXY }: Config): OriginConfig {
  return { publicUrl: PUBLIC_URL, trustedProxies: TRUST_PROXY }
}

/** Cookies do not know ports, so on plain http the name does. */
export function cookieFor(headers: Headers, origin: OriginConfig): Cookie {
  if (isHttps(headers, origin)) return { name: '__Host-multitude', isSecure: true }
  const [, port = '80'] = /:(\d+)$/.exec(headers.get('host') ?? '') ?? []
  return { name: `multitude-${port}`, isSecure: false }
}

function isHttps(headers: Headers, { publicUrl, trustedProxies }: OriginConfig): boolean {
  const host = headers.get('host') ?? ''
  if (publicUrl.startsWith('https:') && isSameHost(publicUrl, host)) return true
  if (trustedProxies === 0) return false
  const said = headers.get('x-forwarded-proto')?.split(',') ?? []
  // Each proxy may append its own; the one that was first trusted speaks of the browser.
  return said[Math.max(0, said.length - trustedProxies)]?.trim() === 'https'
}

/**
 * Value of the session cookie; null without one. Two of one name are ignored: a page on another
 * port can set a cookie of this name for a longer path, and which of them is real is unknown.
 */
export function readSessionCookie(headers: Headers, origin: OriginConfig): string | null {
  const given = headers.get('cookie')
  if (given === null) return null
  const { name } = cookieFor(headers, origin)
  const start = `${name}=`
  const [found, ...others] = given.split(';').filter((pair) => pair.trimStart().startsWith(start))
  return others.length === 0 ? found?.trim().slice(start.length) || null : null
}

export function setCookie(cookie: Cookie, secret: string, remember: boolean): string {
  return serializeCookie(cookie, secret, remember ? `; Max-Age=${LONGEST_SECONDS}` : '')
}

export function clearCookie(cookie: Cookie): string {
  return serializeCookie(cookie, '', '; Max-Age=0')
}

function serializeCookie({ name, isSecure }: Cookie, value: string, lasting: string): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${lasting}`
}

/**
 * Whether a request is one of our own page's. Without that, a page on another port of the same
 * machine could write with the cookie: it is the same site.
 */
export function isSameOrigin(method: string, headers: Headers, origin: OriginConfig): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || (site === 'none' && isSafeMethod(method))
  return isSafeMethod(method) || isOwnOrigin(headers, origin)
}

/** Of somebody who logs in: programs say nothing of where they are, pages must be ours. */
export function isLoginAllowed(headers: Headers, origin: OriginConfig): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  return !headers.has('origin') || isOwnOrigin(headers, origin)
}

function isOwnOrigin(headers: Headers, { publicUrl }: OriginConfig): boolean {
  const origin = headers.get('origin')
  if (origin === null) return false
  const host = headers.get('host')
  if (host !== null && isSameHost(origin, host)) return true
  return publicUrl !== '' && URL.parse(origin)?.host === URL.parse(publicUrl)?.host
}

/** A port that its scheme has anyway may be spelled or not. */
function isSameHost(url: string, host: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host
}
