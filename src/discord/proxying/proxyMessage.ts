import type { ClaimDraft } from '../../model/core/discord'
import { DISCORD } from '../../model/core/platform'
import { discordBot } from '../../model/core/privacy'
import { defaultProxyLimits } from '../../model/proxy/decide'
import type { MessageOutcome } from '../../runtime/metrics/discordMetrics'
import { claimEvent, findDroppedClaim, settleClaim } from '../../service/discord/claims'
import { type Decided, decideMessage } from '../../service/proxy/decideMessage'
import { uploadLimits } from '../attachments/planUploads'
import type { Bot } from '../bot/bot'
import { describeError } from '../bot/core'
import { hashContent } from '../cache/latestMessages'
import { type ChannelContext, findChannelContext, ownPermissions } from '../messages/channelContext'
import { findSkipReason, type IncomingMessage, MessageFlag } from '../messages/incomingMessage'
import { addReaction, type Notice } from '../messages/notices'
import { hasPermissions, missingPermissions } from '../permissions/permission'
import { NotSentError } from '../rest/errors'
import { describeRefusal, proxyTexts } from '../text/proxyTexts'
import { buildOutgoing, type ProxyDecision, planAttachments } from './buildOutgoing'
import { describeFailure, isFault } from './failure'
import { digestOf } from './findSent'
import { deleteOriginalLater, recordSent, type Sent } from './finishProxied'
import { findPrevious, noteLatest, noteSent } from './latest'
import { sendOutgoing } from './outgoing'
import { whileDatabaseAway } from './whileDatabaseAway'

export interface Arrival {
  readonly isEdit: boolean
  /** Time of the event by the monotonic clock. */
  readonly at: number
}

/** Decides about a message of a person in a guild, and replaces it by a proxied one. */
export async function proxyMessage(
  bot: Bot,
  message: IncomingMessage & { guild_id: string },
  arrival: Arrival,
): Promise<void> {
  const channelContext = await findChannelContext(bot, message.guild_id, message.channel_id)
  if (!channelContext) return ignore(bot, message, 'no_permission')
  if (!arrival.isEdit) bot.slowMode.note(channelContext, message.author.id)
  const skipped = findSkipReason(message, channelContext.channel.type)
  if (skipped) return ignore(bot, message, skipped)
  const deadline = arrival.at + bot.timing.databaseMs
  const decided = await whileDatabaseAway(bot, deadline, () =>
    decide(bot, message, channelContext, arrival),
  )
  if (!decided) return ignore(bot, message, 'database', 'dropped')
  const { decision, system } = decided
  switch (decision.action) {
    case 'ignore':
      return ignore(bot, message, decision.reason)
    case 'autoproxy_off':
    case 'unlatch':
      ignore(bot, message, decision.action)
      return confirm(bot, message, channelContext)
    case 'refuse':
      ignore(bot, message, decision.reason, 'refused')
      if (decision.notify)
        bot.notices.notify(
          noticeOf(bot, message, channelContext, decision.reason, describeRefusal(bot, decision)),
        )
      return
    case 'proxy':
      return proxy(bot, {
        message,
        channelContext,
        decision,
        system,
        memberJson: decided.member,
        silent: decided.silent,
        deadline,
        arrival,
      })
  }
}

interface Job {
  readonly message: IncomingMessage & { guild_id: string }
  readonly channelContext: ChannelContext
  readonly decision: ProxyDecision
  /** Short ID of the author's system. */
  readonly system: string | null
  readonly memberJson: string | null
  readonly silent: boolean
  /** End of the wait for the database, by the monotonic clock. */
  readonly deadline: number
  readonly arrival: Arrival
}

