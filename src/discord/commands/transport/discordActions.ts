import type { APIGuildMember, APIMessage, APIUser } from 'discord-api-types/v10'
import { inviteUrl } from '../../../model/core/discord'
import { downloadFile } from '../../attachments/download'
import type { Bot } from '../../bot/bot'
import {
  findChannelContext,
  memberPermissions,
  ownPermissions,
} from '../../messages/channelContext'
import { sendDirectMessage } from '../../messages/directMessages'
import { MessageFlag } from '../../messages/incomingMessage'
import type { MessageRef, MessageReference } from '../../messages/messageLink'
import { buildReplyEmbed } from '../../messages/replyEmbed'
import { explainIgnored } from '../../operations/explainIgnored'
import {
  deleteProxiedMessage,
  editProxiedMessage,
  findMessage,
  findRecord,
} from '../../operations/proxiedMessage'
import { reproxyMessage, sendAsMember } from '../../operations/sendAsMember'
import { ChannelType } from '../../permissions/channelType'
import { hasPermissions } from '../../permissions/permission'
import { hasCode } from '../../rest/errors'
import { operationTexts } from '../../text/operationTexts'
import { toMessageBody } from '../answer'
import type { DiscordMessage, DiscordSide } from '../discordInterface'
import { toUploads } from './textCommands'

/** State of the connections, for the command that shows it. */
export type ReadStatus = DiscordSide['status']

