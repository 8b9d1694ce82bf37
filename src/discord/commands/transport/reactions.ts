import type { APIMessage, GatewayMessageReactionAddDispatchData } from 'discord-api-types/v10'
import type { MessageForAccount } from '../../../service/proxy/messages'
import type { Bot } from '../../bot/bot'
import {
  findChannelContext,
  memberPermissions,
  ownPermissions,
} from '../../messages/channelContext'
import { sendDirectMessage } from '../../messages/directMessages'
import type { MessageRef } from '../../messages/messageLink'
import {
  deleteMessage,
  deleteProxiedMessage,
  findMessage,
  findRecord,
} from '../../operations/proxiedMessage'
import { hasPermissions } from '../../permissions/permission'
import { hasCode } from '../../rest/errors'
import { operationTexts } from '../../text/operationTexts'
import { type Answer, toMessageBody } from '../answer'

export type Reaction = GatewayMessageReactionAddDispatchData

/** Acts on reactions to proxied messages and to answers of the bot. */
export interface Reactions {
  /** `once` runs an action that must not be repeated, unless this event was handled before. */
  handle(reaction: Reaction, once: (action: () => Promise<void>) => Promise<void>): Promise<void>
}

/** Returns the card of a proxied message as an account sees it. */
export type LookUp = (account: string, message: MessageRef) => Promise<Answer>

const DELETE = ['❌', '✖', '✖️']
const LOOK_UP = ['❓', '❔', '❔️', '❓️']
const PING = ['🔔', '🛎️', '🛎', '🏓', '🫑', '⏰', '❗']

export function createReactions(bot: Bot, lookUpMessage: LookUp): Reactions {
  const { rest, identity, pings } = bot

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
  const sendDirect = async (account: string, answer: Answer) => {
    await sendDirectMessage(bot, account, toMessageBody(answer))
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
    await deleteMessage(bot, channel_id, message_id)
  }

  /** Sends the record of a message to the account that asks, as that account may see it. */
  const lookUp = async (reaction: Reaction, ref: MessageRef) => {
    await sendDirect(reaction.user_id, await lookUpMessage(reaction.user_id, ref))
    await removeReaction(reaction)
  }

  const ping = async (reaction: Reaction, ref: MessageRef, record: MessageForAccount) => {
    const { user_id, member } = reaction
    const channelContext = await findChannelContext(bot, ref.guildId, ref.channelId)
    if (!channelContext || !member) return
    const permissions = memberPermissions(channelContext, user_id, member)
    if (!hasPermissions(permissions, 'ViewChannel', 'SendMessages')) return
    await removeReaction(reaction)
    const { sender } = record.message
    if (!record.pings_enabled)
      return sendDirect(user_id, { content: operationTexts.pingsDisabled(sender) })
    if (!hasPermissions(ownPermissions(bot, channelContext), 'ViewChannel', 'SendMessages')) return
    await pings.ping(ref, sender, user_id)
  }

  return {
    async handle(reaction, once) {
      const { user_id, message_id, guild_id } = reaction
      const emoji = reaction.emoji.id ? '' : (reaction.emoji.name ?? '')
      if (user_id === identity.userId || reaction.member?.user?.bot) return
      if (DELETE.includes(emoji)) return deleteByReaction(reaction)
      const isLookUp = LOOK_UP.includes(emoji)
      if (guild_id === undefined || (!isLookUp && !PING.includes(emoji))) return
      const record = await findRecord(bot, message_id, user_id)
      // Originals can be looked up too, but reactions to them are not meant for the bot.
      if (record?.message.id !== message_id) return
      const ref = { guildId: guild_id, channelId: reaction.channel_id, messageId: message_id }
      await once(() => (isLookUp ? lookUp(reaction, ref) : ping(reaction, ref, record)))
    },
  }
}

/** Account that an answer of the bot is for: the author of the command or the user of the interaction. */
function askerOf({ referenced_message, interaction_metadata }: APIMessage): string | undefined {
  return interaction_metadata?.user.id ?? referenced_message?.author.id
}
