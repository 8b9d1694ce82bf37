import type { Context } from './context'
import { assertEvent } from './schemas'
import {
  serializeChannel,
  serializeEventFields,
  serializeGuild,
  serializeGuildCreate,
  serializeMember,
  serializeMessage,
  serializePartialMember,
  serializeRole,
} from './serialize'
import { Intent } from './sessions'
import type {
  Channel,
  Guild,
  Interaction,
  JsonObject,
  Member,
  Message,
  Reaction,
  Role,
} from './types'

/** Events of "Gateway Events", each sent to the sessions whose intents cover it. */

export function publishMessage(
  context: Context,
  type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
  message: Message,
): void {
  if (message.ephemeralFor !== null) return
  const channel = context.world.getChannel(message.channelId)
  const data = { ...serializeMessage(context, message), ...serializeEventFields(context, message) }
  dispatchIn(context, channel, type, data, 'MESSAGES', { isMessage: true })
}

export function publishDeletion(
  context: Context,
  channel: Channel,
  ids: string[],
  isBulk = false,
): void {
  const common = { channel_id: channel.id, ...guildField(channel) }
  if (isBulk) dispatchIn(context, channel, 'MESSAGE_DELETE_BULK', { ids, ...common }, 'MESSAGES')
  else
    for (const id of ids)
      dispatchIn(context, channel, 'MESSAGE_DELETE', { id, ...common }, 'MESSAGES')
}

export function publishReaction(
  context: Context,
  type: 'MESSAGE_REACTION_ADD' | 'MESSAGE_REACTION_REMOVE',
  message: Message,
  reaction: Reaction,
  userId: string,
): void {
  const channel = context.world.getChannel(message.channelId)
  const member = guildOf(context, channel)?.members.get(userId)
  const isAdded = type === 'MESSAGE_REACTION_ADD'
  dispatchIn(
    context,
    channel,
    type,
    {
      user_id: userId,
      channel_id: channel.id,
      message_id: message.id,
      ...guildField(channel),
      ...(isAdded && member ? { member: serializeMember(context, member) } : {}),
      ...(isAdded && !message.webhookId ? { message_author_id: message.author.id } : {}),
      emoji: { id: reaction.emojiId, name: reaction.name },
      burst: false,
      type: 0,
    },
    'REACTIONS',
  )
}

/** Removal of all reactions of a message, or of one emoji. */
export function publishReactionsCleared(
  context: Context,
  message: Message,
  reaction?: Reaction,
): void {
  const channel = context.world.getChannel(message.channelId)
  dispatchIn(
    context,
    channel,
    reaction ? 'MESSAGE_REACTION_REMOVE_EMOJI' : 'MESSAGE_REACTION_REMOVE_ALL',
    {
      channel_id: channel.id,
      message_id: message.id,
      ...guildField(channel),
      ...(reaction ? { emoji: { id: reaction.emojiId, name: reaction.name } } : {}),
    },
    'REACTIONS',
  )
}

/** A pin sends MESSAGE_UPDATE with an unchanged `edited_timestamp`, and CHANNEL_PINS_UPDATE. */
export function publishPin(context: Context, message: Message): void {
  const channel = context.world.getChannel(message.channelId)
  publishMessage(context, 'MESSAGE_UPDATE', message)
  context.sessions.dispatch({
    type: 'CHANNEL_PINS_UPDATE',
    data: { channel_id: channel.id, ...guildField(channel), last_pin_timestamp: null },
    guildId: channel.guildId,
    intent: channel.guildId ? Intent.GUILDS : Intent.DIRECT_MESSAGES,
    channel,
  })
}

export function publishWebhooks(context: Context, channel: Channel): void {
  context.sessions.dispatch({
    type: 'WEBHOOKS_UPDATE',
    data: { guild_id: channel.guildId, channel_id: channel.id },
    guildId: channel.guildId,
    intent: Intent.GUILD_WEBHOOKS,
    channel,
  })
}