async function decide(
  bot: Bot,
  message: IncomingMessage & { guild_id: string },
  { parent, thread }: ChannelContext,
  { isEdit }: Arrival,
): Promise<Decided> {
  return decideMessage(bot.deps, discordBot, {
    platform: DISCORD,
    account_id: message.author.id,
    guild_id: message.guild_id,
    channel_id: parent.id,
    thread_id: thread?.id ?? null,
    content: message.content,
    has_attachments: message.attachments.length > 0,
    has_poll: message.poll !== undefined,
    is_edit: isEdit,
    previous: await findPrevious(bot, message.channel_id, message.id),
    limits: defaultProxyLimits,
    at: bot.deps.now(),
    original: message.id,
    dry_run: false,
  })
}

/** Leaves a message alone, and remembers why. */
function ignore(
  bot: Bot,
  message: IncomingMessage,
  reason: string,
  outcome: MessageOutcome = 'ignored',
): void {
  bot.ignored.remember(message.id, reason)
  bot.metrics?.countMessage(outcome, reason)
  noteLatest(bot, message)
}

/** Shows that a backslash command took effect. */
function confirm(bot: Bot, message: IncomingMessage, channelContext: ChannelContext): void {
  bot.background.run('reaction', () =>
    addReaction(bot, placeOf(bot, message, channelContext), '👍'),
  )
}

function placeOf(
  bot: Bot,
  { channel_id, id }: IncomingMessage,
  channelContext: ChannelContext,
): Pick<Notice, 'channelId' | 'messageId' | 'permissions'> {
  return {
    channelId: channel_id,
    messageId: id,
    permissions: ownPermissions(bot, channelContext),
  }
}

function noticeOf(
  bot: Bot,
  message: IncomingMessage,
  channelContext: ChannelContext,
  reason: string,
  text: string,
): Notice {
  return { ...placeOf(bot, message, channelContext), authorId: message.author.id, reason, text }
}

async function proxy(bot: Bot, job: Job): Promise<void> {
  const { message, channelContext, system } = job
  const permissions = ownPermissions(bot, channelContext)
  if (!hasPermissions(permissions, 'ViewChannel', 'SendMessages'))
    return ignore(bot, message, 'no_permission')
  const refuse = (reason: string, text: string) => {
    ignore(bot, message, reason, 'refused')
    bot.notices.notifyIfWanted(system, noticeOf(bot, message, channelContext, reason, text))
  }
  const missing = missingPermissions(permissions, ['ManageWebhooks', 'ManageMessages'])
  if (missing.length > 0)
    return refuse('missing_permissions', proxyTexts.missingPermissions(missing))
  const plan = planAttachments(message, channelContext)
  if (plan.kind === 'too_large') {
    const mebibytes = uploadLimits(channelContext.guild.boostTier).file / 1024 / 1024
    return refuse('too_large', proxyTexts.fileTooLarge(mebibytes))
  }
  await sendClaimed(bot, job, plan.messages, refuse)
}

/** Claims the message, sends and records its copy, and has the original deleted. */
async function sendClaimed(
  bot: Bot,
  job: Job,
  files: Parameters<typeof buildOutgoing>[1],
  refuse: (reason: string, text: string) => void,
): Promise<void> {
  const { message, channelContext, decision, memberJson, silent, deadline, arrival } = job
  const outgoing = buildOutgoing(
    { message, channelContext, decision, memberJson, silent, cdn: bot.cdn[0] ?? '' },
    files,
    (step) => bot.metrics?.observeProxy(step, (bot.deps.clock.monotonic() - arrival.at) / 1000),
  )
  if (!bot.maySend()) return
  const claim = {
    id: message.id,
    kind: 'message' as const,
    node: `${bot.node} ${crypto.randomUUID()}`,
    guild: message.guild_id,
    channel: outgoing.channelId,
    thread: outgoing.threadId,
    sender: message.author.id,
    member: decision.member.uuid,
    digest: digestOf(outgoing.name, outgoing.content, outgoing.parts.length),
  }
  const end = bot.inFlight.begin(message.id)
  try {
    const isClaimed = await whileDatabaseAway(bot, deadline, () =>
      arrival.isEdit ? claimEdited(bot, claim) : claimEvent(bot.deps, discordBot, claim),
    )
    if (isClaimed === null) return ignore(bot, message, 'database', 'dropped')
    if (!isClaimed) return void bot.metrics?.countMessage('duplicate')
    const sent = await send(bot, job, outgoing, refuse)
    if (sent) await finish(bot, job, sent, { content: outgoing.content, node: claim.node })
  } finally {
    end()
  }
}

