import type { Context } from './context'
import { notPossible } from './controlInvoke'
import { allPermissions, type PermissionName, permissionBits } from './permissions'
import {
  publishChannel,
  publishGuild,
  publishGuildCreate,
  publishGuildDelete,
  publishMember,
  publishRole,
  publishWebhooks,
} from './publish'
import { deleteWebhook, moveWebhook } from './routesOfWebhooks'
import type { Guild, Overwrite, Role, Webhook } from './types'

/** Permissions of the documented invite URL: what a bot gets when a moderator adds it. */
export const invitePermissions: PermissionName[] = [
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'SEND_MESSAGES_IN_THREADS',
  'SEND_VOICE_MESSAGES',
  'SEND_POLLS',
  'MANAGE_MESSAGES',
  'MANAGE_WEBHOOKS',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'ADD_REACTIONS',
  'USE_EXTERNAL_EMOJIS',
]

/** Permissions granted or denied in a channel to a role or a member. */
export interface OverwriteInput {
  roleId?: string
  userId?: string
  allow?: PermissionName[]
  deny?: PermissionName[]
}

/** Changes of guilds, channels and users that people make in Discord's client. */
export const worldActions = {
  createUser(
    { world }: Context,
    input: {
      username: string
      globalName?: string
      avatar?: string
      isBot?: boolean
      isSystem?: boolean
      hasNitro?: boolean
      hasClosedDms?: boolean
    },
  ) {
    return { id: world.createUser(input).id }
  },

  updateUser(
    { world }: Context,
    input: {
      userId: string
      username?: string
      globalName?: string | null
      hasClosedDms?: boolean
    },
  ) {
    const { userId, ...changes } = input
    Object.assign(world.getUser(userId), changes)
  },

  /** Creates a guild with an owner, members, text channels and the bot. */
  createGuild(
    context: Context,
    input: {
      name?: string
      ownerId?: string
      memberIds?: string[]
      channels?: string[]
      /** Names of roles without permissions. */
      roles?: string[]
      premiumTier?: Guild['premiumTier']
      /** Shard that the guild belongs to. */
      shard?: { id: number; count: number }
      /** Permissions of the bot's role; null leaves the bot out. */
      botPermissions?: PermissionName[] | null
    } = {},
  ) {
    const { world, ids } = context
    const ownerId = input.ownerId ?? world.createUser({ username: 'owner' }).id
    const guild = world.createGuild({
      name: input.name ?? 'Guild',
      ownerId,
      premiumTier: input.premiumTier ?? 0,
      ...(input.shard ? { id: ids.nextFor(input.shard.id, input.shard.count) } : {}),
    })
    for (const id of input.memberIds ?? []) world.addMember(guild, id)
    for (const name of input.roles ?? []) newRole(context, guild, { name })
    const names = input.channels ?? ['general']
    const channels = names.map((name) => [
      name,
      world.createChannel({ guildId: guild.id, name }).id,
    ])
    if (input.botPermissions !== null) {
      world.addBot(guild, permissionBits(...(input.botPermissions ?? invitePermissions)))
      publishGuildCreate(context, guild)
    }
    const botRoleId = guild.members.get(context.application.botId)?.roles[0] ?? null
    const byName: Record<string, string> = Object.fromEntries(channels)
    return { id: guild.id, ownerId, channels: byName, channelId: channels[0]?.[1] ?? '', botRoleId }
  },

  updateGuild(
    context: Context,
    input: {
      guildId: string
      name?: string
      ownerId?: string
      premiumTier?: Guild['premiumTier']
      blockedWords?: string[]
    },
  ) {
    const { guildId, ...changes } = input
    const guild = context.world.getGuild(guildId)
    Object.assign(guild, changes)
    publishGuild(context, guild)
  },

  /** Adds the bot to a guild. */
  addBot(context: Context, input: { guildId: string; permissions?: PermissionName[] }) {
    const guild = context.world.getGuild(input.guildId)
    context.world.addBot(guild, permissionBits(...(input.permissions ?? invitePermissions)))
    publishGuildCreate(context, guild)
  },

  removeBot(context: Context, { guildId }: { guildId: string }) {
    const guild = context.world.getGuild(guildId)
    publishGuildDelete(context, guild)
    guild.members.delete(context.application.botId)
  },

  /** Starts or ends an outage of a guild. */
  setGuildAvailable(context: Context, input: { guildId: string; isAvailable: boolean }) {
    const guild = context.world.getGuild(input.guildId)
    guild.isUnavailable = !input.isAvailable
    if (input.isAvailable) publishGuildCreate(context, guild)
    else publishGuildDelete(context, guild)
  },

  addMember(
    context: Context,
    input: { guildId: string; userId: string; nick?: string; roles?: string[] },
  ) {
    const { guildId, userId, ...fields } = input
    context.world.addMember(context.world.getGuild(guildId), userId, fields)
  },

  updateMember(
    context: Context,
    input: {
      guildId: string
      userId: string
      nick?: string | null
      roles?: string[]
      timedOutUntil?: number | null
    },
  ) {
    const { guildId, userId, ...changes } = input
    const guild = context.world.getGuild(guildId)
    const member = context.world.getMember(guild, userId)
    Object.assign(member, changes)
    publishMember(context, guild, member)
  },

  removeMember({ world }: Context, { guildId, userId }: { guildId: string; userId: string }) {
    world.getGuild(guildId).members.delete(userId)
  },

  createRole(
    context: Context,
    input: {
      guildId: string
      name?: string
      permissions?: PermissionName[]
      isMentionable?: boolean
    },
  ) {
    const guild = context.world.getGuild(input.guildId)
    const role = newRole(context, guild, input)
    publishRole(context, 'CREATE', guild, role)
    return { id: role.id }
  },

  /** Changes a role; the role of @everyone has the guild's ID. */
  updateRole(
    context: Context,
    input: {
      guildId: string
      roleId: string
      permissions?: PermissionName[] | 'all'
      isMentionable?: boolean
    },
  ) {
    const guild = context.world.getGuild(input.guildId)
    const role = guild.roles.get(input.roleId)
    if (!role) throw notPossible('there is no such role')
    const { permissions } = input
    if (permissions)
      role.permissions = permissions === 'all' ? allPermissions : permissionBits(...permissions)
    if (input.isMentionable !== undefined) role.mentionable = input.isMentionable
    publishRole(context, 'UPDATE', guild, role)
  },

  deleteRole(context: Context, { guildId, roleId }: { guildId: string; roleId: string }) {
    const guild = context.world.getGuild(guildId)
    const role = guild.roles.get(roleId)
    if (!role) throw notPossible('there is no such role')
    guild.roles.delete(roleId)
    for (const member of guild.members.values())
      member.roles = member.roles.filter((id) => id !== roleId)
    publishRole(context, 'DELETE', guild, role)
  },

  createChannel(
    context: Context,
    input: {
      guildId: string
      name?: string
      type?: number
      parentId?: string
      overwrites?: OverwriteInput[]
      slowmodeSeconds?: number
    },
  ) {
    const channel = context.world.createChannel({
      ...input,
      name: input.name ?? 'channel',
      overwrites: (input.overwrites ?? []).map(toOverwrite),
    })
    publishChannel(context, 'CREATE', channel)
    return { id: channel.id }
  },

  updateChannel(
    context: Context,
    input: {
      channelId: string
      name?: string
      overwrites?: OverwriteInput[]
      slowmodeSeconds?: number
    },
  ) {
    const { channelId, overwrites, ...changes } = input
    const channel = context.world.getChannel(channelId)
    Object.assign(channel, changes, overwrites ? { overwrites: overwrites.map(toOverwrite) } : {})
    publishChannel(context, 'UPDATE', channel)
  },

  deleteChannel(context: Context, { channelId }: { channelId: string }) {
    const channel = context.world.getChannel(channelId)
    context.world.deleteChannel(channel)
    publishChannel(context, 'DELETE', channel)
  },

  createThread(
    context: Context,
    input: {
      parentId: string
      ownerId: string
      name?: string
      type?: 10 | 11 | 12
      messageId?: string
    },
  ) {
    const parent = context.world.getChannel(input.parentId)
    const { name = 'thread', type = 11, ownerId, messageId } = input
    const thread = context.world.createThread(parent, name, ownerId, type, messageId)
    publishChannel(context, 'CREATE', thread, { newly_created: true })
    return { id: thread.id }
  },

  updateThread(
    context: Context,
    input: { threadId: string; isArchived?: boolean; isLocked?: boolean; memberIds?: string[] },
  ) {
    const channel = context.world.getChannel(input.threadId)
    if (!channel.thread) throw notPossible('the channel is not a thread')
    const { isArchived, isLocked, memberIds } = input
    if (isArchived !== undefined) channel.thread.isArchived = isArchived
    if (isLocked !== undefined) channel.thread.isLocked = isLocked
    if (memberIds) channel.thread.members = new Set(memberIds)
    publishChannel(context, 'UPDATE', channel)
  },

  /** Creates a webhook as a user, or as another application. */
  createWebhook(
    context: Context,
    input: { channelId: string; creatorId: string; name?: string; applicationId?: string },
  ) {
    const channel = context.world.getChannel(input.channelId)
    const webhook: Webhook = {
      id: context.ids.next(),
      channelId: channel.id,
      guildId: channel.guildId ?? '',
      name: input.name ?? 'Captain Hook',
      avatar: null,
      token: context.record.issueSecret(),
      applicationId: input.applicationId ?? null,
      creatorId: input.creatorId,
    }
    context.world.webhooks.set(webhook.id, webhook)
    publishWebhooks(context, channel)
    return { id: webhook.id, token: webhook.token }
  },

  moveWebhook(
    context: Context,
    { webhookId, channelId }: { webhookId: string; channelId: string },
  ) {
    moveWebhook(context, getWebhook(context, webhookId), channelId)
  },

  /** Deletes a webhook; `isSilent` withholds WEBHOOKS_UPDATE, as if it had not arrived yet. */
  deleteWebhook(context: Context, input: { webhookId: string; isSilent?: boolean }) {
    const webhook = getWebhook(context, input.webhookId)
    if (input.isSilent) context.world.webhooks.delete(webhook.id)
    else deleteWebhook(context, webhook)
  },
}

function newRole(
  { ids }: Context,
  guild: Guild,
  input: { name?: string; permissions?: PermissionName[]; isMentionable?: boolean },
): Role {
  const role: Role = {
    id: ids.next(),
    name: input.name ?? 'role',
    permissions: permissionBits(...(input.permissions ?? [])),
    mentionable: input.isMentionable ?? false,
    managed: false,
    position: guild.roles.size,
  }
  guild.roles.set(role.id, role)
  return role
}

function getWebhook({ world }: Context, id: string): Webhook {
  const webhook = world.webhooks.get(id)
  if (!webhook) throw notPossible('there is no such webhook')
  return webhook
}

function toOverwrite({ roleId, userId, allow = [], deny = [] }: OverwriteInput): Overwrite {
  const bits = { allow: permissionBits(...allow), deny: permissionBits(...deny) }
  if (userId !== undefined) return { id: userId, type: 1, ...bits }
  if (roleId === undefined) throw notPossible('an overwrite needs roleId or userId')
  return { id: roleId, type: 0, ...bits }
}
