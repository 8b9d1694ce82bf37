import type { APIMessage } from 'discord-api-types/v10'
import { DomainError } from '../../model/core/errors'
import { discordBot } from '../../model/core/privacy'
import { getMessageForAccount, type MessageForAccount } from '../../service/proxy/messages'
import { deleteMessages } from '../../service/proxy/recordMessage'
import type { Bot } from '../bot/bot'
import { NO_MENTIONS } from '../messages/allowedMentions'
import { type ChannelContext, findChannelContext, ownPermissions } from '../messages/channelContext'
import type { MessageRef } from '../messages/messageLink'
import { hasPermissions } from '../permissions/permission'
import { deleteProxied as deleteByWebhook } from '../proxying/outgoing'
import { hasCode } from '../rest/errors'
import { operationTexts } from '../text/operationTexts'
import { explain, type Failure, GONE } from './explainError'

/** Returns the record of a message as an account sees it; null if the bot did not proxy it. */
export async function findRecord(
  { deps }: Bot,
  messageId: string,
  account: string | null,
): Promise<MessageForAccount | null> {
  try {
    return await getMessageForAccount(deps, discordBot, messageId, account)
  } catch (cause) {
    if (cause instanceof DomainError && cause.kind === 'messageNotFound') return null
    throw cause
  }
}

/** Reads a message; null if it does not exist or the bot cannot see it. */
export async function findMessage(
  { rest }: Bot,
  channelId: string,
  messageId: string,
): Promise<APIMessage | null> {
  try {
    return await rest.request<APIMessage>('GET', '/channels/{channel_id}/messages/{message_id}', {
      params: { channel_id: channelId, message_id: messageId },
    })
  } catch (cause) {
    if (hasCode(cause, ...GONE, 50001, 50013)) return null
    throw cause
  }
}

/** Deletes a proxied message and its record. The caller has checked whose it is. */
export async function deleteProxiedMessage(bot: Bot, message: MessageRef): Promise<Failure> {
  const channelContext = await findChannelContext(bot, message.guildId, message.channelId)
  if (!channelContext) return operationTexts.gone
  try {
    await deleteAt(bot, channelContext, message)
  } catch (cause) {
    return explain(cause)
  }
  await deleteMessages(bot.deps, discordBot, [message.messageId])
  return null
}

/** The bot's webhook can delete only what it sent itself, not what a webhook before it sent. */
async function deleteAt(
  bot: Bot,
  channelContext: ChannelContext,
  message: MessageRef,
): Promise<void> {
  if (hasPermissions(ownPermissions(bot, channelContext), 'ViewChannel', 'ManageMessages'))
    return deleteMessage(bot, message.channelId, message.messageId)
  const target = {
    channelId: channelContext.parent.id,
    threadId: channelContext.thread?.id ?? null,
  }
  return deleteByWebhook(bot, target, message.messageId)
}

/** Deletes a message with the permissions of the bot. Does nothing if it is gone. */
export async function deleteMessage(
  { rest }: Bot,
  channel_id: string,
  message_id: string,
): Promise<void> {
  await rest
    .request('DELETE', '/channels/{channel_id}/messages/{message_id}', {
      params: { channel_id, message_id },
    })
    .catch((cause) => {
      if (!hasCode(cause, ...GONE)) throw cause
    })
}

export interface Edit {
  readonly content: string
  readonly clearsEmbeds: boolean
  readonly clearsFiles: boolean
}

/** Changes the text of a proxied message. Pings no account. The caller has checked whose it is. */
export async function editProxiedMessage(
  bot: Bot,
  message: MessageRef,
  { content, clearsEmbeds, clearsFiles }: Edit,
): Promise<Failure> {
  const channelContext = await findChannelContext(bot, message.guildId, message.channelId)
  const before = channelContext && (await findMessage(bot, message.channelId, message.messageId))
  if (!before) return operationTexts.gone
  const { parent, thread } = channelContext
  try {
    await bot.webhooks.use(parent.id, ({ id, token }) =>
      bot.rest.request('PATCH', '/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}', {
        params: { webhook_id: id, webhook_token: token, message_id: message.messageId },
        query: thread ? { thread_id: thread.id } : {},
        body: {
          content,
          allowed_mentions: NO_MENTIONS,
          ...(clearsEmbeds && { embeds: [] }),
          ...(clearsFiles && { attachments: [] }),
        },
        auth: false,
      }),
    )
  } catch (cause) {
    return explain(cause)
  }
  await logEdit(bot, message, before, content)
  return null
}

async function logEdit(
  bot: Bot,
  message: MessageRef,
  before: APIMessage,
  content: string,
): Promise<void> {
  const record = await findRecord(bot, message.messageId, null)
  bot.logChannel.add({
    ...message,
    original: record?.message.original ?? null,
    name: before.author.username,
    avatarUrl: before.author.avatar
      ? `${bot.cdn[0]}/avatars/${before.author.id}/${before.author.avatar}.png`
      : null,
    content,
    contentBefore: before.content,
    sender: record?.message.sender ?? '',
    member: record?.member?.hid ?? null,
    system: record?.system?.hid ?? null,
  })
}