/** Connects the commands with Discord. */
export function createDiscordSide(bot: Bot, readStatus: ReadStatus): DiscordSide {
  const { rest, identity, guilds, pings } = bot

  const findMember = async (guild_id: string, user_id: string) =>
    nullIfUnknown(
      rest.request<APIGuildMember>('GET', '/guilds/{guild_id}/members/{user_id}', {
        params: { guild_id, user_id },
      }),
    )

  const isThreadMember = async (channel_id: string, user_id: string) => {
    const read = rest.request('GET', '/channels/{channel_id}/thread-members/{user_id}', {
      params: { channel_id, user_id },
    })
    return (await nullIfUnknown(read)) !== null
  }

  return {
    botId: identity.userId,
    inviteUrl: () => inviteUrl(identity.applicationId),
    status: readStatus,
    async findAccount(user_id) {
      const user = await nullIfUnknown(
        rest.request<APIUser>('GET', '/users/{user_id}', { params: { user_id } }),
      )
      if (!user) return null
      const { id, avatar, username, global_name } = user
      const picture = avatar ? `${bot.cdn[0]}/avatars/${id}/${avatar}.png` : null
      return { name: global_name ?? username, avatarUrl: picture }
    },
    async listChannels(guildId, account) {
      const guild = await guilds.findGuild(guildId)
      const member = guild && (await findMember(guildId, account))
      if (!guild) return null
      const channelContexts = await Promise.all(
        guild.listChannels().map(({ id }) => findChannelContext(bot, guildId, id)),
      )
      return channelContexts.flatMap((channelContext) => {
        if (!channelContext) return []
        const { id, name, type, parentId } = channelContext.channel
        // Private threads are left out: Discord would have to be asked about each of them.
        const asker = member ? memberPermissions(channelContext, account, member, false) : 0n
        return [{ id, name, type, parentId, bot: ownPermissions(bot, channelContext), asker }]
      })
    },
    async findPermissions(guildId, channelId, account) {
      const channelContext = await findChannelContext(bot, guildId, channelId)
      const member = channelContext && (await findMember(guildId, account))
      if (!member) return 0n
      const isInThread =
        channelContext.thread?.type !== ChannelType.PrivateThread ||
        (await isThreadMember(channelContext.thread.id, account))
      return memberPermissions(channelContext, account, member, isInThread)
    },
    async findMessage(reference) {
      const ref = await locate(bot, reference)
      const message = ref && (await findMessage(bot, ref.channelId, ref.messageId))
      return message ? toDiscordMessage(ref, message) : null
    },
    async isLatest({ channelId, messageId }, commandId) {
      // The cache may not know the latest messages yet, which are still being handled.
      const later = await rest.request<APIMessage[]>('GET', '/channels/{channel_id}/messages', {
        params: { channel_id: channelId },
        query: { after: messageId, limit: 2 },
      })
      return later.every(({ id }) => id === commandId)
    },
    async editProxied(message, options) {
      const ref = await locate(bot, message)
      return ref ? editProxiedMessage(bot, ref, options) : operationTexts.gone
    },
    async deleteProxied(reference) {
      const ref = await locate(bot, reference)
      return ref ? deleteProxiedMessage(bot, ref) : operationTexts.gone
    },
    async reproxy(message, member, commandId) {
      const ref = await locate(bot, message)
      const record = ref && (await findRecord(bot, ref.messageId, null))
      if (!ref || !record) return operationTexts.notFound
      return reproxyMessage(bot, ref, { commandId, account: record.message.sender, member })
    },
    async say({ interactionId, files, replyTo, permissions, ...request }) {
      const { account, channelId, guildId } = request
      const channelContext = await findChannelContext(bot, guildId, channelId)
      if (!channelContext) return operationTexts.gone
      const target = replyTo === null ? null : await findMessage(bot, channelId, replyTo)
      if (replyTo !== null && !target) return operationTexts.gone
      const reply = { guildId, color: null, cdn: bot.cdn[0] ?? '' }
      return bot.slowMode.run(channelContext, account, permissions, () =>
        sendAsMember(bot, {
          ...request,
          commandId: interactionId,
          files: files.map(({ contentType, ...file }) => ({
            ...file,
            content_type: contentType ?? undefined,
          })),
          embeds: target ? [buildReplyEmbed(target, reply)] : [],
          mayEmbedLinks: hasPermissions(permissions, 'EmbedLinks'),
          flags: 0,
          poll: null,
        }),
      )
    },
    async ping(message, sender, pinger) {
      const ref = await locate(bot, message)
      return ref ? pings.ping(ref, sender, pinger) : operationTexts.gone
    },
    async explain(reference, account) {
      const ref = await locate(bot, reference)
      return ref && explainIgnored(bot, ref, account)
    },
    cdn: bot.cdn,
    downloadPicture: bot.pictures.load,
    inBackground(name, work) {
      const isStopped = () => bot.stopSignal.isStopped || !bot.maySend()
      bot.background.run(name, () => work(isStopped))
    },
    sendDirect: (account, answer) =>
      sendDirectMessage(bot, account, toMessageBody(answer), toUploads(answer.files)),
    async *download({ url }, maxBytes) {
      const { downloadMs: timeoutMs } = bot.timing
      const file = await downloadFile(url, maxBytes, {
        clock: bot.deps.clock,
        origins: bot.cdn,
        timeoutMs,
      })
      yield* file.stream()
    },
  }
}

/** Completes a reference by the record of the message. Messages outside guilds have none. */
async function locate(bot: Bot, reference: MessageReference): Promise<MessageRef | null> {
  const { guildId, channelId, messageId } = reference
  if (guildId !== null && channelId !== null) return { guildId, channelId, messageId }
  const record = await findRecord(bot, messageId, null)
  const { guild, channel, id } = record?.message ?? {}
  return guild && channel && id ? { guildId: guild, channelId: channel, messageId: id } : null
}

function toDiscordMessage(
  ref: MessageRef,
  { content, attachments, flags, timestamp }: APIMessage,
): DiscordMessage {
  return {
    ...ref,
    content,
    hasFiles: attachments.length > 0,
    isVoice: ((flags ?? 0) & MessageFlag.VoiceMessage) !== 0,
    sentAt: Date.parse(timestamp),
  }
}

/** Unknown member, unknown user. */
const UNKNOWN = [10007, 10013]

async function nullIfUnknown<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (cause) {
    if (hasCode(cause, ...UNKNOWN)) return null
    throw cause
  }
}
