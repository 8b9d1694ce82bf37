import type { Config } from '../../runtime/config/config'
import { isSafeMethod } from './routeTable'

/** Session cookie of a browser. */
export interface Cookie {
  readonly name: string
  readonly isSecure: boolean
}

/** Lifetime of the cookie of a remembered login; the server may end the session earlier. */
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60

export interface OriginConfig {
  readonly publicUrl: string
  readonly trustedProxies: number
}

export function originConfig({ PUBLIC_URL, TRUST_PROXY }: Config): OriginConfig {
  return { publicUrl: PUBLIC_URL, trustedProxies: TRUST_PROXY }
}

/** On plain HTTP the name includes the port, because cookies are shared between ports. */
export function cookieFor(headers: Headers, origin: OriginConfig): Cookie {
  if (isHttps(headers, origin)) return { name: '__Host-multitude', isSecure: true }
  const [, port = '80'] = /:(\d+)$/.exec(headers.get('host') ?? '') ?? []
  return { name: `multitude-${port}`, isSecure: false }
}

/** Public address of this server: the configured one, or that of the request. */
export function addressOf({ url, headers }: Request, origin: OriginConfig): string {
  if (origin.publicUrl !== '') return origin.publicUrl
  return `${isHttps(headers, origin) ? 'https' : 'http'}://${new URL(url).host}`
}

function isHttps(headers: Headers, { publicUrl, trustedProxies }: OriginConfig): boolean {
  const host = headers.get('host') ?? ''
  if (publicUrl.startsWith('https:') && isSameHost(publicUrl, host)) return true
  if (trustedProxies === 0) return false
  const forwardedProtos = headers.get('x-forwarded-proto')?.split(',') ?? []
  // Each proxy may append its own value; that of the outermost trusted proxy is the browser's.
  return forwardedProtos[Math.max(0, forwardedProtos.length - trustedProxies)]?.trim() === 'https'
}

/**
 * Value of the session cookie; null without one. Duplicates are ignored: a page on another port can
 * set a cookie of this name for a longer path, so the genuine one is unknown.
 */
export function readSessionCookie(headers: Headers, origin: OriginConfig): string | null {
  const cookies = headers.get('cookie')
  if (cookies === null) return null
  const { name } = cookieFor(headers, origin)
  const start = `${name}=`
  const [cookie, ...others] = cookies
    .split(';')
    .filter((pair) => pair.trimStart().startsWith(start))
  return others.length === 0 ? cookie?.trim().slice(start.length) || null : null
}

export function setCookie(cookie: Cookie, secret: string, remember: boolean): string {
  return serializeCookie(cookie, secret, remember ? `; Max-Age=${MAX_AGE_SECONDS}` : '')
}

export function clearCookie(cookie: Cookie): string {
  return serializeCookie(cookie, '', '; Max-Age=0')
}

function serializeCookie({ name, isSecure }: Cookie, value: string, maxAge: string): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${maxAge}`
}

/**
 * Returns true if the dashboard sent a request. Without this check, a page on another port of the
 * same machine could write with the cookie, because it is the same site.
 */
export function isSameOrigin(method: string, headers: Headers, origin: OriginConfig): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || (site === 'none' && isSafeMethod(method))
  return isSafeMethod(method) || isOwnOrigin(headers, origin)
}

/** Returns true if a login may come from here: programs send no origin, pages must have our own. */
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

/** Returns whether two hosts are equal; an explicit default port is the same as none. */
function isSameHost(url: string, host: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host
}
