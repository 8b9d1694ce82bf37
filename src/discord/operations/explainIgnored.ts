import type { APIMessage } from 'discord-api-types/v10'
import { DISCORD } from '../../model/core/platform'
import { discordBot } from '../../model/core/privacy'
import { defaultProxyLimits } from '../../model/proxy/decide'
import { decideMessage } from '../../service/proxy/decideMessage'
import type { Bot } from '../bot/bot'
import { findCommandText } from '../commands/grammar/prefix'
import { findChannelContext, ownPermissions } from '../messages/channelContext'
import { escapeMarkdown } from '../messages/escape'
import { findSkipReason } from '../messages/incomingMessage'
import type { MessageRef } from '../messages/messageLink'
import { hasPermissions } from '../permissions/permission'
import { operationTexts } from '../text/operationTexts'
import { ignoreTexts } from '../text/proxyTexts'
import { findMessage, findRecord } from './proxiedMessage'

/**
 * Returns why a message of this account was not proxied: the remembered reason, or else what would
 * be decided now. Null if there is no such message of the account.
 */
export async function explainIgnored(
  bot: Bot,
  ref: MessageRef,
  account: string,
): Promise<string | null> {
  const message = await findMessage(bot, ref.channelId, ref.messageId)
  if (!message) return null
  if (message.author.id !== account) {
    const record = await findRecord(bot, ref.messageId, account)
    return record?.own ? operationTexts.proxiedAs(escapeMarkdown(message.author.username)) : null
  }
  const reason = bot.ignored.find(ref.messageId) ?? (await decideAgain(bot, ref, message))
  return ignoreTexts[reason] ?? reason
}

async function decideAgain(
  bot: Bot,
  { guildId, channelId }: MessageRef,
  message: APIMessage,
): Promise<string> {
  const { prefixes, identity } = bot
  if (findCommandText(message.content, { prefixes, botId: identity.userId }) !== null)
    return 'command'
  const channelContext = await findChannelContext(bot, guildId, channelId)
  if (!channelContext) return 'no_permission'
  const skipped = findSkipReason(message, channelContext.channel.type)
  if (skipped) return skipped
  const granted = ownPermissions(bot, channelContext)
  if (!hasPermissions(granted, 'ViewChannel', 'SendMessages')) return 'no_permission'
  if (!hasPermissions(granted, 'ManageWebhooks', 'ManageMessages')) return 'missing_permissions'
  const { decision } = await decideMessage(bot.deps, discordBot, {
    platform: DISCORD,
    account_id: message.author.id,
    guild_id: guildId,
    channel_id: channelContext.parent.id,
    thread_id: channelContext.thread?.id ?? null,
    content: message.content,
    has_attachments: message.attachments.length > 0,
    has_poll: message.poll !== undefined,
    is_edit: false,
    previous: null,
    limits: defaultProxyLimits,
    at: bot.deps.now(),
    dry_run: true,
  })
  if (decision.action === 'proxy') return 'nothing'
  return 'reason' in decision ? decision.reason : decision.action
}
