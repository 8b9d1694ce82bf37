import { isThread } from '../permissions/channelType'
import { computeChannelPermissions, type PermissionMember } from '../permissions/computePermissions'
import type { CachedChannel, CachedGuild } from './cachedGuild'

/**
 * Effective permissions of a member in a channel or thread of the cache; none if the parent of the
 * thread is not known. `isThreadMember` matters in private threads only.
 */
export function permissionsIn(
  guild: CachedGuild,
  channel: CachedChannel,
  member: PermissionMember,
  options: { readonly now: number; readonly isThreadMember: boolean },
): bigint {
  if (!isThread(channel.type)) return computeChannelPermissions(guild, channel, member, options.now)
  const parent = channel.parentId === null ? undefined : guild.findChannel(channel.parentId)
  if (!parent) return 0n
  const thread = { type: channel.type, isMember: options.isThreadMember }
  return computeChannelPermissions(guild, parent, member, options.now, thread)
}
