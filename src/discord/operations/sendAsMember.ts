import type { APIMessage, APIPoll } from 'discord-api-types/v10'
import { DISCORD } from '../../model/core/platform'
import { discordBot } from '../../model/core/privacy'
import { defaultProxyLimits } from '../../model/proxy/decide'
import { describeClaim, settleClaim } from '../../service/discord/claims'
import { decideMessage } from '../../service/proxy/decideMessage'
import type { SourceAttachment } from '../attachments/attachmentLoader'
import { planUploads, uploadLimits } from '../attachments/planUploads'
import type { Bot } from '../bot/bot'
import { hashContent } from '../cache/latestMessages'
import { NO_MENTIONS } from '../messages/allowedMentions'
import { findChannelContext, ownPermissions } from '../messages/channelContext'
import { MessageFlag } from '../messages/incomingMessage'
import type { MessageRef } from '../messages/messageLink'
import { REPLY_MARK } from '../messages/replyEmbed'
import { missingPermissions, type PermissionName } from '../permissions/permission'
import { colorOf, copyPoll, KEPT_FLAGS, withoutPreviews } from '../proxying/buildOutgoing'
import { describeFailure } from '../proxying/failure'
import { digestOf } from '../proxying/findSent'
import { recordSent } from '../proxying/finishProxied'
import { findPrevious, noteSent } from '../proxying/latest'
import { sendOutgoing } from '../proxying/outgoing'
import { operationTexts } from '../text/operationTexts'
import { describeRefusal, ignoreTexts, proxyTexts } from '../text/proxyTexts'
import type { Failure } from './explainError'
import { deleteProxiedMessage, findMessage } from './proxiedMessage'

/** A text that is sent as a member, without a message of the account. */
export interface SayRequest {
  /** ID of the command or interaction, which the bot has claimed. It becomes the original's ID. */
  readonly commandId: string
  readonly account: string
  readonly guildId: string
  readonly channelId: string
  /** Short ID or UUID of the member. */
  readonly member: string
  readonly text: string
  readonly files: readonly SourceAttachment[]
  /** Embed of a reply, which gets the colour of the member. */
  readonly embeds: readonly object[]
  /** Without it, links get no preview, as in messages of the account. */
  readonly mayEmbedLinks: boolean
  readonly flags: number
  readonly poll: APIPoll | null
}

/** Permissions of the bot that sending needs. */
const NEEDED: readonly PermissionName[] = ['ViewChannel', 'SendMessages', 'ManageWebhooks']

/** Sends a text as a member. Pings no account. The caller has checked what the account may do there. */
export async function sendAsMember(bot: Bot, request: SayRequest): Promise<Failure> {
  const { commandId, account, guildId, channelId, member, text, files } = request
  const channelContext = await findChannelContext(bot, guildId, channelId)
  if (!channelContext) return operationTexts.gone
  const missing = missingPermissions(ownPermissions(bot, channelContext), NEEDED)
  if (missing.length > 0) return proxyTexts.missingPermissions(missing)
  const decided = await decideMessage(bot.deps, discordBot, {
    platform: DISCORD,
    account_id: account,
    guild_id: guildId,
    channel_id: channelContext.parent.id,
    thread_id: channelContext.thread?.id ?? null,
    content: text,
    has_attachments: files.length > 0,
    has_poll: request.poll !== null,
    is_edit: false,
    previous: await findPrevious(bot, channelId),
    limits: defaultProxyLimits,
    at: bot.deps.now(),
    as: member,
    dry_run: true,
  })
  const { decision, system, silent } = decided
  if (decision.action === 'refuse') return describeRefusal(bot, decision)
  if (decision.action === 'ignore') return ignoreTexts[decision.reason] ?? decision.reason
  if (decision.action !== 'proxy') return operationTexts.notAllowed
  const plan = planUploads(files, channelContext.guild.boostTier)
  if (plan.kind === 'too_large')
    return proxyTexts.fileTooLarge(uploadLimits(channelContext.guild.boostTier).file / 1024 / 1024)
  const { name, avatar_url: avatarUrl } = decision.message
  const { content, flags } = withoutPreviews(decision.message.content, request.mayEmbedLinks)
  const target = {
    channelId: channelContext.parent.id,
    threadId: channelContext.thread?.id ?? null,
  }
  const color = colorOf(decided.member)
  const embeds = request.embeds.map((embed) => ({ ...embed, color }))
  const { uuid } = decision.member
  const parts = plan.messages.length === 0 ? [[]] : plan.messages
  await describeClaim(bot.deps, discordBot, commandId, {
    channel: target.channelId,
    thread: target.threadId,
    member: uuid,
    digest: digestOf(name, content, parts.length),
  })
  let messages: APIMessage[]
  try {
    messages = await sendOutgoing(bot, {
      ...target,
      after: commandId,
      name,
      avatarUrl,
      content,
      fields: {
        allowed_mentions: NO_MENTIONS,
        ...(embeds.length > 0 && { embeds }),
        ...(request.poll && { poll: copyPoll(request.poll, bot.deps.clock.now()) }),
      },
      flags: request.flags | flags | (silent ? MessageFlag.SuppressNotifications : 0),
      parts,
    })
  } catch (cause) {
    const failure = describeFailure(cause, false)
    if (!failure) throw cause
    await settleClaim(bot.deps, discordBot, commandId, 'dropped')
    return failure.text
  }
  const ids = messages.map(({ id }) => id)
  const [id = ''] = ids
  const where = { original: commandId, sender: account, channel: channelId, guild: guildId }
  const draft = { id, ...where, member: uuid, timestamp: null }
  if (!(await recordSent(bot, { ...target, ids, draft }))) return operationTexts.notAllowed
  noteSent(bot, channelId, { id, name, member: uuid, contentHash: hashContent(content) })
  bot.logChannel.add({
    guildId,
    channelId,
    messageId: id,
    original: commandId,
    name: decision.message.plain_name,
    avatarUrl,
    content,
    sender: account,
    member: decision.member.hid,
    system,
  })
  return null
}

/** Sends a proxied message again as another member, and deletes the old one. */
export async function reproxyMessage(
  bot: Bot,
  message: MessageRef,
  { commandId, account, member }: Pick<SayRequest, 'commandId' | 'account' | 'member'>,
): Promise<Failure> {
  const before = await findMessage(bot, message.channelId, message.messageId)
  if (!before) return operationTexts.gone
  // Webhooks cannot send a voice message again, because its recording would need a new upload.
  if (((before.flags ?? 0) & MessageFlag.VoiceMessage) !== 0) return proxyTexts.voiceRefused
  const failure = await sendAsMember(bot, {
    commandId,
    account,
    guildId: message.guildId,
    channelId: message.channelId,
    member,
    text: before.content,
    files: before.attachments,
    // Previews of links are added by Discord; only the embed of a reply was sent.
    embeds: before.embeds.filter(({ author }) => author?.name.endsWith(REPLY_MARK) ?? false),
    // Links without a preview are marked in the text already.
    mayEmbedLinks: true,
    flags: (before.flags ?? 0) & KEPT_FLAGS,
    poll: before.poll ?? null,
  })
  return failure ?? deleteProxiedMessage(bot, message)
}
