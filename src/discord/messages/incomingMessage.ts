import type { APIMessage, GatewayMessageCreateDispatchData } from 'discord-api-types/v10'
import { ChannelType, isThread } from '../permissions/channelType'

/** A message as MESSAGE_CREATE and MESSAGE_UPDATE contain it. */
export type IncomingMessage = GatewayMessageCreateDispatchData

/** Flags of messages that the bot uses. */
export const MessageFlag = {
  SuppressEmbeds: 1 << 2,
  SuppressNotifications: 1 << 12,
  VoiceMessage: 1 << 13,
} as const

const DEFAULT = 0
const REPLY = 19
const FORWARD = 1

const PROXIED_CHANNELS: readonly number[] = [
  ChannelType.Text,
  ChannelType.Voice,
  ChannelType.Announcement,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.Stage,
]

/** Reasons why Discord or the kind of a message rules out a proxied copy. */
export type SkipReason = 'type' | 'channel_type' | 'forum_post' | 'sticker' | 'forward' | 'activity'

/** Returns whether a person wrote the message: not a bot, a webhook or Discord itself. */
export function isFromPerson({ author, webhook_id }: IncomingMessage): boolean {
  return !author.bot && !author.system && webhook_id === undefined
}

/** Returns why a message of a person cannot be proxied; null if it can. */
export function findSkipReason(message: APIMessage, channelType: number): SkipReason | null {
  const type: number = message.type
  if (type !== DEFAULT && type !== REPLY) return 'type'
  if (!PROXIED_CHANNELS.includes(channelType)) return 'channel_type'
  // The message would have to be replaced by a new post.
  if (isThread(channelType) && message.id === message.channel_id) return 'forum_post'
  if (message.sticker_items && message.sticker_items.length > 0) return 'sticker'
  if (Number(message.message_reference?.type ?? 0) === FORWARD) return 'forward'
  return message.activity ? 'activity' : null
}

/** Name that clients show for the author. */
export function shownName({ author, member, webhook_id }: IncomingMessage): string {
  if (webhook_id !== undefined) return author.username
  return member?.nick || author.global_name || author.username
}
