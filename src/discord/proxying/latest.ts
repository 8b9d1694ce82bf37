import { hashContent, type LatestMessage } from '../cache/latestMessages'
import type { BotCore } from '../core'
import { type IncomingMessage, shownName } from '../messages/incomingMessage'

/** Remembers a message as the latest of its channel, unless a later one is known. */
export function noteLatest(
  { latest }: Pick<BotCore, 'latest'>,
  message: IncomingMessage,
  isCommand = false,
): void {
  const known = latest.find(message.channel_id)
  // The answer of the webhook, which names the member, may arrive before the event.
  if (known && BigInt(known.id) >= BigInt(message.id)) return
  latest.set(message.channel_id, {
    id: message.id,
    name: shownName(message),
    member: null,
    contentHash: hashContent(message.content),
    isCommand,
  })
}

/** Remembers a message that the bot has sent, also if its event arrived before the answer. */
export function noteSent(
  { latest }: Pick<BotCore, 'latest'>,
  channelId: string,
  message: LatestMessage,
): void {
  const known = latest.find(channelId)
  if (!known || BigInt(known.id) <= BigInt(message.id)) latest.set(channelId, message)
}
