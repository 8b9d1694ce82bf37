/** Where people chat, such as `discord`, `matrix` or `irc`. */
export type Platform = string

/** The only one whose IDs stand alone: PluralKit's clients know no other. */
export const DISCORD: Platform = 'discord'

export const MAX_ID = 255

/** An account, a guild, a channel or a message, as its platform calls it. */
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

/** What an ID of the platform must be, in words that go on after "must be". */
export function describeId(platform: Platform): string {
  return platform === DISCORD
    ? 'a number of up to 20 digits'
    : `1 to ${MAX_ID} characters without spaces and control characters, not "." or ".."`
}

/**
 * The ID as it is kept, and spoken everywhere but under `/bot`: with its platform in front, so that
 * those of two platforms never meet. Discord's has no colon, and every other has one.
 */
export function formatId({ platform, id }: PlatformId): string {
  return platform === DISCORD ? id : `${platform}:${id}`
}

/** Reads what `spellId` writes. Discord may be named too. */
export function parseId(text: string): PlatformId | null {
  const [, platform = DISCORD, id = ''] = /^(?:([^:]*):)?(.*)$/s.exec(text) ?? []
  return isPlatform(platform) && isIdOf(platform, id) ? { platform, id } : null
}

/** As it is kept, whatever was left out or named too much; null for what is no ID. */
export function normalizeId(text: string): string | null {
  const parsed = parseId(text)
  return parsed && formatId(parsed)
}

/** The platform of an ID that is kept. */
export function platformOf(kept: string): Platform {
  const at = kept.indexOf(':')
  return at === -1 ? DISCORD : kept.slice(0, at)
}

/** An ID that is kept, as its own platform calls it. */
export function bareId(kept: string): string {
  return kept.slice(kept.indexOf(':') + 1)
}

const MAX_SNOWFLAKE = 2n ** 64n - 1n

/** Discord's: 1 to 20 digits within 64 bits. Never a JavaScript number. */
function isSnowflake(text: string): boolean {
  // Whatever has fewer digits fits, and is not worth a large number.
  return /^\d{1,20}$/.test(text) && (text.length < 20 || BigInt(text) <= MAX_SNOWFLAKE)
}

/** Anything that has a place in one part of a path, and that storage gives back as it was. */
function isOpaque(text: string): boolean {
  if (text.length > MAX_ID || text === '.' || text === '..') return false
  return /^[^\s\p{Cc}]+$/u.test(text) && text.isWellFormed()
}
