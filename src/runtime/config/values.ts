import { type AllowList, parseAllowList } from '../../model/core/network'

/** Parsers for the texts of settings. Each returns the value or throws a description of valid texts. */

export interface RateLimits {
  generic_get: number
  message: number
  generic_update: number
}

export const defaultRateLimits: RateLimits = { generic_get: 10, message: 10, generic_update: 3 }

export const MiB = 1024 * 1024

/** Units of durations, in milliseconds. */
const MINUTES = 60 * 1000
export const HOURS = 60 * MINUTES
const DAYS = 24 * HOURS

export interface Parser<T> {
  (text: string): T
  /** Allowed texts, if there are only a few. */
  readonly choices?: readonly string[]
}

export function oneOf<T extends string>(...choices: T[]): Parser<T> {
  const parse = (text: string) => {
    const value = choices.find((choice) => choice === text.toLowerCase())
    if (value === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
    return value
  }
  return Object.assign(parse, { choices })
}

export function parseHost(text: string): string {
  if (!/^[\w.:[\]-]+$/.test(text)) throw new Error('must be a host name or an IP address')
  return text
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65535) throw new Error('must be a number from 0 to 65535')
  return port
}

/** Checks a host and a port in the notation of URLs. */
export function parseAddress(text: string): string {
  const { host, port } = splitAddress(text)
  const isFine = /^([\w.-]+|\[[\da-f:.]+\])$/i.test(host) && /^\d+$/.test(port)
  if (!isFine || Number(port) > 65535)
    throw new Error('must be a host and a port, such as 127.0.0.1:9464')
  return text
}

export function splitAddress(text: string): { host: string; port: string } {
  const index = text.lastIndexOf(':')
  return { host: text.slice(0, Math.max(0, index)), port: text.slice(index + 1) }
}

export function parseCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('must be a whole number, 0 or more')
  return Number(text)
}

export function parseMany(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error('must be a whole number, 1 or more')
  return Number(text)
}

export function parseLease(text: string): number {
  const seconds = parseCount(text)
  if (seconds < 1 || seconds > 60) throw new Error('must be a number of seconds from 1 to 60')
  return seconds
}

export function parseDatabaseUrl(text: string): string {
  if (!/^(file:.+|postgres(ql)?:\/\/.+)/.test(text))
    throw new Error('must look like file:data/multitude.db or postgres://USER@HOST/NAME')
  return text
}

const HIDDEN = '********'

/**
 * Masks the password of a database address. Text after a colon, `pass…=` or a question mark may be
 * part of a password even in an invalid address, so it masks too much rather than too little.
 */
export function hidePassword(address: string): string {
  if (address.startsWith('file:')) return address
  const shown = address.replace(/(\b\w*pass\w*=).*/is, `$1${HIDDEN}`)
  const [, scheme = '', rest = ''] = /^([\w+.-]*:\/\/)?(.*)$/s.exec(shown) ?? []
  if (rest.includes('@'))
    return (
      scheme +
      rest.replace(/:.*@/s, `:${HIDDEN}@`).replace(/\?(?!sslmode=[\w-]*$).*/s, `?${HIDDEN}`)
    )
  const isDatabase = /^postgres/i.test(address) || /^(?!https?:)./i.test(scheme)
  return isDatabase ? scheme + rest.replace(/^(\[[^\]]*\])?([^:]*):.*/s, `$1$2:${HIDDEN}`) : shown
}

export function parseHttpUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be an http or https address')
  return text.replace(/\/+$/, '')
}

/** Checks an address under which operators of other servers can reach the operator of this one. */
export function parseContact(text: string): string {
  const isMail = /^mailto:[^\s@]+@[^\s@]+$/i.test(text)
  if (!isMail && !(/^https:\/\//i.test(text) && URL.canParse(text)))
    throw new Error('must be an https or mailto address')
  return text
}

export function parseText(text: string): string {
  return text
}

export function parseDuration(text: string): number {
  const match = /^(\d{1,4})\s*(m|h|d)$/i.exec(text)
  const unit = { m: MINUTES, h: HOURS, d: DAYS }[match?.[2]?.toLowerCase() ?? ''] ?? 0
  const duration = Number(match?.[1]) * unit
  if (!match || duration === 0) throw new Error('must be a time such as 30m, 24h or 7d')
  return duration
}

export function formatDuration(duration: number): string {
  if (duration % DAYS === 0) return `${duration / DAYS}d`
  return duration % HOURS === 0 ? `${duration / HOURS}h` : `${duration / MINUTES}m`
}

const FOREVER = 'forever'

/** Parses a duration in milliseconds; null means forever. */
export function parseKeep(text: string): number | null {
  if (text.toLowerCase() === FOREVER) return null
  try {
    return parseDuration(text)
  } catch {
    throw new Error(`must be ${FOREVER} or a time such as 90d`)
  }
}

export function formatKeep(keep: number | null): string {
  return keep === null ? FOREVER : formatDuration(keep)
}

/** Parses a limit; null means none. */
export function parseLimit(text: string): number | null {
  if (text.toLowerCase() === 'off') return null
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error('must be off or a whole number, 1 or more')
  return Number(text)
}

export function parseArchiveLimit(text: string): number {
  const bytes = parseBytes(text)
  if (bytes > 32 * MiB) throw new Error('must be at most 32MiB')
  return bytes
}

export function parseBytes(text: string): number {
  const match = /^(\d{1,12})\s*(KiB|MiB)?$/i.exec(text)
  const unit = { kib: 1024, mib: MiB }[match?.[2]?.toLowerCase() ?? ''] ?? 1
  const bytes = Number(match?.[1]) * unit
  if (!match || bytes === 0) throw new Error('must be a size such as 1048576, 512KiB or 1MiB')
  return bytes
}

export function parseAllowed(text: string): AllowList {
  const list = parseAllowList(text)
  if (Array.isArray(list)) throw new Error(`must be hosts and ranges (${list.join(' ')})`)
  return list
}

export function parseImportLimit(text: string): number {
  const bytes = parseBytes(text)
  if (bytes > 64 * MiB) throw new Error('must be at most 64MiB')
  return bytes
}

export function parseRateLimits(text: string): RateLimits | null {
  if (text.toLowerCase() === 'off') return null
  const limits = { ...defaultRateLimits }
  for (const part of text.split(',')) {
    const match = /^\s*(generic_get|message|generic_update)\s*=\s*(\d{1,6})\s*$/.exec(part)
    const perSecond = Number(match?.[2])
    if (!match || perSecond === 0)
      throw new Error('must be off or look like generic_get=10,message=10,generic_update=3')
    limits[match[1] as keyof RateLimits] = perSecond
  }
  return limits
}
