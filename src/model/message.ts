import { bareId } from './platform'
import { type Instant, MINUTE } from './time'

/** How long a message can be looked up by the message that triggered it. */
export const ORIGINAL_LOOKUP = 30 * MINUTE

/** The record of a proxied message. IDs are the chat platform's, as they are kept. */
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

/** The record in the words of its own platform. */
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
