import type { BotCore } from '../bot/core'
import type { CachedChannel, CachedGuild } from '../cache/cachedGuild'
import { isThread } from '../permissions/channelType'
import { computeChannelPermissions } from '../permissions/computePermissions'
import type { IncomingMessage } from './incomingMessage'

/** A channel of a guild. Webhooks and permissions of a thread are those of its parent. */
export interface ChannelContext {
  readonly guild: CachedGuild
  /** Channel or thread of the message. */
  readonly channel: CachedChannel
  /** The channel itself, or the parent of the thread. */
  readonly parent: CachedChannel
  readonly thread: CachedChannel | null
  /** Time of the look-up, which timeouts of accounts are compared with. */
  readonly at: number
}

/** Finds a channel, loading its guild if needed; null if the bot cannot see it. */
export async function findChannelContext(
  { deps, guilds }: Pick<BotCore, 'deps' | 'guilds'>,
  guildId: string,
  channelId: string,
): Promise<ChannelContext | null> {
  const channel = await guilds.findChannel(guildId, channelId)
  const guild = channel && (await guilds.findGuild(guildId))
  if (!channel || !guild) return null
  const at = deps.clock.now()
  if (!isThread(channel.type)) return { guild, channel, parent: channel, thread: null, at }
  const parent = channel.parentId ? await guilds.findChannel(guildId, channel.parentId) : null
  return parent && { guild, channel, parent, thread: channel, at }
}

/** Permissions of the bot. Events of a private thread arrive only if it has access. */
export function ownPermissions(
  { identity }: Pick<BotCore, 'identity'>,
  { guild, parent, thread, at }: ChannelContext,
): bigint {
  const member = { userId: identity.userId, roleIds: guild.ownRoleIds }
  return computeChannelPermissions(guild, parent, member, at, inThread(thread))
}

/** Permissions of an account whose roles are known. By default it is in the thread. */
export function memberPermissions(
  { guild, parent, thread, at }: ChannelContext,
  userId: string,
  member: {
    readonly roles: readonly string[]
    readonly communication_disabled_until?: string | null
  },
  isInThread = true,
): bigint {
  return computeChannelPermissions(
    guild,
    parent,
    { userId, roleIds: member.roles, timedOutUntil: member.communication_disabled_until },
    at,
    inThread(thread, isInThread),
  )
}

/** Permissions of the author of a message, who is in the thread. */
export function authorPermissions(
  channelContext: ChannelContext,
  { author, member }: IncomingMessage,
): bigint {
  return memberPermissions(channelContext, author.id, {
    roles: member?.roles ?? [],
    communication_disabled_until: member?.communication_disabled_until ?? null,
  })
}

function inThread(thread: CachedChannel | null, isMember = true) {
  return thread ? { type: thread.type, isMember } : undefined
}
