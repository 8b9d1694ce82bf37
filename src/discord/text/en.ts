import { problemMessage } from '../../model/core/problemMessages'
import type { Problem } from '../../model/core/validation'
import type { PermissionName } from '../permissions/permission'
import type { NameCommand } from './commandNames'
import { commandSummaries } from './enCommands'
import { fieldTexts } from './enFields'
import { frontTexts } from './enFront'
import { topics } from './enHelp'
import { messageTexts } from './enMessages'
import { objectTexts } from './enObjects'
import { pictureTexts } from './enPictures'
import { privateTexts } from './enPrivate'
import { settingTexts } from './enSettings'
import { slashTexts } from './enSlash'
import { bold, capitalize, choice, code, duration, list, plural } from './format'

const permissionLabels: Partial<Record<PermissionName, string>> = {
  ViewChannel: 'View Channel',
  SendMessages: 'Send Messages',
  ManageMessages: 'Manage Messages',
  ManageWebhooks: 'Manage Webhooks',
  AttachFiles: 'Attach Files',
  EmbedLinks: 'Embed Links',
  AddReactions: 'Add Reactions',
  ReadMessageHistory: 'Read Message History',
  SendMessagesInThreads: 'Send Messages in Threads',
  SendVoiceMessages: 'Send Voice Messages',
  SendPolls: 'Create Polls',
  UseExternalEmojis: 'Use External Emoji',
}

function permissionNames(names: readonly PermissionName[]): string {
  return list(names.map((name) => permissionLabels[name] ?? name))
}

const QUOTES = ' Names with spaces need quotes: "two words".'

