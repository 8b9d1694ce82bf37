import type { Channel, Guild, Member } from './types'

/** Bits of "Permissions, Bitwise Permission Flags". */
export const Permission = {
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_GUILD: 1n << 5n,
  ADD_REACTIONS: 1n << 6n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  SEND_TTS_MESSAGES: 1n << 12n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  USE_EXTERNAL_EMOJIS: 1n << 18n,
  CONNECT: 1n << 20n,
  MANAGE_ROLES: 1n << 28n,
  MANAGE_WEBHOOKS: 1n << 29n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  CREATE_PRIVATE_THREADS: 1n << 36n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
  MODERATE_MEMBERS: 1n << 40n,
  SEND_VOICE_MESSAGES: 1n << 46n,
  SEND_POLLS: 1n << 49n,
  PIN_MESSAGES: 1n << 51n,
  BYPASS_SLOWMODE: 1n << 52n,
} as const

export type PermissionName = keyof typeof Permission

export const allPermissions = (1n << 53n) - 1n

/** Permissions of @everyone in a new guild, as Discord's client creates them. */
export const defaultPermissions = permissionBits(
  'ADD_REACTIONS',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'SEND_TTS_MESSAGES',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'USE_EXTERNAL_EMOJIS',
  'CONNECT',
  'USE_APPLICATION_COMMANDS',
  'CREATE_PUBLIC_THREADS',
  'CREATE_PRIVATE_THREADS',
  'SEND_MESSAGES_IN_THREADS',
  'SEND_VOICE_MESSAGES',
  'SEND_POLLS',
)

export function permissionBits(...names: PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | Permission[name], 0n)
}

/** Permissions in the guild, without overwrites ("Permissions, Permission Hierarchy"). */
export function guildPermissions(guild: Guild, member: Member): bigint {
  if (guild.ownerId === member.userId) return allPermissions
  const roles = [guild.id, ...member.roles].map((id) => guild.roles.get(id)?.permissions ?? 0n)
  const bits = roles.reduce((all, role) => all | role, 0n)
  return bits & Permission.ADMINISTRATOR ? allPermissions : bits
}

/**
 * Permissions in a channel ("Permissions, Permission Overwrites"). The caller passes the parent of
 * a thread, because threads inherit the overwrites of their parent ("Threads, Permissions").
 */
export function channelPermissions(
  guild: Guild,
  channel: Channel,
  parent: Channel | null,
  member: Member,
  now: number,
): bigint {
  const base = guildPermissions(guild, member)
  if (base === allPermissions) return allPermissions
  const overwritten = applyOverwrites(
    guild,
    channel.thread && parent ? parent : channel,
    member,
  )(base)
  return withImplicitDenials(overwritten, channel, member, now)
}

function applyOverwrites(guild: Guild, { overwrites }: Channel, member: Member) {
  return (base: bigint): bigint => {
    let bits = base
    const everyone = overwrites.find(({ id }) => id === guild.id)
    if (everyone) bits = (bits & ~everyone.deny) | everyone.allow
    const roles = overwrites.filter(({ id, type }) => type === 0 && member.roles.includes(id))
    for (const { deny } of roles) bits &= ~deny
    for (const { allow } of roles) bits |= allow
    const own = overwrites.find(({ id, type }) => type === 1 && id === member.userId)
    return own ? (bits & ~own.deny) | own.allow : bits
  }
}

/** Denials of "Permissions, Implicit Permissions" and "Permissions for Timed Out Members". */
function withImplicitDenials(bits: bigint, channel: Channel, member: Member, now: number): bigint {
  if (!(bits & Permission.VIEW_CHANNEL)) return 0n
  let left = bits
  if (member.timedOutUntil !== null && member.timedOutUntil > now)
    left &= permissionBits('VIEW_CHANNEL', 'READ_MESSAGE_HISTORY')
  const send = channel.thread ? Permission.SEND_MESSAGES_IN_THREADS : Permission.SEND_MESSAGES
  if (!(left & send))
    left &= ~permissionBits(
      'SEND_MESSAGES',
      'MENTION_EVERYONE',
      'SEND_TTS_MESSAGES',
      'ATTACH_FILES',
      'EMBED_LINKS',
    )
  if ([2, 13].includes(channel.type) && !(left & Permission.CONNECT))
    left &= Permission.VIEW_CHANNEL
  return left
}
