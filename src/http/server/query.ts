import { t } from 'elysia'
import { error } from '../../model/core/errors'
import { describeId, formatId, isIdOf, normalizeId, type Platform } from '../../model/core/platform'
import { type Instant, parseInstant } from '../../model/core/time'
import { isTimezone } from '../../model/core/validation'
import { SWITCHES_PER_PAGE } from '../../model/front/switch'
import { keepsRepeats } from './elysiaInternals'

/** Raw value of a query or path parameter, before one of the parsers below read it. */
type QueryValue = unknown

/** Documents a parameter that its route receives as text. */
export function parameter(schema: {
  type: string
  description: string
  [keyword: string]: unknown
}) {
  return t.Optional(t.Unsafe<QueryValue>({ ...t.Unknown(), ...schema, ...keepsRepeats }))
}

/**
 * Documents a required parameter. For Elysia it is optional, because the route itself answers with a
 * specific error if it is missing.
 */
export function requiredParameter(schema: Parameters<typeof parameter>[0]) {
  return parameter({ ...schema, 'x-required': true })
}

/** Documents a query. Unknown parameters are ignored, like unknown keys of a body. */
export function parameters<P extends Record<string, ReturnType<typeof parameter>>>(named: P) {
  return t.Object(named, { additionalProperties: true })
}

export function parseFlag(name: string, value: QueryValue): boolean {
  const text = requireSingleValue(name, value)?.toLowerCase()
  if (text === undefined || text === 'false' || text === '0') return false
  if (text === 'true' || text === '1') return true
  throw error('badRequest', `${name} must be true or false`)
}

export function parseTime(name: string, value: QueryValue): Instant | null {
  const text = requireSingleValue(name, value)
  if (text === undefined) return null
  // A "+" that was not encoded arrives as a space. After a time it can only have been a "+".
  const instant = parseInstant(text.replace(/(?<=:\d\d(?:[.,]\d+)?) (?=\d\d(?::?\d\d)?$)/, '+'))
  if (instant === null) throw error('badRequest', `${name} must be an ISO 8601 time`)
  return instant
}

export function parseLimit(
  value: QueryValue,
  defaultLimit = SWITCHES_PER_PAGE,
  maxLimit = SWITCHES_PER_PAGE,
): number {
  const text = requireSingleValue('limit', value)
  if (text === undefined) return defaultLimit
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit === 0)
    throw error('badRequest', 'limit must be a whole number, 1 or more')
  return Math.min(limit, maxLimit)
}

/** Parses a time zone name. A "+" that was not encoded arrives as a space, which no name contains. */
export function parseZone(name: string, value: QueryValue): string | null {
  const zone = parseText(name, value)?.replaceAll(' ', '+') ?? null
  if (zone !== null && !isTimezone(zone))
    throw error('badRequest', `${name} must be a time zone name such as Europe/Oslo`)
  return zone
}

export function parseText(name: string, value: QueryValue): string | null {
  return requireSingleValue(name, value) ?? null
}

/** Parses an ID of a chat platform: `platform:ID`, or the bare ID for Discord. */
export function parsePlatformId(name: string, value: QueryValue): string | null {
  const text = requireSingleValue(name, value)
  return text === undefined ? null : parsePathId(name, text)
}

/** Parses an ID like `parsePlatformId`, from a path parameter, which is always present. */
export function parsePathId(name: string, text: string): string {
  const id = normalizeId(text)
  if (id === null)
    throw error('badRequest', `${name} must be a number of up to 20 digits, or platform:ID`)
  return id
}

/** Parses a path parameter that is an ID on the bot's own platform, without the platform prefix. */
export function parseBotPathId(platform: Platform, name: string, text: string): string {
  if (!isIdOf(platform, text)) throw error('badRequest', `${name} must be ${describeId(platform)}`)
  return formatId({ platform, id: text })
}

/** Parses a query parameter that is an ID on the bot's own platform; null if it is absent. */
export function parseBotId(platform: Platform, name: string, value: QueryValue): string | null {
  const text = requireSingleValue(name, value)
  return text === undefined ? null : parseBotPathId(platform, name, text)
}

/** Parses a comma-separated list. */
export function parseList(name: string, value: QueryValue): string[] | null {
  const text = requireSingleValue(name, value)
  return text === undefined ? null : text.split(',').map((part) => part.trim())
}

export function parseEnumList<T extends string>(
  name: string,
  value: QueryValue,
  choices: readonly T[],
): ReadonlySet<T> | null {
  const words = parseList(name, value)
  return words && new Set(words.map((word) => parseEnum(name, word, choices)))
}

export function parseEnum<T extends string>(
  name: string,
  value: QueryValue,
  choices: readonly T[],
): T {
  const word = requireSingleValue(name, value)
  const match = choices.find((choice) => choice === word)
  if (match === undefined) throw error('badRequest', `${name} must be ${choices.join(' or ')}`)
  return match
}

/** Returns undefined if the parameter is absent; throws if it is empty or repeated. */
export function requireSingleValue(name: string, value: QueryValue): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '' || value.toLowerCase() === 'null')
    throw error('badRequest', `${name} must have one value`)
  return value
}
