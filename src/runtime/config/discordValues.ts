import { DISCORD, isIdOf } from '../../model/core/platform'
import { oneOf, parseHttpUrl } from './values'

/** Parsers for the settings of the Discord bot. */

const MAX_PREFIX = 10
const MAX_SHARDS = 1_000

/** The message does not repeat the token, which is a secret. */
export function parseDiscordToken(text: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(text))
    throw new Error('must be the token of the bot, without "Bot" and without spaces')
  return text
}

/** Prefixes of commands, compared without regard to case. */
export function parsePrefixes(text: string): readonly string[] {
  const prefixes = splitList(text)
  if (!prefixes.every((prefix) => /^[^\s\p{Cc}]+$/u.test(prefix) && isShort(prefix)))
    throw new Error(
      `must be prefixes of 1 to ${MAX_PREFIX} characters without spaces, separated by commas`,
    )
  return prefixes.filter(
    (prefix, index) => prefixes.findIndex((other) => isSamePrefix(prefix, other)) === index,
  )
}

function isShort(prefix: string): boolean {
  return [...prefix].length <= MAX_PREFIX
}

function isSamePrefix(prefix: string, other: string): boolean {
  return prefix.toLowerCase() === other.toLowerCase()
}

/** Scope of application commands: everywhere, nowhere, or the guilds with these IDs. */
export type DiscordCommands = 'global' | 'off' | readonly string[]

const parseWord = oneOf('global', 'off')

export function parseDiscordCommands(text: string): DiscordCommands {
  const guilds = splitList(text)
  if (guilds.every((id) => isIdOf(DISCORD, id))) return guilds
  try {
    return parseWord(text)
  } catch {
    throw new Error('must be global, off, or IDs of guilds, separated by commas')
  }
}

/** Number of shards; `auto` uses the number that Discord recommends. */
export function parseShards(text: string): number | 'auto' {
  if (text.toLowerCase() === 'auto') return 'auto'
  const shards = Number(text)
  if (!/^[1-9]\d*$/.test(text) || shards > MAX_SHARDS)
    throw new Error(`must be auto or a whole number from 1 to ${MAX_SHARDS}`)
  return shards
}

/** Addresses that consist of scheme, host and port only. */
export function parseOrigins(text: string): readonly string[] {
  try {
    return splitList(text).map((part) => {
      const url = parseHttpUrl(part)
      if (new URL(url).origin !== url.toLowerCase()) throw new Error()
      return url.toLowerCase()
    })
  } catch {
    throw new Error('must be http or https addresses without a path, separated by commas')
  }
}

export function formatList(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(',')
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}
