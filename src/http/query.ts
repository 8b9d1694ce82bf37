import { t } from 'elysia'
import { error } from '../model/errors'
import { describeId, formatId, isIdOf, normalizeId, type Platform } from '../model/platform'
import { SWITCHES_PER_PAGE } from '../model/switch'
import { type Instant, parseInstant } from '../model/time'
import { isTimezone } from '../model/validation'

/** What comes in a query or a path: all of it optional text, each kind read in one place. */
type QueryValue = unknown

/** Documents a parameter that reaches its route as text. */
export function parameter(schema: {
  type: string
  description: string
  [keyword: string]: unknown
}) {
  return t.Optional(t.Unsafe<QueryValue>({ ...t.Unknown(), ...schema, ...keepsRepeats }))
}

/**
 * Documents one that its route asks for by itself, because what is missing has an error of its own.
 * To Elysia it is optional too.
 */
export function requiredParameter(schema: Parameters<typeof parameter>[0]) {
  return parameter({ ...schema, 'x-needed': true })
}

/** Documents a query. Like an unknown key of a body, what it does not name is passed over. */
export function parameters<P extends Record<string, ReturnType<typeof parameter>>>(named: P) {
  return t.Object(named, { additionalProperties: true })
}

export function parseFlag(name: string, given: QueryValue): boolean {
  const text = requireSingleValue(name, given)?.toLowerCase()
  if (text === undefined || text === 'false' || text === '0') return false
  if (text === 'true' || text === '1') return true
  throw error('badRequest', `${name} must be true or false`)
}

export function parseTime(name: string, given: QueryValue): Instant | null {
  const text = requireSingleValue(name, given)
  if (text === undefined) return null
  // A "+" that was not encoded arrives as a space; behind a time it can only have been a "+".
  const instant = parseInstant(text.replace(/(?<=:\d\d(?:[.,]\d+)?) (?=\d\d(?::?\d\d)?$)/, '+'))
  if (instant === null) throw error('badRequest', `${name} must be an ISO 8601 time`)
  return instant
}

export function parseLimit(
  given: QueryValue,
  usual = SWITCHES_PER_PAGE,
  most = SWITCHES_PER_PAGE,
): number {
  const text = requireSingleValue('limit', given)
  if (text === undefined) return usual
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit === 0)
    throw error('badRequest', 'limit must be a whole number, 1 or more')
  return Math.min(limit, most)
}

/** The name of a time zone. A "+" that was not encoded arrives as a space, which none has. */
export function parseZone(name: string, given: QueryValue): string | null {
  const zone = parseText(name, given)?.replaceAll(' ', '+') ?? null
  if (zone !== null && !isTimezone(zone))
    throw error('badRequest', `${name} must be a time zone name such as Europe/Oslo`)
  return zone
}

export function parseText(name: string, given: QueryValue): string | null {
  return requireSingleValue(name, given) ?? null
}

/** A chat platform's ID, with its platform in front unless it is Discord's. */
export function parsePlatformId(name: string, given: QueryValue): string | null {
  const text = requireSingleValue(name, given)
  return text === undefined ? null : parsePathId(name, text)
}

/** As readSnowflake, for a part of the path, which is always there. */
export function parsePathId(name: string, text: string): string {
  const id = normalizeId(text)
  if (id === null)
    throw error('badRequest', `${name} must be a number of up to 20 digits, or platform:ID`)
  return id
}

/** As pathSnowflake, where a bot gives an ID of its own platform. */
export function parseBotPathId(platform: Platform, name: string, text: string): string {
  if (!isIdOf(platform, text)) throw error('badRequest', `${name} must be ${describeId(platform)}`)
  return formatId({ platform, id: text })
}

/** Words with commas between them. */
export function parseList(name: string, given: QueryValue): string[] | null {
  const text = requireSingleValue(name, given)
  return text === undefined ? null : text.split(',').map((part) => part.trim())
}

export function parseEnumList<T extends string>(
  name: string,
  given: QueryValue,
  choices: readonly T[],
): ReadonlySet<T> | null {
  const words = parseList(name, given)
  return words && new Set(words.map((word) => parseEnum(name, word, choices)))
}

export function parseEnum<T extends string>(
  name: string,
  given: QueryValue,
  choices: readonly T[],
): T {
  const word = requireSingleValue(name, given)
  const found = choices.find((choice) => choice === word)
  if (found === undefined) throw error('badRequest', `${name} must be ${choices.join(' or ')}`)
  return found
}

/** A parameter that is present has a value. */
export function requireSingleValue(name: string, given: QueryValue): string | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'string' || given === '' || given.toLowerCase() === 'null')
    throw error('badRequest', `${name} must have one value`)
  return given
}

/** Elysia's note to itself to keep every value of a parameter; without it the last one wins. */
const keepsRepeats = { elysiaMeta: 'ArrayQuery' }
