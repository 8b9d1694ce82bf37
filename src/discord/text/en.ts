import type { Tally } from '../../model/transfer/transfer'
import type { PermissionName } from '../permissions/permission'
import { commandSummaries, topics } from './enHelp'
import { slashTexts } from './enSlash'

/** Counts of an import. */
interface Summary {
  readonly members: Tally
  readonly groups: Tally
  readonly switches: Tally
}

const plurals = new Intl.PluralRules('en')
const lists = new Intl.ListFormat('en', { type: 'conjunction' })

function plural(count: number, one: string, other: string): string {
  return `${count} ${plurals.select(count) === 'one' ? one : other}`
}

function list(items: readonly string[]): string {
  return lists.format(items)
}

function code(text: string): string {
  return `\`${text}\``
}

const privacySubjects: Readonly<Record<string, string>> = {
  visibility: 'Visibility',
  name: 'Name',
  description: 'Description',
  avatar: 'Avatar',
  banner: 'Banner',
  pronoun: 'Pronouns',
  birthday: 'Birthday',
  metadata: 'Metadata',
  proxy: 'Proxy tags',
  memberlist: 'Member list',
  grouplist: 'Group list',
  front: 'Current fronters',
  fronthistory: 'Front history',
  icon: 'Icon',
  list: 'Member list',
}

const permissionLabels: Partial<Record<PermissionName, string>> = {
  ViewChannel: 'View Channel',
  SendMessages: 'Send Messages',
  ManageMessages: 'Manage Messages',
  ManageWebhooks: 'Manage Webhooks',
  AttachFiles: 'Attach Files',
  EmbedLinks: 'Embed Links',
  AddReactions: 'Add Reactions',
  ReadMessageHistory: 'Read Message History',
}

function permissionNames(names: readonly PermissionName[]): string {
  return list(names.map((name) => permissionLabels[name] ?? name))
}

function counts({ members, groups, switches }: Summary): string {
  return [
    `${plural(members.added, 'new member', 'new members')}, ${members.changed} changed`,
    `${plural(groups.added, 'new group', 'new groups')}, ${groups.changed} changed`,
    plural(switches.added, 'new switch', 'new switches'),
  ].join('\n')
}

