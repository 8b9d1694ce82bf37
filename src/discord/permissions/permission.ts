/** Bits of Discord's permissions that the bot checks (docs.discord.com/developers/topics/permissions). */
export const Permission = {
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  SendTtsMessages: 1n << 12n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseExternalEmojis: 1n << 18n,
  Connect: 1n << 20n,
  ManageWebhooks: 1n << 29n,
  ManageThreads: 1n << 34n,
  SendMessagesInThreads: 1n << 38n,
  SendVoiceMessages: 1n << 46n,
  SendPolls: 1n << 49n,
  BypassSlowmode: 1n << 52n,
} as const

export type PermissionName = keyof typeof Permission

/** Permissions of owners and administrators, including those that Discord adds later. */
export const ALL_PERMISSIONS = (1n << 64n) - 1n

export function combine(...names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | Permission[name], 0n)
}

/** Returns whether all of these permissions are granted. */
export function hasPermissions(granted: bigint, ...names: readonly PermissionName[]): boolean {
  const required = combine(...names)
  return (granted & required) === required
}

export function missingPermissions(
  granted: bigint,
  names: readonly PermissionName[],
): PermissionName[] {
  return names.filter((name) => !hasPermissions(granted, name))
}
