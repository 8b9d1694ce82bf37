import type { APIPoll } from 'discord-api-types/v10'
import type { Decision } from '../../model/proxy/decide'
import { planUploads, type UploadPlan } from '../attachments/planUploads'
import { allowedMentions } from '../messages/allowedMentions'
import { authorPermissions, type ChannelContext } from '../messages/channelContext'
import { type IncomingMessage, MessageFlag } from '../messages/incomingMessage'
import { buildReplyEmbed, type ReplyEmbed } from '../messages/replyEmbed'
import { suppressLinkPreviews } from '../messages/suppressLinkPreviews'
import { hasPermissions } from '../permissions/permission'
import type { Outgoing } from './outgoing'

export type ProxyDecision = Extract<Decision, { action: 'proxy' }>

export interface BuildParts {
  readonly message: IncomingMessage
  readonly channelContext: ChannelContext
  readonly decision: ProxyDecision
  /** JSON of the member for its owner, which has its colour. */
  readonly memberJson: string | null
  /** True if the guild wants proxied messages without notifications. */
  readonly silent: boolean
  /** Origin of Discord's pictures. */
  readonly cdn: string
}

const MAX_CONTENT = 2000
/** Flags that a copy of a message has too. */
export const KEPT_FLAGS =
  MessageFlag.SuppressEmbeds | MessageFlag.SuppressNotifications | MessageFlag.VoiceMessage

/** Distributes the attachments of a message; `too_large` if Discord would refuse one. */
export function planAttachments(
  { attachments }: IncomingMessage,
  { guild }: ChannelContext,
): UploadPlan<IncomingMessage['attachments'][number]> {
  return planUploads(attachments, guild.boostTier)
}

export function buildOutgoing(
  parts: BuildParts,
  files: Outgoing['parts'],
  onStep?: Outgoing['onStep'],
): Outgoing {
  const { message, channelContext, decision, silent } = parts
  const { name, avatar_url, tts } = decision.message
  const permissions = authorPermissions(channelContext, message)
  const isVoice = ((message.flags ?? 0) & MessageFlag.VoiceMessage) !== 0
  const { content, flags: linkFlags } = isVoice
    ? { content: '', flags: 0 }
    : withoutPreviews(decision.message.content, hasPermissions(permissions, 'EmbedLinks'))
  const embed = isVoice ? null : findReplyEmbed(parts)
  return {
    channelId: channelContext.parent.id,
    threadId: channelContext.thread?.id ?? null,
    after: message.id,
    name,
    avatarUrl: avatar_url,
    content,
    fields: {
      allowed_mentions: allowedMentions(message, content, {
        mayMentionEveryone: hasPermissions(permissions, 'MentionEveryone'),
        isMentionable: (id) => channelContext.guild.findRole(id)?.mentionable ?? false,
      }),
      ...(tts && hasPermissions(permissions, 'SendTtsMessages') && { tts: true }),
      ...(embed && { embeds: [embed] }),
      ...(message.poll && { poll: copyPoll(message.poll, channelContext.at) }),
    },
    flags:
      ((message.flags ?? 0) & KEPT_FLAGS) |
      linkFlags |
      (silent ? MessageFlag.SuppressNotifications : 0),
    parts: files.length === 0 ? [[]] : files,
    ...(onStep && { onStep }),
  }
}

/** Webhooks always show previews of links, so those of authors without Embed Links are marked. */
export function withoutPreviews(
  content: string,
  mayEmbed: boolean,
): { content: string; flags: number } {
  if (mayEmbed) return { content, flags: 0 }
  const marked = suppressLinkPreviews(content)
  if (marked.length <= MAX_CONTENT) return { content: marked, flags: 0 }
  return { content, flags: MessageFlag.SuppressEmbeds }
}

function findReplyEmbed({
  message,
  channelContext,
  memberJson,
  cdn,
}: BuildParts): ReplyEmbed | null {
  const target = message.referenced_message
  if (!target || target.channel_id !== message.channel_id) return null
  // Discord adds the member of an account that the message pings.
  const mentioned = message.mentions.find(({ id }) => id === target.author.id)
  const member = mentioned && 'member' in mentioned ? mentioned.member : null
  return buildReplyEmbed(target, {
    guildId: channelContext.guild.id,
    color: colorOf(memberJson),
    cdn,
    member: member ?? null,
  })
}

export function colorOf(memberJson: string | null): number | null {
  const { color }: { color?: string | null } = memberJson === null ? {} : JSON.parse(memberJson)
  return color ? Number.parseInt(color, 16) : null
}

const HOUR_MS = 3_600_000
const MAX_HOURS = 768

/** Copies a poll with the time that is left. */
export function copyPoll(poll: APIPoll, now: number): object {
  const { question, answers, allow_multiselect, expiry, layout_type } = poll
  const hours = Math.round((Date.parse(String(expiry)) - now) / HOUR_MS)
  return {
    question: { text: question.text },
    answers: answers.map(({ poll_media: { text, emoji } }) => ({
      poll_media: { text, ...(emoji && { emoji: emojiOf(emoji) }) },
    })),
    allow_multiselect,
    layout_type,
    duration: Number.isNaN(hours) ? MAX_HOURS : Math.min(MAX_HOURS, Math.max(1, hours)),
  }
}

/** Discord accepts the ID of an own emoji, or the name of a standard one. */
function emojiOf({ id, name }: { id?: string | null; name?: string | null }): object {
  return id ? { id } : { name }
}
