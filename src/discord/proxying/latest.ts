import type { Bot } from '../bot/bot'
import type { BotCore } from '../bot/core'
import { hashContent, type LatestMessage } from '../cache/latestMessages'
import { type IncomingMessage, shownName } from '../messages/incomingMessage'
import { findRecord } from '../operations/proxiedMessage'

/** Remembers a message as the latest of its channel, unless a later one is known. */
export function noteLatest(
  { latest }: Pick<BotCore, 'latest'>,
  message: IncomingMessage,
  isCommand = false,
): void {
  const latestMessage = latest.find(message.channel_id)
  // The answer of the webhook, which names the member, may arrive before the event.
  if (latestMessage && BigInt(latestMessage.id) >= BigInt(message.id)) return
  latest.set(message.channel_id, {
    id: message.id,
    name: shownName(message),
    member: null,
    contentHash: hashContent(message.content),
    isCommand,
    isFromWebhook: message.webhook_id !== undefined,
  })
}

/** Remembers a message that the bot has sent, also if its event arrived before the answer. */
export function noteSent(
  { latest }: Pick<BotCore, 'latest'>,
  channelId: string,
  message: LatestMessage,
): void {
  const latestMessage = latest.find(channelId)
  if (!latestMessage || BigInt(latestMessage.id) <= BigInt(message.id))
    latest.set(channelId, message)
}

/** Returns the latest message of a channel, unless it is this one, as the proxy engine needs it. */
export async function findPrevious(
  bot: Bot,
  channelId: string,
  messageId?: string,
): Promise<Pick<LatestMessage, 'name' | 'member'> | null> {
  const latest = bot.latest.find(channelId)
  if (!latest || latest.id === messageId) return null
  const { id, name, member, isFromWebhook } = latest
  if (member !== null || !isFromWebhook) return { name, member }
  // The process before this one may have proxied it.
  const record = await findRecord(bot, id, null)
  return { name, member: record?.member?.uuid ?? null }
}