/** Loads a guild again, after Discord refused what its cached permissions allowed. */
async function reloadGuild({ guilds, log }: Bot, id: string): Promise<void> {
  await guilds
    .reload(id)
    .catch((cause) => log.debug('Discord guild not loaded', { id, error: describeError(cause) }))
}

/**
 * Claims an edited message, also if nothing was sent for it before the edit. A repeated event would
 * send the same text, so it claims nothing. Had Discord delivered the text before the edit after all,
 * the original would not be the latest message any more.
 */
async function claimEdited(bot: Bot, claim: ClaimDraft): Promise<boolean> {
  const dropped = await findDroppedClaim(bot.deps, discordBot, claim.id)
  if (dropped && dropped.digest === claim.digest) return false
  return claimEvent(bot.deps, discordBot, claim, dropped)
}

async function send(
  bot: Bot,
  { message, channelContext, decision, system }: Job,
  outgoing: ReturnType<typeof buildOutgoing>,
  refuse: (reason: string, text: string) => void,
): Promise<Sent | null> {
  try {
    const messages = await sendOutgoing(bot, outgoing)
    const [first] = messages
    if (!first) return null
    return {
      draft: {
        id: first.id,
        original: message.id,
        sender: message.author.id,
        channel: message.channel_id,
        guild: message.guild_id,
        member: decision.member.uuid,
        timestamp: null,
      },
      channelId: outgoing.channelId,
      threadId: outgoing.threadId,
      ids: messages.map(({ id }) => id),
    }
  } catch (cause) {
    // The lease was lost or the bot stops: the next process finds out what was sent.
    if (cause instanceof NotSentError) throw cause
    const isVoice = ((message.flags ?? 0) & MessageFlag.VoiceMessage) !== 0
    const failure = describeFailure(cause, isVoice)
    bot.log.info('Discord message not proxied', {
      message: message.id,
      guild: message.guild_id,
      error: describeError(cause),
    })
    if (failure?.isPermission) await reloadGuild(bot, message.guild_id)
    if (failure) refuse(failure.reason, failure.text)
    else ignore(bot, message, isFault(cause) ? 'discord_fault' : 'failed', 'failed')
    if (isFault(cause)) bot.notices.markIfWanted(system, placeOf(bot, message, channelContext))
    await settleClaim(bot.deps, discordBot, message.id, 'dropped')
    return null
  }
}

interface Finished {
  readonly content: string
  /** Attempt that claimed the message. */
  readonly node: string
}

async function finish(bot: Bot, job: Job, sent: Sent, { content, node }: Finished): Promise<void> {
  const { message, channelContext, decision, system } = job
  const recorded = await recordSent(bot, sent)
  if (!recorded) return ignore(bot, message, 'failed', 'failed')
  bot.metrics?.countMessage('proxied')
  const { name, avatar_url: avatarUrl } = decision.message
  noteSent(bot, message.channel_id, {
    id: sent.ids.at(-1) ?? sent.draft.id,
    name,
    member: decision.member.uuid,
    contentHash: hashContent(content),
  })
  bot.logChannel.add({
    guildId: message.guild_id,
    channelId: message.channel_id,
    messageId: sent.draft.id,
    original: message.id,
    name: decision.message.plain_name,
    avatarUrl,
    content,
    sender: message.author.id,
    member: decision.member.hid,
    system,
  })
  deleteOriginalLater(bot, sent, {
    node,
    async onRefused() {
      await reloadGuild(bot, message.guild_id)
      const { deletionRefused } = proxyTexts
      const notice = noticeOf(bot, message, channelContext, 'deletion_refused', deletionRefused)
      bot.notices.notifyIfWanted(system, notice)
    },
  })
}
