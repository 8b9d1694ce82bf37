import { escapeMaskedLinks } from './escape'
import { formatMessageLink } from './messageLink'

/** Message that the author replied to, as MESSAGE_CREATE contains it. */
export interface RepliedMessage {
  readonly id: string
  readonly channel_id: string
  readonly content: string
  readonly author: ReplyAuthor
  readonly attachments: readonly unknown[]
  readonly embeds: readonly unknown[]
}

interface ReplyAuthor {
  readonly id: string
  readonly username: string
  readonly global_name?: string | null
  readonly avatar?: string | null
}

export interface ReplyEmbed {
  author: { name: string; icon_url: string }
  description: string
  color?: number
}

/** Webhooks cannot reply, so a proxied reply shows the target as an embed. */
export function buildReplyEmbed(
  target: RepliedMessage,
  options: {
    readonly guildId: string
    readonly color: number | null
    /** Origin of Discord's pictures. */
    readonly cdn: string
    /** Nickname and picture of the target's author in the guild, if known. */
    readonly member?: { readonly nick?: string | null; readonly avatar?: string | null } | null
  },
): ReplyEmbed {
  const { guildId, color, cdn, member } = options
  const { author } = target
  const link = formatMessageLink(guildId, target.channel_id, target.id)
  const quote = quoteContent(target.content)
  const hasMore = target.attachments.length > 0 || target.embeds.length > 0
  const name = member?.nick || author.global_name || author.username
  return {
    author: {
      name: `${name.slice(0, MAX_NAME - REPLY_MARK.length)}${REPLY_MARK}`,
      icon_url: pictureOf(author, { cdn, guildId, guildAvatar: member?.avatar }),
    },
    description:
      quote === ''
        ? `*[(click to see attachment)](${link})*`
        : `**[Reply to:](${link})** ${quote}${hasMore ? ' 📎' : ''}`,
    ...(color !== null && { color }),
  }
}

/** Four-per-em space and a bent arrow. PluralKit's clients recognize replies by it. */
export const REPLY_MARK = '\u2004\u21a9\ufe0f'
const MAX_NAME = 256
const MAX_QUOTE = 100
/** A longer link is replaced; a shorter one is completed. */
const MAX_LINK = 100
const LINK_REPLACEMENT = '*(long link)*'

/** Shortens content to one hundred characters without cutting mentions, emojis, links or spoilers. */
export function quoteContent(content: string): string {
  const text = content
    .trim()
    .replace(/\n\s*\n/g, '\n')
    .replace(/https?:\/\/[^\s<>]+/gi, (link) => (link.length > MAX_LINK ? LINK_REPLACEMENT : link))
  const cut = text.slice(0, endOfQuote(text))
  const hasOpenSpoiler = countSpoilerMarks(cut) % 2 === 1
  const isClosedLater = hasOpenSpoiler && countSpoilerMarks(text) > countSpoilerMarks(cut)
  const rest = cut.length < text.length ? '…' : ''
  return escapeMaskedLinks(`${cut}${rest}${isClosedLater ? '||' : ''}`)
}

/** Position of the cut, moved behind a mention, emoji, time, link or surrogate pair that it would split. */
function endOfQuote(text: string): number {
  if (text.length <= MAX_QUOTE) return text.length
  for (const { 0: token, index } of text.matchAll(
    /<(?:@[!&]?|#|a?:\w+:|t:)-?\d+(?::\w)?>|<?https?:\/\/[^\s<>]+>?|\|\||[\ud800-\udbff][\udc00-\udfff]/gi,
  )) {
    const end = index + token.length
    if (index < MAX_QUOTE && end > MAX_QUOTE) return end
    if (index >= MAX_QUOTE) break
  }
  return MAX_QUOTE
}

function countSpoilerMarks(text: string): number {
  return text.match(/\|\|/g)?.length ?? 0
}

function pictureOf(
  { id, avatar }: ReplyAuthor,
  options: { cdn: string; guildId: string; guildAvatar?: string | null | undefined },
): string {
  const { cdn, guildId, guildAvatar } = options
  if (guildAvatar) return `${cdn}/guilds/${guildId}/users/${id}/avatars/${guildAvatar}.png`
  if (avatar) return `${cdn}/avatars/${id}/${avatar}.png`
  return `${cdn}/embed/avatars/${(BigInt(id) >> 22n) % 6n}.png`
}
