import type { Decision, TagObstacle } from '../../model/proxy/decide'
import type { PermissionName } from '../permissions/permission'

const permissionNames: Partial<Record<PermissionName, string>> = {
  ManageMessages: 'Manage Messages',
  ManageWebhooks: 'Manage Webhooks',
}

/** Sentences that tell an author why a message was not proxied. */
export const proxyTexts = {
  missingPermissions: (names: readonly PermissionName[]) =>
    `I cannot proxy messages here, because I lack the permission ${names
      .map((name) => permissionNames[name] ?? name)
      .join(' and ')}. Please ask a moderator to give it to me in this channel.`,
  refusedByDiscord:
    'Discord did not let me proxy this message. Please ask a moderator to check my permissions in this channel.',
  tooManyWebhooksInChannel:
    'This channel has 15 webhooks, and Discord allows no more. Please ask a moderator to delete one that is not used: Edit Channel, Integrations, Webhooks.',
  tooManyWebhooksInGuild:
    'This server has 1,000 webhooks, and Discord allows no more. Please ask a moderator to delete some: Server Settings, Integrations.',
  refusedName: (reason: string) =>
    `Discord does not accept the name of this message: ${reason} Please change the name of the member or the system tag.`,
  /** Takes the first prefix of text commands. */
  tagRequired: (prefix: string, obstacles: readonly TagObstacle[]) => {
    const remedies: Record<TagObstacle, string> = {
      unset: `Set one with \`${prefix}system tag\`.`,
      off: `Show it here with \`${prefix}system servertag -enable\`.`,
      format: `Write \`{tag}\` in \`${prefix}config name format\`.`,
    }
    const texts = obstacles.map((obstacle) => remedies[obstacle])
    return ['This server requires a system tag in the names of proxied messages.', ...texts].join(
      ' ',
    )
  },
  automod: 'The AutoMod rules of this server blocked the proxied message.',
  fileTooLarge: (mebibytes: number) =>
    `A file is too large: I can send files of up to ${mebibytes} MiB in this server.`,
  uploadTooLarge: 'Discord did not accept the files, because they are too large.',
  downloadFailed: 'I could not read a file of this message, so I did not proxy it.',
  voiceRefused: 'Discord did not accept this voice message from me, so I did not proxy it.',
  partFailed: 'I could not send all files of this message, so I took back the part that was sent.',
  failed: 'Discord refused the proxied message, so I left yours as it is.',
  deletionRefused:
    'I could not delete your message, because I lack the permission Manage Messages here, so I took back the proxied one.',
}

/** Reasons of ignored messages in sentences, for accounts that ask why. */
export const ignoreTexts: Readonly<Record<string, string>> = {
  command: 'It starts with a command prefix, and commands are never proxied.',
  type: 'It is a message of Discord, not one that a person wrote.',
  channel_type: 'Messages in channels of this kind are not proxied.',
  forum_post: 'It is the first message of a forum post, which cannot be replaced.',
  sticker: 'It has a sticker, and Discord does not let webhooks send stickers.',
  forward: 'It is a forwarded message, which webhooks cannot send.',
  activity: 'It is an invitation to an activity, which webhooks cannot send.',
  no_permission: 'I cannot see this channel or write in it.',
  missing_permissions: 'I lack the permission Manage Webhooks or Manage Messages in this channel.',
  queue_full: 'Too many messages were waiting in this channel.',
  database: 'The database did not answer in time.',
  nothing:
    'I find nothing that prevents it. I may have been offline when you sent it; edit it, or send it again.',
  duplicate: 'It was handled before.',
  failed: 'Discord refused the proxied message.',
  discord_fault: 'Discord had a fault. Edit the message or send it again.',
  already_proxied: 'It was proxied already.',
  no_system: 'Your account is not linked to a system.',
  system_disabled: 'The operator of this bot has disabled your system.',
  channel_disabled: 'Proxying is switched off in this channel.',
  proxying_disabled: 'Your system has switched off proxying in this server.',
  empty: 'It has no text and no files.',
  no_match: 'No proxy tags match, and autoproxy is off here.',
  edited: 'Autoproxy does not apply to edited messages.',
  account_autoproxy_disabled: 'Autoproxy is switched off for your account.',
  escaped: 'It starts with a backslash, which skips autoproxy.',
  nobody_fronting: 'Autoproxy follows the front, and no one is fronting.',
  nothing_latched: 'Autoproxy latches, and no member is latched yet.',
  member_autoproxy_disabled: 'Autoproxy is switched off for this member.',
  latch_expired: 'The latch has expired.',
  too_long: 'It would be too long.',
  tag_required: 'This server requires a system tag.',
  name_too_long: 'The name would be too long.',
  autoproxy_off: 'It switched autoproxy off.',
  unlatch: 'It cleared the latch.',
}

type Refusal = Extract<Decision, { action: 'refuse' }>

/** Returns the sentence about a message that matched and cannot be proxied. */
export function describeRefusal(
  { prefixes: [prefix = ''] }: { readonly prefixes: readonly string[] },
  { reason, text, tagObstacles }: Refusal,
): string {
  return reason === 'tag_required' ? proxyTexts.tagRequired(prefix, tagObstacles) : text
}