export function publishChannel(
  context: Context,
  change: 'CREATE' | 'UPDATE' | 'DELETE',
  channel: Channel,
  extra: JsonObject = {},
): void {
  // Channels of direct messages have no event for bots ("Gateway, Channel Create").
  if (channel.guildId === null) return
  const type = `${channel.thread ? 'THREAD' : 'CHANNEL'}_${change}`
  const whole = serializeChannel(context, channel)
  const isThreadDeletion = channel.thread && change === 'DELETE'
  const data = isThreadDeletion
    ? { id: whole.id, guild_id: whole.guild_id, parent_id: whole.parent_id, type: whole.type }
    : { ...whole, ...extra }
  assertEvent(context, type, data)
  const visible = channel.thread ? { channel } : {}
  context.sessions.dispatch({
    type,
    data,
    guildId: channel.guildId,
    intent: Intent.GUILDS,
    ...visible,
  })
}

export function publishGuild(context: Context, guild: Guild): void {
  dispatchGuild(context, guild, 'GUILD_UPDATE', serializeGuild(guild))
}

/** The bot joined, or an outage ended. */
export function publishGuildCreate(context: Context, guild: Guild): void {
  dispatchGuild(context, guild, 'GUILD_CREATE', serializeGuildCreate(context, guild))
}

/** The bot was removed, or the guild is unavailable during an outage ("Guild Delete"). */
export function publishGuildDelete(context: Context, guild: Guild): void {
  const outage = guild.isUnavailable ? { unavailable: true } : {}
  dispatchGuild(context, guild, 'GUILD_DELETE', { id: guild.id, ...outage })
}

export function publishRole(
  context: Context,
  change: 'CREATE' | 'UPDATE' | 'DELETE',
  guild: Guild,
  role: Role,
): void {
  const data =
    change === 'DELETE'
      ? { guild_id: guild.id, role_id: role.id }
      : { guild_id: guild.id, role: serializeRole(role) }
  dispatchGuild(context, guild, `GUILD_ROLE_${change}`, data)
}

/** Updates of the bot's own member are sent without the Guild Members intent. */
export function publishMember(context: Context, guild: Guild, member: Member): void {
  const isOwn = member.userId === context.application.botId
  dispatchGuild(
    context,
    guild,
    'GUILD_MEMBER_UPDATE',
    { guild_id: guild.id, ...serializeMember(context, member) },
    isOwn ? null : Intent.GUILD_MEMBERS,
  )
}

export function publishInteraction(context: Context, interaction: Interaction): void {
  const { guildId } = context.world.getChannel(interaction.channelId)
  assertEvent(context, 'INTERACTION_CREATE', interaction.event)
  context.sessions.dispatch({
    type: 'INTERACTION_CREATE',
    data: interaction.event,
    guildId,
    intent: null,
  })
}

export function publishTyping(context: Context, channel: Channel, userId: string): void {
  const member = guildOf(context, channel)?.members.get(userId)
  context.sessions.dispatch({
    type: 'TYPING_START',
    data: {
      channel_id: channel.id,
      user_id: userId,
      timestamp: Math.floor(context.clock.now() / 1000),
      ...guildField(channel),
      ...(member ? { member: serializePartialMember(member) } : {}),
    },
    guildId: channel.guildId,
    intent: channel.guildId ? 1 << 11 : 1 << 14,
    channel,
  })
}

function dispatchGuild(
  context: Context,
  guild: Guild,
  type: string,
  data: JsonObject,
  intent: number | null = Intent.GUILDS,
): void {
  assertEvent(context, type, data)
  context.sessions.dispatch({ type, data, guildId: guild.id, intent })
}

function dispatchIn(
  context: Context,
  channel: Channel,
  type: string,
  data: JsonObject,
  kind: 'MESSAGES' | 'REACTIONS',
  flags: { isMessage?: boolean } = {},
): void {
  assertEvent(context, type, data)
  const isDm = channel.guildId === null
  const intents = {
    MESSAGES: isDm ? Intent.DIRECT_MESSAGES : Intent.GUILD_MESSAGES,
    REACTIONS: isDm ? Intent.DIRECT_MESSAGE_REACTIONS : Intent.GUILD_MESSAGE_REACTIONS,
  }
  context.sessions.dispatch({
    type,
    data,
    guildId: channel.guildId,
    intent: intents[kind],
    channel,
    ...flags,
  })
}

function guildField(channel: Channel): JsonObject {
  return channel.guildId === null ? {} : { guild_id: channel.guildId }
}

function guildOf(context: Context, channel: Channel): Guild | undefined {
  return channel.guildId === null ? undefined : context.world.guilds.get(channel.guildId)
}
