import { DomainError } from '../../../model/core/errors'
import type { Context } from '../context'
import { findOwn, ownSettings } from '../ownSystem'
import { Refusal } from '../refusal'

export function parseSwitched({ texts }: Context, text: string): boolean {
  const folded = text.toLowerCase()
  if (['on', 'yes', 'true', 'enable', 'enabled', '1'].includes(folded)) return true
  if (['off', 'no', 'false', 'disable', 'disabled', '0'].includes(folded)) return false
  throw new Refusal(texts.onOrOff)
}

/** Returns how the account that asks wants to see IDs. */
export async function idStyle(context: Context) {
  const own = await findOwn(context)
  return own ? ownSettings(context, own) : {}
}

export function requireGuild({ guild, texts }: Context): string {
  if (!guild) throw new Refusal(texts.guildOnly)
  return guild.id
}

/** Returns null instead of an error of a list that is private or settings that were never stored. */
export async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (cause) {
    if (cause instanceof DomainError && (cause.status === 403 || cause.status === 404)) return null
    throw cause
  }
}
