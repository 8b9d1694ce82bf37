import { isThread } from '../permissions/channelType'
import type { Overwrite, PermissionGuild } from '../permissions/computePermissions'

export interface CachedChannel {
  readonly id: string
  readonly type: number
  /** Category of a channel; channel of a thread. */
  readonly parentId: string | null
  readonly name: string
  readonly overwrites: readonly Overwrite[]
  readonly slowmodeSeconds: number
}

/** Everything that the bot keeps about a guild. */
export interface CachedGuild extends PermissionGuild {
  readonly boostTier: number
  /** Roles of the bot's own member. */
  readonly ownRoleIds: readonly string[]
  findRole(id: string): { readonly permissions: bigint; readonly mentionable: boolean } | undefined
  /** Finds a channel or an active thread. */
  findChannel(id: string): CachedChannel | undefined
  listChannels(): CachedChannel[]
}

/** Fields that the cache reads from Discord's objects. */
export interface GuildFields {
  readonly owner_id: string
  readonly premium_tier: number
}

export interface RoleFields {
  readonly id: string
  readonly permissions: string
  readonly mentionable: boolean
}

export interface ChannelFields {
  readonly id: string
  readonly type: number
  readonly name?: string | null | undefined
  readonly parent_id?: string | null | undefined
  readonly rate_limit_per_user?: number | null | undefined
  readonly permission_overwrites?: readonly OverwriteFields[] | undefined
}

interface OverwriteFields {
  readonly id: string
  readonly type: number
  readonly allow: string
  readonly deny: string
}

export interface EditableGuild extends CachedGuild {
  update(guild: GuildFields): void
  setRole(role: RoleFields): void
  deleteRole(id: string): void
  setChannel(channel: ChannelFields): void
  deleteChannel(id: string): void
  /** Removes the threads of these channels, or all. */
  deleteThreads(parentIds: readonly string[] | null): void
  setOwnRoles(ids: readonly string[]): void
}

/** Overwrites are kept as one text: 1,000 guilds then take 9 MB less than with an object for each. */
interface StoredChannel {
  readonly type: number
  readonly parentId: string | null
  readonly name: string
  readonly overwrites: string
  readonly slowmodeSeconds: number
}

const MEMBER_OVERWRITE = 1

export function createCachedGuild(id: string, fields: GuildFields): EditableGuild {
  const roles = new Map<string, bigint>()
  const mentionableRoles = new Set<string>()
  const channels = new Map<string, StoredChannel>()
  let { owner_id: ownerId, premium_tier: boostTier } = fields
  let ownRoleIds: readonly string[] = []

  return {
    id,
    get ownerId() {
      return ownerId
    },
    get boostTier() {
      return boostTier
    },
    get ownRoleIds() {
      return ownRoleIds
    },
    findRole(roleId) {
      const permissions = roles.get(roleId)
      if (permissions === undefined) return undefined
      return { permissions, mentionable: mentionableRoles.has(roleId) }
    },
    findChannel(channelId) {
      const stored = channels.get(channelId)
      return stored && restore(channelId, stored)
    },
    listChannels: () => [...channels].map(([channelId, stored]) => restore(channelId, stored)),
    update(guild) {
      ownerId = guild.owner_id
      boostTier = guild.premium_tier
    },
    setRole(role) {
      roles.set(role.id, BigInt(role.permissions))
      if (role.mentionable) mentionableRoles.add(role.id)
      else mentionableRoles.delete(role.id)
    },
    deleteRole(roleId) {
      roles.delete(roleId)
      mentionableRoles.delete(roleId)
    },
    setChannel(channel) {
      channels.set(channel.id, {
        type: channel.type,
        parentId: channel.parent_id ?? null,
        name: channel.name ?? '',
        overwrites: (channel.permission_overwrites ?? []).map(packOverwrite).join(),
        slowmodeSeconds: channel.rate_limit_per_user ?? 0,
      })
    },
    deleteChannel(channelId) {
      channels.delete(channelId)
      for (const [other, { parentId, type }] of channels)
        if (parentId === channelId && isThread(type)) channels.delete(other)
    },
    deleteThreads(parentIds) {
      for (const [channelId, { type, parentId }] of channels) {
        const isMeant = parentIds === null || (parentId !== null && parentIds.includes(parentId))
        if (isThread(type) && isMeant) channels.delete(channelId)
      }
    },
    setOwnRoles(ids) {
      ownRoleIds = [...ids]
    },
  }
}

function restore(id: string, { overwrites, ...rest }: StoredChannel): CachedChannel {
  return { id, ...rest, overwrites: overwrites === '' ? [] : overwrites.split(',').map(unpack) }
}

function packOverwrite({ id, type, allow, deny }: OverwriteFields): string {
  return `${id}:${type}:${allow}:${deny}`
}

function unpack(text: string): Overwrite {
  const [id = '', type, allow = '0', deny = '0'] = text.split(':')
  return {
    id,
    isMember: Number(type) === MEMBER_OVERWRITE,
    allow: BigInt(allow),
    deny: BigInt(deny),
  }
}
