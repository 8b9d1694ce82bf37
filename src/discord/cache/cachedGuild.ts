import { isThread } from '../permissions/channelType'
import type { Overwrite, PermissionGuild } from '../permissions/computePermissions'
import { createPackedRecords } from './packedRecords'

export interface CachedChannel {
  readonly id: string
  readonly type: number
  /** Category of a channel; channel of a thread. */
  readonly parentId: string | null
  readonly name: string
  readonly overwrites: readonly Overwrite[]
  readonly slowmodeSeconds: number
}

export interface CachedGuild extends PermissionGuild {
  readonly boostTier: number
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

export interface LoadedGuild {
  readonly guild: GuildFields & { readonly roles: readonly RoleFields[] }
  readonly channels: readonly ChannelFields[]
  readonly threads: readonly ChannelFields[]
  readonly ownRoleIds: readonly string[]
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

const MEMBER_OVERWRITE = 1

export function createCachedGuild(
  id: string,
  { guild, channels, threads, ownRoleIds }: LoadedGuild,
): EditableGuild {
  const roles = createPackedRecords(guild.roles.map((role) => [role.id, packRole(role)]))
  const packed = createPackedRecords(
    [...channels, ...threads].map((channel) => [channel.id, packChannel(channel)]),
  )
  let { owner_id: ownerId, premium_tier: boostTier } = guild
  let ownRoles = [...ownRoleIds]

  const listChannels = () =>
    packed.list().map(([channelId, text]) => unpackChannel(channelId, text))
  const deleteThreads = (parentIds: readonly string[] | null) => {
    for (const { id: threadId, type, parentId } of listChannels()) {
      const isMeant = parentIds === null || (parentId !== null && parentIds.includes(parentId))
      if (isThread(type) && isMeant) packed.delete(threadId)
    }
  }

  return {
    id,
    get ownerId() {
      return ownerId
    },
    get boostTier() {
      return boostTier
    },
    get ownRoleIds() {
      return ownRoles
    },
    findRole(roleId) {
      const text = roles.find(roleId)
      return text === undefined ? undefined : unpackRole(text)
    },
    findChannel(channelId) {
      const text = packed.find(channelId)
      return text === undefined ? undefined : unpackChannel(channelId, text)
    },
    listChannels,
    update(fields) {
      ownerId = fields.owner_id
      boostTier = fields.premium_tier
    },
    setRole: (role) => roles.set(role.id, packRole(role)),
    deleteRole: roles.delete,
    setChannel: (channel) => packed.set(channel.id, packChannel(channel)),
    deleteChannel(channelId) {
      packed.delete(channelId)
      deleteThreads([channelId])
    },
    deleteThreads,
    setOwnRoles(ids) {
      ownRoles = [...ids]
    },
  }
}

function packRole({ permissions, mentionable }: RoleFields): string {
  return `${permissions} ${mentionable ? 1 : 0}`
}

function unpackRole(text: string): { permissions: bigint; mentionable: boolean } {
  const [permissions = '0', mentionable] = text.split(' ')
  return { permissions: BigInt(permissions), mentionable: mentionable === '1' }
}

function packChannel(channel: ChannelFields): string {
  const { type, parent_id: parentId, rate_limit_per_user: slowmode, name } = channel
  const overwrites = (channel.permission_overwrites ?? []).flatMap((overwrite) => [
    overwrite.id,
    overwrite.type,
    overwrite.allow,
    overwrite.deny,
  ])
  const fields = [
    type,
    parentId ?? '',
    slowmode ?? 0,
    encodeURIComponent((name ?? '').toWellFormed()),
  ]
  return [...fields, ...overwrites].join(' ')
}

function unpackChannel(id: string, text: string): CachedChannel {
  const [type, parentId, slowmode, name = '', ...overwrites] = text.split(' ')
  return {
    id,
    type: Number(type),
    parentId: parentId || null,
    name: decodeURIComponent(name),
    overwrites: unpackOverwrites(overwrites),
    slowmodeSeconds: Number(slowmode),
  }
}

function unpackOverwrites(values: readonly string[]): Overwrite[] {
  return Array.from({ length: values.length / 4 }, (_, index) => {
    const [id = '', type, allow = '0', deny = '0'] = values.slice(4 * index, 4 * index + 4)
    const isMember = Number(type) === MEMBER_OVERWRITE
    return { id, isMember, allow: BigInt(allow), deny: BigInt(deny) }
  })
}
