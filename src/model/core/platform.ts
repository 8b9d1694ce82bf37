/** A chat network, such as `discord`, `matrix` or `irc`. */
export type Platform = string

/** The only platform whose IDs have no prefix, because PluralKit clients know no other. */
export const DISCORD: Platform = 'discord'

export const MAX_ID = 255

/** ID of an account, guild, channel or message on its platform. */
export interface PlatformId {
  platform: Platform
  id: string
}

export function isPlatform(text: string): boolean {
  return /^[a-z][a-z\d-]{1,19}$/.test(text)
}

export function isIdOf(platform: Platform, id: string): boolean {
  return platform === DISCORD ? isSnowflake(id) : isOpaque(id)
}

/** Describes a valid ID of the platform; completes a sentence that ends in "must be". */
export function describeId(platform: Platform): string {
  return platform === DISCORD
    ? 'a number of up to 20 digits'
    : `1 to ${MAX_ID} characters without spaces and control characters, not "." or ".."`
}

/**
 * Returns the ID as it is stored, and used everywhere except under `/bot`: prefixed with its
 * platform, so that IDs of two platforms never collide. Only Discord's IDs have no colon.
 */
export function formatId({ platform, id }: PlatformId): string {
  return platform === DISCORD ? id : `${platform}:${id}`
}

/** Parses an ID that `formatId` wrote. The prefix `discord:` is accepted too. */
export function parseId(text: string): PlatformId | null {
  const [, platform = DISCORD, id = ''] = /^(?:([^:]*):)?(.*)$/s.exec(text) ?? []
  return isPlatform(platform) && isIdOf(platform, id) ? { platform, id } : null
}

/** Returns the stored form of an ID, or null if the text is not an ID. */
export function normalizeId(text: string): string | null {
  const parsed = parseId(text)
  return parsed && formatId(parsed)
}

export function platformOf(stored: string): Platform {
  const index = stored.indexOf(':')
  return index === -1 ? DISCORD : stored.slice(0, index)
}

/** Returns a stored ID without its platform. */
export function bareId(stored: string): string {
  return stored.slice(stored.indexOf(':') + 1)
}

const MAX_SNOWFLAKE = 2n ** 64n - 1n

/** Accepts Discord's IDs: 1 to 20 digits within 64 bits. Never converted to a JavaScript number. */
function isSnowflake(text: string): boolean {
  // A number with fewer digits always fits, so no BigInt is needed.
  return /^\d{1,20}$/.test(text) && (text.length < 20 || BigInt(text) <= MAX_SNOWFLAKE)
}

/** Accepts any text that fits in one path segment and that the database returns unchanged. */
function isOpaque(text: string): boolean {
  if (text.length > MAX_ID || text === '.' || text === '..') return false
  return /^[^\s\p{Cc}]+$/u.test(text) && text.isWellFormed()
}
