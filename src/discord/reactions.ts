import type { APIMessage, GatewayMessageReactionAddDispatchData } from 'discord-api-types/v10'
import type { MessageForAccount } from '../service/messages'
import type { Bot } from './bot'
import { sendDirectMessage } from './directMessages'
import { NO_MENTIONS } from './messages/allowedMentions'
import { escapeMarkdown } from './messages/escape'
import { formatMessageLink } from './messages/messageLink'
import { createPings } from './operations/ping'
import {
  deleteProxiedMessage,
  findMessage,
  findRecord,
  type MessageRef,
} from './operations/proxiedMessage'
import { hasPermissions } from './permissions/permission'
import { findPlace, memberPermissions, ownPermissions } from './place'
import { hasCode } from './rest/errors'
import { operationTexts } from './text/operationTexts'

type Reaction = GatewayMessageReactionAddDispatchData

/** Acts on reactions to proxied messages and to answers of the bot. */
export interface Reactions {
  handle(reaction: Reaction): Promise<void>
}

const DELETE = ['❌', '✖', '✖️']
const LOOK_UP = ['❓', '❔', '❔️', '❓️']
const PING = ['🔔', '🛎️', '🛎', '🏓', '🫑', '⏰', '❗']

const LOOK_UPS_PER_MINUTE = 10
const MINUTE_MS = 60_000

export function createReactions(bot: Bot): Reactions {
  const { rest, identity } = bot
  const pings = createPings(bot)
  const mayLookUp = createMinuteLimit(LOOK_UPS_PER_MINUTE)

  const removeReaction = async ({ channel_id, message_id, user_id, emoji }: Reaction) => {
    await rest
      .request(
        'DELETE',
        '/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/{user_id}',
        { params: { channel_id, message_id, user_id, emoji: emoji.name ?? '' } },
      )
      .catch((cause) => {
        if (!hasCode(cause, 10003, 10008, 10014, 50001, 50013)) throw cause
      })
  }

  /** Sends a direct message. Does nothing if the account accepts none. */
  const sendDirect = async (account: string, body: object) => {
    await sendDirectMessage(bot, account, { ...body, allowed_mentions: NO_MENTIONS })
  }

  /** Deletes an own proxied message, or an answer of the bot to this account. */
  const deleteByReaction = async (reaction: Reaction) => {
    const { channel_id, message_id, user_id, guild_id } = reaction
    if (guild_id !== undefined) {
      const record = await findRecord(bot, message_id, user_id)
      const isSame = record?.message.id === message_id
      if (record && isSame) {
        const ref = { guildId: guild_id, channelId: channel_id, messageId: message_id }
        if (record.own) await deleteProxiedMessage(bot, ref)
        else await removeReaction(reaction)
        return
      }
    }
    if (reaction.message_author_id !== undefined && reaction.message_author_id !== identity.userId)
      return
    const message = await findMessage(bot, channel_id, message_id)
    const isOwnAnswer =
      message?.author.id === identity.userId &&
      (guild_id === undefined || askerOf(message) === user_id)
    if (!isOwnAnswer) return
    await rest
      .request('DELETE', '/channels/{channel_id}/messages/{message_id}', {
        params: { channel_id, message_id },
      })
      .catch((cause) => {
        if (!hasCode(cause, 10003, 10008)) throw cause
      })
  }

  /** Sends the record of a message to the account that asks, as that account may see it. */
  const lookUp = async (reaction: Reaction & { guild_id: string }, record: MessageForAccount) => {
    if (!mayLookUp(reaction.user_id)) return
    const { channel_id, message_id, guild_id } = reaction
    const message = await findMessage(bot, channel_id, message_id)
    const link = formatMessageLink(guild_id, channel_id, message_id)
    await sendDirect(reaction.user_id, { embeds: [buildCard(record, link, message)] })
    await removeReaction(reaction)
  }

  const ping = async (reaction: Reaction & { guild_id: string }, record: MessageForAccount) => {
    const { channel_id, message_id, guild_id, user_id, member } = reaction
    const place = await findPlace(bot, guild_id, channel_id)
    if (!place || !member) return
    const permissions = memberPermissions(place, user_id, member)
    if (!hasPermissions(permissions, 'ViewChannel', 'SendMessages')) return
    await removeReaction(reaction)
    if (!record.pings_enabled) return sendDirect(user_id, { content: operationTexts.pingsDisabled })
    if (!hasPermissions(ownPermissions(bot, place), 'ViewChannel', 'SendMessages')) return
    const ref: MessageRef = { guildId: guild_id, channelId: channel_id, messageId: message_id }
    await pings.ping(ref, record.message.sender, user_id)
  }

  return {
    async handle(reaction) {
      const { user_id, message_id, guild_id } = reaction
      const emoji = reaction.emoji.id ? '' : (reaction.emoji.name ?? '')
      if (user_id === identity.userId || reaction.member?.user?.bot) return
      if (DELETE.includes(emoji)) return deleteByReaction(reaction)
      const isLookUp = LOOK_UP.includes(emoji)
      if (guild_id === undefined || (!isLookUp && !PING.includes(emoji))) return
      const record = await findRecord(bot, message_id, user_id)
      // Originals can be looked up too, but reactions to them are not meant for the bot.
      if (record?.message.id !== message_id) return
      const inGuild = { ...reaction, guild_id }
      await (isLookUp ? lookUp(inGuild, record) : ping(inGuild, record))
    },
  }
}

/** Account that an answer of the bot is for: the author of the command or the user of the interaction. */
function askerOf({ referenced_message, interaction_metadata }: APIMessage): string | undefined {
  return interaction_metadata?.user.id ?? referenced_message?.author.id
}

function buildCard(
  { message, member, system }: MessageForAccount,
  link: string,
  shown: APIMessage | null,
) {
  const { sender, timestamp, id } = message
  const name = member?.display_name ?? member?.name ?? operationTexts.deletedMember
  const { avatar_url } = member ?? {}
  const field = (label: string, value: string) => ({ name: label, value, inline: true })
  return {
    author: { name: name.slice(0, 256) },
    description: `${shown?.content ?? ''}\n\n${link}`.trim().slice(0, 4096),
    ...(avatar_url && { thumbnail: { url: avatar_url } }),
    fields: [
      field(operationTexts.sentBy, `<@${sender}>`),
      ...(member
        ? [field(operationTexts.member, escapeMarkdown(`${member.name} (${member.hid})`))]
        : []),
      ...(system
        ? [
            field(
              operationTexts.system,
              escapeMarkdown(`${system.name ?? ''} (${system.hid})`.trim()),
            ),
          ]
        : []),
      field(operationTexts.sentAt, `<t:${Math.floor(timestamp / 1_000_000)}:f>`),
    ],
    footer: { text: id },
  }
}

/** Limit on the actions of an account in a minute. */
function createMinuteLimit(max: number): (account: string) => boolean {
  const windows = new Map<string, { startedAt: number; count: number }>()
  return (account) => {
    const now = performance.now()
    for (const [other, { startedAt }] of windows)
      if (now >= startedAt + MINUTE_MS) windows.delete(other)
    const window = windows.get(account) ?? { startedAt: now, count: 0 }
    windows.set(account, window)
    return ++window.count <= max
  }
}
