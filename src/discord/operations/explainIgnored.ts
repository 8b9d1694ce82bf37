import type { APIMessage } from 'discord-api-types/v10'
import { DISCORD } from '../../model/platform'
import { discordBot } from '../../model/privacy'
import { defaultProxyLimits } from '../../model/proxy/decide'
import { decideMessage } from '../../service/proxy/decideMessage'
import type { Bot } from '../bot'
import { findCommandText } from '../commands/grammar/prefix'
import { findPlace } from '../place'
import { ignoreTexts } from '../text/proxyTexts'
import { findMessage, type MessageRef } from './proxiedMessage'

/**
 * Returns why a message of this account was not proxied: the remembered reason, or else what would
 * be decided now. Null if there is no such message of the account, or nothing prevents proxying.
 */
export async function explainIgnored(
  bot: Bot,
  ref: MessageRef,
  account: string,
): Promise<string | null> {
  const message = await findMessage(bot, ref.channelId, ref.messageId)
  if (!message || message.author.id !== account) return null
  const reason = bot.ignored.find(ref.messageId) ?? (await decideAgain(bot, ref, message))
  return reason === null ? null : (ignoreTexts[reason] ?? reason)
}

async function decideAgain(
  bot: Bot,
  { guildId, channelId }: MessageRef,
  message: APIMessage,
): Promise<string | null> {
  const { prefixes, identity } = bot
  if (findCommandText(message.content, { prefixes, botId: identity.userId }) !== null)
    return 'command'
  const place = await findPlace(bot, guildId, channelId)
  if (!place) return 'no_permission'
  const { decision } = await decideMessage(bot.deps, discordBot, {
    platform: DISCORD,
    account_id: message.author.id,
    guild_id: guildId,
    channel_id: place.parent.id,
    thread_id: place.thread?.id ?? null,
    content: message.content,
    has_attachments: message.attachments.length > 0,
    has_poll: message.poll !== undefined,
    is_edit: false,
    previous: null,
    limits: defaultProxyLimits,
    at: bot.deps.now(),
    dry_run: true,
  })
  if (decision.action === 'proxy') return null
  return 'reason' in decision ? decision.reason : decision.action
}
