import { ChannelType, isThread } from './channelType'
import { ALL_PERMISSIONS, combine, hasPermissions, Permission } from './permission'

export interface Overwrite {
  /** ID of a role, or of an account if `isMember`. */
  readonly id: string
  readonly isMember: boolean
  readonly allow: bigint
  readonly deny: bigint
}

export interface PermissionGuild {
  readonly id: string
  readonly ownerId: string
  findRole(id: string): { readonly permissions: bigint } | undefined
}

export interface PermissionChannel {
  readonly type: number
  readonly overwrites: readonly Overwrite[]
}

export interface PermissionMember {
  readonly userId: string
  readonly roleIds: readonly string[]
  /** `communication_disabled_until`: end of a timeout, which may be in the past. */
  readonly timedOutUntil?: string | null | undefined
}

/** Permissions in the whole guild, before the overwrites of a channel. */
export function computeGuildPermissions(
  guild: PermissionGuild,
  member: PermissionMember,
  now: number,
): bigint {
  return applyTimeout(computeBase(guild, member), member.timedOutUntil, now)
}

/** Removes what a timeout takes away from these permissions. Administrators are not affected. */
export function applyTimeout(
  granted: bigint,
  timedOutUntil: PermissionMember['timedOutUntil'],
  now: number,
): bigint {
  const isTimedOut = timedOutUntil != null && Date.parse(timedOutUntil) > now
  return isTimedOut && !hasPermissions(granted, 'Administrator')
    ? granted & LEFT_BY_TIMEOUT
    : granted
}

/**
 * Effective permissions in a channel: Discord's documented algorithm, then the implicit denials, so
 * that a bit that is set can be used. In a thread, `channel` is its parent, and the bit of Send
 * Messages has the value of Send Messages in Threads.
 */
export function computeChannelPermissions(
  guild: PermissionGuild,
  channel: PermissionChannel,
  member: PermissionMember,
  now: number,
  thread?: { readonly type: number; readonly isMember: boolean },
): bigint {
  const base = computeBase(guild, member)
  if (base === ALL_PERMISSIONS) return ALL_PERMISSIONS
  let granted = applyOverwrites(base, guild, channel, member)
  if (thread && isThread(thread.type)) {
    granted = hasPermissions(granted, 'SendMessagesInThreads')
      ? granted | Permission.SendMessages
      : granted & ~Permission.SendMessages
    const isHidden =
      thread.type === ChannelType.PrivateThread &&
      !thread.isMember &&
      !hasPermissions(granted, 'ManageThreads')
    if (isHidden) return 0n
  }
  return applyTimeout(removeImplicitlyDenied(granted, channel.type), member.timedOutUntil, now)
}

/** Permissions that a member keeps during a timeout. */
const LEFT_BY_TIMEOUT = combine('ViewChannel', 'ReadMessageHistory')

/** Permissions without effect if the member may not send messages. */
const NEEDS_SENDING = combine('MentionEveryone', 'SendTtsMessages', 'AttachFiles', 'EmbedLinks')

function computeBase(guild: PermissionGuild, member: PermissionMember): bigint {
  if (guild.ownerId === member.userId) return ALL_PERMISSIONS
  // The role @everyone has the ID of the guild.
  const granted = [guild.id, ...member.roleIds].reduce(
    (bits, id) => bits | (guild.findRole(id)?.permissions ?? 0n),
    0n,
  )
  return hasPermissions(granted, 'Administrator') ? ALL_PERMISSIONS : granted
}

function applyOverwrites(
  base: bigint,
  guild: PermissionGuild,
  { overwrites }: PermissionChannel,
  member: PermissionMember,
): bigint {
  const ofRole = (id: string) =>
    overwrites.find((overwrite) => !overwrite.isMember && overwrite.id === id)
  const everyone = ofRole(guild.id)
  let granted = base
  if (everyone) granted = (granted & ~everyone.deny) | everyone.allow
  let allow = 0n
  let deny = 0n
  for (const id of member.roleIds) {
    const role = id === guild.id ? undefined : ofRole(id)
    allow |= role?.allow ?? 0n
    deny |= role?.deny ?? 0n
  }
  granted = (granted & ~deny) | allow
  const memberOverwrite = overwrites.find(
    (overwrite) => overwrite.isMember && overwrite.id === member.userId,
  )
  return memberOverwrite ? (granted & ~memberOverwrite.deny) | memberOverwrite.allow : granted
}

function removeImplicitlyDenied(granted: bigint, channelType: number): bigint {
  if (!hasPermissions(granted, 'ViewChannel')) return 0n
  const isVoice = channelType === ChannelType.Voice || channelType === ChannelType.Stage
  if (isVoice && !hasPermissions(granted, 'Connect')) return Permission.ViewChannel
  return hasPermissions(granted, 'SendMessages') ? granted : granted & ~NEEDS_SENDING
}