/** All texts of the bot in English. Values that people wrote arrive escaped. */
export const en = {
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
  done: '✅ Done.',
  cancelled: 'Cancelled. Nothing was changed.',
  seconds: (seconds: number) => plural(seconds, 'second', 'seconds'),

  labels: {
    name: 'Name',
    displayName: 'Display name',
    serverName: 'Server name',
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
  fieldLabels: {
    name: 'name',
    display_name: 'display name',
    description: 'description',
    pronouns: 'pronouns',
    color: 'colour',
    birthday: 'birthday',
    tag: 'tag',
    avatar_url: 'avatar',
    webhook_avatar_url: 'proxy avatar',
    banner: 'banner',
    icon: 'icon',
    autoproxy_enabled: 'autoproxy',
    keep_proxy: 'keeping proxy tags',
    tts: 'text-to-speech',
  },
  serverFieldLabels: {
    display_name: 'name in this server',
    tag: 'tag in this server',
    avatar_url: 'avatar in this server',
    name_format: 'name format in this server',
    keep_proxy: 'keeping proxy tags in this server',
  },
  privacySubjects,
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
      : `Unknown command. Did you mean ${suggestions.join(' or ')}?`,
  unknownFlags: (typed: readonly string[], known: readonly string[]) =>
    [
      `I do not know ${typed.length === 1 ? 'the flag' : 'the flags'} ${list(typed.map(code))} here.`,
      known.length === 0 ? '' : ` Known: ${known.map((name) => code(`-${name}`)).join(', ')}.`,
      ' Put quotes around text that begins with a dash.',
    ].join(''),
  failed: 'Something went wrong. Nothing more was changed; please try again.',
  unavailable: 'The server is busy. Please try again in a moment.',
  slowDown: '⏳ That was a lot at once. Please wait a moment.',
  forbidden: 'You may not do that.',
  hiddenList: 'That is private.',
  memberLimit: 'Your system has as many members as this server allows.',
  groupLimit: 'Your system has as many groups as this server allows.',
  sameTime: 'There is already a switch at that time.',
  noSystem: 'Your account has no system yet. Create one with `system new`.',
  hasSystem: 'Your account already has a system.',
  systemNotFound: 'There is no such system. Name one by its ID, an account ID or a mention.',
  accountHasNoSystem: (account: string) => `<@${account}> has no system.`,
  memberNotFound: 'There is no such member. Names with spaces need quotes: "two words".',
  groupNotFound: 'There is no such group. Names with spaces need quotes: "two words".',
  membersNotFound: (names: readonly string[]) =>
    `Not found: ${list(names)}. Names with spaces need quotes: "two words".`,
  namedTwice: 'A member is named twice.',
  notYours: 'That does not belong to your system.',
  guildOnly: 'This works in servers only.',
  directOnly: 'Please send this to me in a direct message, so that nobody else sees it.',
  needsManageServer: 'You need the permission Manage Server.',
  invalidValue: (label: string, problem: string, length?: number) =>
    length === undefined ? `${label}: ${problem}` : `${label}: ${problem} (yours has ${length})`,
  tooLong: (max: number) => `Too long: at most ${max} characters.`,
  invalidDate: 'That is not a date. Examples: 2001-05-03, May 3 2001, 05-03.',
  invalidTime: 'That is not a time. Examples: 1h30m, 14:30, yesterday 9pm, 2024-05-03 12:00.',
  invalidPeriod: 'That is not a period. Examples: 30d, 2w, 2024-05-03.',
  invalidDuration: 'That is not a duration. Examples: 30m, 6h, 1d, off.',
  timeInFuture: 'That is in the future.',
  nothingGiven: 'Nothing was given to change.',
  linkNeedsCode:
    'Give the code that `linkcode` created on the other platform. /system link links another Discord account.',
  onOrOff: 'Say `on` or `off`.',
  notAnImage: 'The attached file is not a picture.',
  accountHasNoAvatar: 'That account does not exist or has no avatar.',
  cannotClear: (label: string) => `The ${label} cannot be empty.`,
  accountNotFound: 'There is no such account.',
  channelNotFound: 'There is no such channel that you can use.',
  botLacks: (names: readonly PermissionName[]) =>
    `I lack permissions there: ${permissionNames(names)}.`,

  // Direct messages
  checkDirect: '✉️ Check your direct messages.',
  directFailed:
    '❌ I could not send you a direct message. Allow direct messages from this server and try again.',

  // Fields
  fieldEmpty: (owner: string, label: string) => `${owner} has no ${label}.`,
  fieldOf: (owner: string, label: string) => `${owner}: ${label}`,
  changed: (owner: string, label: string) => `✅ ${owner}: ${label} changed.`,
  cleared: (owner: string, label: string) => `✅ ${owner}: ${label} cleared.`,
  confirmClear: (owner: string, label: string) => `Clear the ${label} of ${owner}?`,
  flagIs: (owner: string, label: string, isOn: boolean) =>
    `${owner}: ${label} is ${isOn ? 'on' : 'off'}.`,
  flagSet: (owner: string, label: string, isOn: boolean) =>
    `✅ ${owner}: ${label} is now ${isOn ? 'on' : 'off'}.`,
  flagFollows: (owner: string, label: string) =>
    `${owner}: ${label} follows the member’s own setting.`,
  privacyOf: (owner: string) => `Privacy of ${owner}`,
  privacyLevels: 'Say `public` or `private`.',
  privacySubjectsAre: (subjects: readonly string[]) => `Choose one of: ${subjects.join(', ')}.`,
  privacyChanged: (owner: string, subject: string, level: string) =>
    `✅ ${owner}: ${subject} is now ${level}.`,

  // Systems
  unnamedSystem: 'Unnamed system',
  systemWithId: (id: string) => `System ${id}`,
  systemId: (id: string) => `System ID: ${id}`,
  systemCreated: (id: string) =>
    `✅ Your system was created. Its ID is ${id}. Add a member with \`member new <name>\`.`,
  inviteNeeded:
    'You need an invite code here. Send `system new` to me in a direct message, or use /system new with the code.',
  askInvite: 'This server needs an invite code. Please send me yours now.',
  confirmDeleteSystem: (id: string, offersExport: boolean) =>
    [
      'This deletes your system with all members, groups and switches for good.',
      ...(offersExport ? ['Press *Export* first if you want a copy.'] : []),
      `To delete it, type its ID: ${id}`,
    ].join(' '),
  systemDeleted: '✅ Your system was deleted.',
  proxyingIs: (isOn: boolean) =>
    `Proxying of your system is ${isOn ? 'on' : 'off'} in this server.`,
  proxyingSet: (isOn: boolean) =>
    `✅ Proxying of your system is now ${isOn ? 'on' : 'off'} in this server.`,
  serverTagEnabled: (isOn: boolean) =>
    `✅ Your system tag is now ${isOn ? 'shown' : 'hidden'} in this server.`,
  membersOf: (name: string) => `Members of ${name}`,
  groupsOf: (name: string) => `Groups of ${name}`,
  listEmpty: 'Nothing was found.',
  labelled: (label: string, value: string) => `${label}: ${value}`,
  oneOrder: 'A list has one order. Please choose only one `-by-…` flag.',
  listFooter: (page: number, pages: number, count: number, hidden: number) =>
    [
      plural(count, 'result', 'results'),
      ...(pages > 1 ? [`page ${page} of ${pages}`] : []),
      ...(hidden > 0 ? [`${hidden} not shown (-all shows all)`] : []),
    ].join(' · '),
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,

  // Fronting
  currentFront: (count: number) => (count === 1 ? 'Current fronter' : 'Current fronters'),
  nobodyFronts: 'Nobody',
  noSwitches: 'There are no switches yet.',
  hiddenMember: 'Private member',
  historyOf: (id: string) => `Front history of ${id}`,
  frontPercent: 'Share of front time',
  percentFlat: 'Shares of the front time of all members together.',
  percentNote: 'Members can front together, so the sum may exceed 100 %.',
  switched: (names: string) => `✅ Switch logged. Now fronting: ${names}.`,
  switchedOut: '✅ Switch-out logged. Nobody fronts.',
  switchEdited: (names: string) => `✅ Switch changed. Now fronting: ${names || 'nobody'}.`,
  alreadyFronting: (names: string) => `${names} is already fronting.`,
  alreadyOut: 'Nobody fronts already.',
  tooManyFronters: (max: number) => `A switch has at most ${max} members.`,
  beforePrevious: (time: string) =>
    `The switch before it was at ${time}; a switch cannot be moved before that.`,
  confirmMove: (from: string, to: string) => `Move the latest switch from ${from} to ${to}?`,
  switchMoved: (to: string) => `✅ The latest switch is now at ${to}.`,
  confirmDeleteSwitch: (names: string, time: string) =>
    `Delete the latest switch (${names}, ${time})?`,
  switchDeleted: '✅ The latest switch was deleted.',
  confirmDeleteHistory: 'Delete **all** switches of your system for good?',
  historyDeleted: '✅ All switches were deleted.',

  // Members and groups
  memberId: (id: string) => `Member ID: ${id}`,
  groupId: (id: string) => `Group ID: ${id}`,
  memberCreated: (name: string, id: string) => `✅ Member ${name} was created. The ID is ${id}.`,
  groupCreated: (name: string, id: string) => `✅ Group ${name} was created. The ID is ${id}.`,
  quoteNames: 'Because the name has spaces, write it in quotes in other commands.',
  nearLimit: (count: number, limit: number) => `You have ${count} of ${limit} members.`,
  confirmDuplicateName: (name: string, id: string) =>
    `${name} already exists (ID ${id}). Create another one with the same name?`,
  confirmDelete: (name: string, id: string) => `To delete ${name} for good, type the ID: ${id}`,
  deleted: (name: string) => `✅ ${name} was deleted.`,
  deletedMember: 'Deleted member',
  noTags: (name: string) => `${name} has no proxy tags.`,
  tagsChanged: (tags: string) => `✅ ${tags}`,
  tagsAre: (name: string, tags: string) => `Proxy tags of ${name}: ${tags}`,
  tagNeedsText: 'Write an example with the word `text` once, such as `[text]` or `w: text`.',
  tagEmpty: 'Something must precede or follow the word `text`.',
  hasTag: (tag: string) => `The member already has ${tag}.`,
  hasNoSuchTag: (tag: string) => `The member does not have ${tag}.`,
  confirmTagConflict: (tag: string, names: string) => `${names} also has ${tag}. Use it anyway?`,
  confirmReplaceTags: (tags: string) => `This replaces all tags: ${tags}. Continue?`,
  confirmClearTags: (name: string) => `Remove all proxy tags of ${name}?`,
  groupsOfMember: (name: string, groups: string) => `Groups of ${name}: ${groups || 'none'}`,
  membershipChanged: (
    action: 'add' | 'remove',
    changed: number,
    unchanged: number,
    missing: readonly string[],
  ) =>
    [
      `${changed > 0 ? '✅' : '❌'} ${changed} ${action === 'add' ? 'added' : 'removed'}`,
      ...(unchanged > 0 ? [`${unchanged} ${action === 'add' ? 'already in' : 'not in'}`] : []),
      ...(missing.length > 0 ? [`not found: ${list(missing)}`] : []),
    ].join(', '),

  // Autoproxy
  autoproxyTitle: 'Autoproxy in this server',
  autoproxyState: (mode: string, member: string | null) =>
    mode === 'off'
      ? 'Autoproxy is off.'
      : mode === 'front'
        ? 'Autoproxy uses the first fronter.'
        : mode === 'latch'
          ? `Autoproxy uses the last proxied member${member ? ` (${member})` : ''}.`
          : `Autoproxy uses ${member ?? 'no member'}.`,
  autoproxyAccountOff: 'It is off for this account (`config autoproxy account`).',
  autoproxyHelp:
    '`off`: messages without tags are not proxied.\n`front`: as the first fronter.\n`latch`: as the member of your last proxied message.\nA member’s name or ID: always as this member.',
  autoproxySet: {
    off: '✅ Autoproxy is now off in this server.',
    front: '✅ Autoproxy now uses the first fronter in this server.',
    latch: '✅ Autoproxy now uses the last proxied member in this server.',
  },
  autoproxyMember: (name: string) => `✅ Autoproxy now uses ${name} in this server.`,

  // Settings
  configTitle: 'Settings of your system',
  configNote: 'config <setting> <value> changes one.',
  serverConfigTitle: 'Settings of this server',
  settingIs: (name: string, value: string) => `${name}: ${value}`,
  settingSet: (name: string, value: string) => `✅ ${name}: ${value}`,
  unknownSetting: (names: readonly string[]) => `Choose one of: ${names.join(', ')}.`,
  addOrRemove: 'Say `add` or `remove` and the channels, categories or `all`.',
  channelsUnchanged: (isAdd: boolean) =>
    isAdd ? 'That list has all of these already.' : 'That list has none of these.',
  oldServerCommand: (prefix: string) =>
    `This command has moved: \`${prefix}serverconfig log channel\`, \`${prefix}serverconfig log blacklist\` and \`${prefix}serverconfig proxy blacklist\`.`,

  // Accounts and secrets
  acceptLink: (other: string, asker: string) =>
    `${other}, ${asker} wants to link your account to their system. Your messages could then be proxied. Accept within 5 minutes?`,
  accountLinked: (account: string) => `✅ ${account} is now linked.`,
  alreadyLinked: 'That account is already linked to your system.',
  linkedElsewhere: 'That account is linked to another system.',
  notLinked: 'That account is not linked to your system.',
  lastAccount: 'This is the last account of your system and cannot be unlinked.',
  confirmUnlink: (account: string) => `Unlink ${account} from your system?`,
  accountUnlinked: (account: string) => `✅ ${account} is no longer linked.`,
  codeInPublic: 'Never show a code in a channel. Send it to me in a direct message, or use /link.',
  wrongCode: 'That code is wrong or has expired.',
  linkedToSystem: (id: string) => `✅ Your account is now linked to the system ${id}.`,
  linkCodeIs: (code: string) =>
    `Send this code from your other account within ten minutes: ${code}`,
  confirmToken:
    'A new token replaces the one that this bot created before, which then stops working. Create one?',
  tokenIs: (token: string) =>
    `Your token is ${token}. It gives full access to your system: never share it. \`token refresh\` replaces it.`,
  noPublicUrl:
    'This server has no public address, so there is no dashboard link. Ask its operator to set PUBLIC_URL.',
  dashboardLink: (url: string) =>
    `This link logs you in once, within ten minutes. Do not share it: <${url}>`,
  noWebhook: 'No webhook is set.',
  webhookIs: (url: string, state: string) => `Events are sent to <${url}> (${state}).`,
  webhookSet: (token: string) =>
    `✅ The webhook was stored and waits for verification. Its signing token, shown only now: ${token}`,
  webhookRemoved: '✅ The webhook was removed.',

  // Import and export
  importNeedsFile:
    'Attach the export file of PluralKit, Tupperbox or Simply Plural, or a PluralPort file, to the command.',
  importTooLarge: 'The file is too large.',
  confirmImport: (summary: Summary) => `Import this file?\n${counts(summary)}`,
  confirmImportNew: (summary: Summary | null) =>
    summary
      ? `Create a system from this file?\n${counts(summary)}`
      : 'This file is a copy of a system here. Create a new system from it?',
  importLabel: 'Import',
  exportLabel: 'Export',
  imported: (summary: Summary) => `✅ Imported.\n${counts(summary)}`,
  exportDone: 'Here is your system. Keep the file private.',
  exportTooLarge: (link: string) =>
    `Your export is too large for Discord. Download it in the dashboard. ${link}`,

  // Proxied messages
  messageId: (id: string) => `Message ID: ${id}`,
  nameMessage: 'Name a message by its link or ID, or reply to it.',
  invalidMessage: 'That is not a link or ID of a message.',
  messageNotFound: 'I did not proxy that message, or it no longer exists.',
  noRecentMessage:
    'You have no proxied message of the last ten minutes in this channel. Name one by its link, or reply to it.',
  notYourMessage: 'That is not a message of your system.',
  noAccessToChannel: 'You may not view or write in that channel.',
  noFilesInChannel: 'You may not send files in this channel.',
  replyElsewhere: 'You can reply only to a message of this channel.',
  authorIs: (mention: string, name: string) => `${mention} (${name})`,
  voiceMessage: 'Voice messages cannot be edited.',
  editNeedsText: 'Write the new text.',
  editTooLong: (length: number) => `The text has ${length} characters; at most 2000 are possible.`,
  editEmpty: 'The message would be empty.',
  editTitle: 'Edit message',
  reproxyTitle: 'Reproxy message',
  invalidRegex: 'Write it as `s|search|replacement|flags`, with the flags g, i, m, n, s and x.',
  regexTooSlow: 'That expression takes too long.',
  reproxyTooOld:
    'Only the latest message of a channel, or one of the last minute, can be reproxied.',
  sayDisabled: 'Speaking by command is off in this server (`serverconfig say`).',
  said: '✅ Sent.',
  pingsDisabled: 'This system does not want to be pinged.',
  pinged: '✅ Pinged.',
  noReason: 'I do not know that message, or it is not yours.',

  // Help
  helpTitle: 'Multitude',
  helpText: (prefix: string) =>
    `I send your messages as the members of your system.\n\n1. \`${prefix}system new\` creates a system.\n2. \`${prefix}member new Wren\` adds a member.\n3. \`${prefix}member Wren proxy w: text\` sets proxy tags. Now write \`w: hello\`.\n\n\`${prefix}commands\` lists all commands, \`${prefix}help <topic>\` explains one.`,
  helpTopics: (names: readonly string[]) => `Topics: ${names.join(', ')}`,
  unknownTopic: (names: readonly string[]) => `There is no such topic. Topics: ${names.join(', ')}`,
  commandsTitle: 'Commands',
  explainText:
    'Several people can share one body and one account (plural systems). This bot lets each of them speak with an own name and picture: it sends the message again as that member and deletes the original. Messages marked *APP* here are written by people.',
  inviteText: (url: string) => `Add me to a server: <${url}>`,
  statsText: (guilds: number, shards: number, latency: number | null, version: string) =>
    `Multitude ${version} · ${plural(guilds, 'server', 'servers')} · ${plural(shards, 'shard', 'shards')}${latency === null ? '' : ` · ${latency} ms`}`,
  permissionsTitle: 'Missing permissions',
  permissionsFine: (count: number) =>
    `✅ I have all permissions in ${plural(count, 'channel', 'channels')}.`,
  hiddenChannels: (count: number) =>
    `${plural(count, 'more channel', 'more channels')} that you cannot see`,
}