function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${choice(names.map(bold))}?`
}

/** All texts of the bot in English. Values that people wrote arrive escaped. */
export const en = {
  ...fieldTexts,
  ...objectTexts,
  ...frontTexts,
  ...settingTexts,
  ...pictureTexts,
  ...privateTexts,
  ...messageTexts,
  commandSummaries,
  slashTexts,
  topics,

  // Words
  yes: 'Yes',
  no: 'No',
  cancel: 'Cancel',
  accept: 'Accept',
  decline: 'Decline',
  deleteLabel: 'Delete',
  typedYes: ['yes', 'y'],
  typedNo: ['no', 'n'],
  on: 'on',
  off: 'off',
  none: 'none',
  never: 'never',
  now: 'now',
  defaultValue: 'default',
  everything: 'everything',
  isPublic: 'Public',
  isPrivate: 'Private',
  isHidden: 'hidden',
  done: '✅ Done.',
  cancelled: 'Cancelled. Nothing was changed.',
  duration,
  list,

  labels: {
    name: 'Name',
    displayName: 'Display name',
    serverName: 'Server name',
    serverTag: 'Server tag',
    serverAvatar: 'Server avatar',
    pronouns: 'Pronouns',
    birthday: 'Birthday',
    color: 'Colour',
    tag: 'Tag',
    messageCount: 'Messages',
    proxyTags: 'Proxy tags',
    groups: 'Groups',
    members: 'Members',
    created: 'Created',
    lastMessage: 'Last message',
    lastFronted: 'Last fronted',
    avatar: 'Avatar',
    id: 'ID',
    fronters: 'Fronters',
    since: 'Since',
    accounts: 'Linked accounts',
    value: 'The value',
    sentBy: 'Sent by',
    sent: 'Sent',
    system: 'System',
    message: 'Message',
    text: 'Text',
    member: 'Member (name or ID)',
  },
  permissionNames,

  // Prompts
  promptExpired: 'This question has expired. Please run the command again.',
  promptOfAnother: 'Only the account that was asked can use these buttons.',
  wrongConfirmation: '❌ That does not match. Nothing was deleted.',
  confirmTitle: 'Are you sure?',
  typeToConfirm: (expected: string) => `Type ${expected} to confirm`,

  // Errors
  refusal: (reason: string) => `❌ ${reason}`,
  usage: (usage: string) => `Usage: ${usage}`,
  unknownCommand: (suggestions: readonly string[], help: string) =>
    suggestions.length === 0
      ? `Unknown command. ${help} lists all commands.`
      : `Unknown command. Did you mean ${choice(suggestions)}?`,
  unknownFlags: (typed: readonly string[], knownFlags: readonly string[]) =>
    [
      `I do not know ${typed.length === 1 ? 'the flag' : 'the flags'} ${list(typed.map(code))} here.`,
      knownFlags.length === 0
        ? ''
        : ` Known: ${knownFlags.map((name) => code(`-${name}`)).join(', ')}.`,
      ' Put quotes around text that begins with a dash.',
    ].join(''),
  failed: 'Something went wrong. Nothing more was changed; please try again.',
  unavailable: 'The server is busy. Please try again in a moment.',
  slowDown: '⏳ That was a lot at once. Please wait a moment.',
  forbidden: 'You may not do that.',
  hiddenList: 'That is private.',
  memberLimit: 'Your system has as many members as this bot allows.',
  groupLimit: 'Your system has as many groups as this bot allows.',
  sameTime: 'There is already a switch at that time.',
  noSystem: (name: NameCommand) =>
    `Your account has no system yet. Create one with ${name('system.new')}.`,
  hasSystem: 'Your account already has a system.',
  systemNotFound: 'There is no such system. Name one by its ID, an account ID or a mention.',
  accountHasNoSystem: (account: string) => `<@${account}> has no system.`,
  memberNotFound: (typed: string, near: readonly string[], hasMore: boolean) =>
    `I find no member called ${bold(typed)}.${didYouMean(near)}${hasMore ? QUOTES : ''}`,
  groupNotFound: (typed: string, near: readonly string[], hasMore: boolean) =>
    `I find no group called ${bold(typed)}.${didYouMean(near)}${hasMore ? QUOTES : ''}`,
  memberGone: 'That member does not exist any more.',
  groupGone: 'That group does not exist any more.',
  membersNotFound: (names: readonly string[], near: readonly string[]) =>
    `Not found: ${list(names)}.${didYouMean(near)}${names.length > 1 ? QUOTES : ''}`,
  namedTwice: 'A member is named twice.',
  notYours: 'That does not belong to your system.',
  guildOnly: 'This works in servers only.',
  directOnly: 'Please send this to me in a direct message, so that nobody else sees it.',
  needsManageServer: 'You need the permission Manage Server.',
  invalidValue: (label: string, problem: Problem) => {
    const { actual } = problem.values
    const text = `${capitalize(label)}: ${problemMessage(problem)}`
    return actual === undefined ? text : `${text.replace(/\.$/, '')}; yours has ${actual}.`
  },
  tooLong: (max: number) => `Too long: at most ${max} characters.`,
  invalidDate: 'That is not a date. Examples: 2001-05-03, May 3 2001, 05-03.',
  invalidTime: 'That is not a time. Examples: 1h30m, 14:30, yesterday 9pm, 2024-05-03 12:00.',
  invalidPeriod: 'That is not a period. Examples: 30d, 2w, 2024-05-03.',
  invalidDuration: 'That is not a duration. Examples: 30m, 6h, 1d, off.',
  timeInFuture: 'That is in the future.',
  nothingGiven: 'Nothing was given to change.',
  linkNeedsCode: (name: NameCommand) =>
    `This links your account to a system that you have on another platform. Create a code there with \`linkcode\` and give it here. Another Discord account is linked with ${name('link', { account: '@account' })}.`,
  onOrOff: 'Say `on` or `off`.',
  notAnImage: 'The attached file is not a picture.',
  accountHasNoAvatar: 'That account does not exist or has no avatar.',
  cannotClear: (label: string) => `The ${label} cannot be empty.`,
  accountNotFound: 'There is no such account.',
  channelNotFound: (typed: string) =>
    `I find no channel ${bold(typed)} that you can use. Mention it, such as #general.`,
  channelsNotFound: 'There is no such channel that you can use.',
  botLacks: (names: readonly PermissionName[]) =>
    `I lack permissions there: ${permissionNames(names)}.`,

  // Direct messages
  checkDirect: '✉️ Check your direct messages.',
  directFailed:
    '❌ I could not send you a direct message. Allow direct messages from this server and try again.',

  // Help
  helpTitle: 'Multitude',
  helpText: (name: NameCommand) =>
    [
      `I send your messages as the members of your system.\n`,
      topics.start?.text(name) ?? '',
      `\nReact to a proxied message with ❌ to delete your own, with ❓ to see who sent it, with 🔔 to ping its author.\n`,
      `${name('commands')} lists all commands, ${name('help', { topic: 'proxy' })} explains a topic, ${name('explain')} tells other people what I do.`,
    ].join('\n'),
  helpTopics: (names: readonly string[]) => `Topics: ${names.join(', ')}`,
  unknownTopic: (typed: string, near: readonly string[], names: readonly string[]) =>
    `There is no topic ${bold(typed)}. ${near.length > 0 ? `Did you mean ${choice(near.map(code))}? ` : ''}Topics: ${names.join(', ')}`,
  noCommands: 'There is no such command.',
  commandsTitle: 'Commands',
  explainText:
    'Several people can share one body and one account (plural systems). This bot lets each of them speak with their own name and picture: it sends the message again as that member and deletes the original. Messages marked *APP* that were sent through it are written by people, not by a bot.',
  inviteText: (url: string) => `Add me to a server: <${url}>`,
  statsText: (guilds: number, shards: number, latency: number | null, version: string) =>
    `Multitude ${version} · ${plural(guilds, 'server', 'servers')} · ${plural(shards, 'shard', 'shards')}${latency === null ? '' : ` · ${Math.round(latency)} ms`}`,
  permissionsTitle: 'Missing permissions',
  permissionsFine: (count: number) =>
    `✅ I have all permissions in ${plural(count, 'channel', 'channels')}.`,
  hiddenChannels: (count: number) =>
    `${plural(count, 'more channel', 'more channels')} that you cannot see`,
}
