import { bareId } from '../core/platform'
import { type Instant, MINUTE } from '../core/time'

/** Time for which a proxied message can be looked up by the ID of its original message. */
export const ORIGINAL_LOOKUP = 30 * MINUTE

/** Time for which the last message of an account in a channel can be found without its ID. */
export const LAST_MESSAGE_LOOKUP = 10 * MINUTE

/** Record of a proxied message. IDs include their platform (see `formatId`). */
export interface Message {
  id: string
  original: string
  sender: string
  channel: string
  guild: string | null
  system_id: number
  /** Null once the member is deleted. */
  member_id: number | null
  timestamp: Instant
}

/** Returns the record with IDs that do not name their platform. */
export function withBareIds(message: Message): Message {
  const { id, original, sender, channel, guild } = message
  return {
    ...message,
    id: bareId(id),
    original: bareId(original),
    sender: bareId(sender),
    channel: bareId(channel),
    guild: guild === null ? null : bareId(guild),
  }
}
