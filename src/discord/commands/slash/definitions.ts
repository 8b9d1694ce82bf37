import type { RESTPutAPIApplicationCommandsJSONBody } from 'discord-api-types/v10'
import { group } from '../../../model/group'
import { member } from '../../../model/member'
import { system } from '../../../model/system'
import { Permission } from '../../permissions/permission'
import { settingTable } from '../handlers/config'
import { subjectOf } from '../handlers/privacy'
import { serverSettingTable } from '../handlers/serverConfig'

// Application commands as Discord registers them. `slashCalls` maps them onto the handlers.

type Definitions = RESTPutAPIApplicationCommandsJSONBody
type OptionType = 'text' | 'flag' | 'account' | 'channel' | 'file'

const types = { text: 3, flag: 5, account: 6, channel: 7, file: 11 } as const

/** An option of a slash command. */
export interface SlashOption {
  readonly name: string
  readonly type: OptionType
  readonly description: string
  readonly isRequired: boolean
  readonly choices?: readonly string[]
  /** Kind of names that are completed while the person types. */
  readonly completes?: Completion
}

export type Completion = 'member' | 'members' | 'group' | 'setting' | 'server setting'

export interface SlashSubcommand {
  readonly name: string
  readonly description: string
  readonly options: readonly SlashOption[]
}

export interface SlashCommand extends SlashSubcommand {
  readonly subcommands: readonly SlashSubcommand[]
  readonly isGuildOnly: boolean
  readonly needsManageGuild: boolean
}

interface OptionDetails {
  readonly type?: OptionType
  readonly choices?: readonly string[]
  readonly completes?: Completion
}

function required(name: string, description: string, details: OptionDetails = {}): SlashOption {
  return { type: 'text', ...details, name, description, isRequired: true }
}

function optional(name: string, description: string, details: OptionDetails = {}): SlashOption {
  return { type: 'text', ...details, name, description, isRequired: false }
}

function sub(name: string, description: string, ...options: SlashOption[]): SlashSubcommand {
  return { name, description, options }
}

function family(
  name: string,
  description: string,
  ...subcommands: SlashSubcommand[]
): SlashCommand {
  return {
    name,
    description,
    options: [],
    subcommands,
    isGuildOnly: false,
    needsManageGuild: false,
  }
}

function single(name: string, description: string, ...options: SlashOption[]): SlashCommand {
  return {
    name,
    description,
    options,
    subcommands: [],
    isGuildOnly: false,
    needsManageGuild: false,
  }
}

const isPublic = optional('public', 'Show the public view to everybody in the channel', {
  type: 'flag',
})
const ofAccount = optional('account', 'Account of another system', { type: 'account' })
const theMember = required('member', 'Name or ID of a member', { completes: 'member' })
const theGroup = required('group', 'Name or ID of a group', { completes: 'group' })
const theMembers = required(
  'members',
  'Names or IDs, separated by spaces; quotes around names with spaces',
  {
    completes: 'members',
  },
)
const theMessage = optional('message', 'Link or ID of the message; otherwise your last one')
const privacyLevel = required('level', 'Who may see it', { choices: ['public', 'private'] })

function subject(levels: readonly string[]): SlashOption {
  return required('subject', 'What is shown or hidden', {
    choices: [...levels.map(subjectOf), 'all'],
  })
}

const flag = (name: string, description: string) => optional(name, description, { type: 'flag' })

/** All slash commands. */
export const slashCommands: readonly SlashCommand[] = [
  family(
    'system',
    'Your system',
    sub('info', 'Show a system', ofAccount, optional('id', 'ID of a system'), isPublic),
    sub(
      'new',
      'Create a system',
      optional('name', 'Name'),
      optional('invite', 'Invite code, if the server needs one'),
    ),
    sub('edit', 'Edit name, tag, pronouns, colour and description'),
    sub('privacy', 'Change who may see something', subject(system.levels), privacyLevel),
    sub(
      'link',
      'Link another account',
      required('account', 'The other account', { type: 'account' }),
    ),
    sub('unlink', 'Unlink an account', required('account', 'The account', { type: 'account' })),
    sub('delete', 'Delete your system'),
  ),
  family(
    'member',
    'Members of your system',
    sub('info', 'Show a member', theMember, isPublic),
    sub(
      'new',
      'Create a member',
      required('name', 'Name'),
      optional('tags', 'Proxy tags, as an example with the word text'),
      optional('display_name', 'Display name'),
      optional('pronouns', 'Pronouns'),
      optional('color', 'Colour, such as #ff8800'),
    ),
    sub('edit', 'Edit a member', theMember),
    sub(
      'avatar',
      'Change the picture',
      theMember,
      optional('url', 'Address of the picture'),
      optional('file', 'The picture', { type: 'file' }),
      optional('where', 'Where it is used', { choices: ['everywhere', 'proxy', 'server'] }),
    ),
    sub(
      'tags',
      'Change proxy tags',
      theMember,
      required('action', 'What to do', { choices: ['set', 'add', 'remove', 'clear'] }),
      optional('tags', 'An example with the word text, such as [text]'),
    ),
    sub(
      'server',
      'Change name and tags in this server',
      theMember,
      optional('name', 'Name in this server; a hyphen clears it'),
      optional('keep_tags', 'Keep the tags in proxied messages', {
        choices: ['on', 'off', 'clear'],
      }),
    ),
    sub(
      'options',
      'Change options',
      theMember,
      flag('autoproxy', 'Autoproxy may choose this member'),
      flag('keep_tags', 'Keep the tags in proxied messages'),
      flag('tts', 'Read proxied messages aloud'),
    ),
    sub('privacy', 'Change who may see something', theMember, subject(member.levels), privacyLevel),
    sub('delete', 'Delete a member', theMember),
    sub(
      'list',
      'List members',
      optional('search', 'Part of a name'),
      optional('sort', 'Order', {
        choices: [
          'name',
          'display-name',
          'id',
          'message-count',
          'created',
          'last-message',
          'birthday',
        ],
      }),
      ofAccount,
      isPublic,
    ),
    sub(
      'random',
      'Show a random member',
      optional('group', 'Of this group', { completes: 'group' }),
    ),
  ),
  family(
    'group',
    'Groups of your system',
    sub('info', 'Show a group', theGroup, isPublic),
    sub(
      'new',
      'Create a group',
      required('name', 'Name'),
      optional('display_name', 'Display name'),
    ),
    sub('edit', 'Edit a group', theGroup),
    sub('add', 'Add members', theGroup, theMembers),
    sub('remove', 'Remove members', theGroup, theMembers),
    sub('members', 'List the members of a group', theGroup, isPublic),
    sub('privacy', 'Change who may see something', theGroup, subject(group.levels), privacyLevel),
    sub('delete', 'Delete a group', theGroup),
    sub('list', 'List groups', isPublic),
  ),
  family(
    'switch',
    'Log who fronts',
    sub('to', 'Log a switch', theMembers),
    sub('out', 'Log that nobody fronts'),
    sub('edit', 'Change the members of the latest switch', theMembers),
    sub(
      'move',
      'Move the latest switch',
      required('when', 'Such as 1h30m, 14:30 or yesterday 9pm'),
    ),
    sub('delete', 'Delete the latest switch', flag('all', 'Delete all switches')),
  ),
  family(
    'front',
    'Who fronts',
    sub('now', 'Show who fronts', ofAccount, isPublic),
    sub('history', 'Show the latest switches'),
    sub('percent', 'Show the share of front time', optional('period', 'Such as 30d or 2024-05-03')),
  ),
  {
    ...single(
      'autoproxy',
      'Choose who messages without tags are sent as',
      required('mode', 'Mode', { choices: ['off', 'front', 'latch', 'member'] }),
      optional('member', 'For the mode member', { completes: 'member' }),
    ),
    isGuildOnly: true,
  },
  {
    ...single(
      'say',
      'Speak as a member',
      theMember,
      required('text', 'Text of the message'),
      optional('file', 'A file', { type: 'file' }),
      optional('reply_to', 'Link or ID of the message to reply to'),
    ),
    isGuildOnly: true,
  },
  single('edit', 'Edit a proxied message', required('text', 'New text'), theMessage),
  single('reproxy', 'Send a proxied message as another member', theMember, theMessage),
  single(
    'message',
    'Show who sent a proxied message',
    required('message', 'Link or ID of the message'),
  ),
  single(
    'why',
    'Explain why a message was not proxied',
    required('message', 'Link or ID of the message'),
  ),
  family(
    'config',
    'Settings of your system',
    sub('show', 'Show all settings'),
    sub(
      'set',
      'Change a setting',
      required('setting', 'Name of the setting', { completes: 'setting' }),
      required('value', 'New value'),
    ),
  ),
  {
    ...family(
      'server',
      'Settings of this server',
      sub('show', 'Show all settings'),
      sub(
        'set',
        'Change a setting',
        required('setting', 'Name of the setting', { completes: 'server setting' }),
        required('value', 'New value'),
      ),
      sub(
        'proxying',
        'Turn proxying on or off in a channel',
        required('channel', 'Channel or category', { type: 'channel' }),
        required('state', 'State', { choices: ['on', 'off'] }),
      ),
      sub(
        'logging',
        'Turn the log on or off for a channel',
        required('channel', 'Channel or category', { type: 'channel' }),
        required('state', 'State', { choices: ['on', 'off'] }),
      ),
    ),
    isGuildOnly: true,
    needsManageGuild: true,
  },
  single(
    'import',
    'Import a file of PluralKit, Tupperbox or Simply Plural',
    required('file', 'The file', { type: 'file' }),
  ),
  single('export', 'Export your system'),
  single('token', 'Create a token for the API', flag('refresh', 'Replace it at once')),
  single('dashboard', 'Get a link to the dashboard'),
  single(
    'link',
    'Link this account to a system of another platform',
    optional('code', 'Code from the other platform'),
  ),
  single('help', 'Explain this bot', optional('topic', 'Topic')),
  single(
    'permissions',
    'List permissions that the bot lacks',
    optional('channel', 'Only this channel', { type: 'channel' }),
  ),
  single('invite', 'Get the address that adds the bot to a server'),
]

/** Names of the commands in the menu of a message. */
export const messageMenus = [
  'Message info',
  'Delete message',
  'Ping author',
  'Edit message',
  'Reproxy message',
  'Why not proxied?',
] as const

export type MessageMenu = (typeof messageMenus)[number]

/** Name of the command in the menu of an account. */
export const USER_MENU = 'System info'

export const settingNames = settingTable.map(({ names }) => names[0] ?? '')
export const serverSettingNames = serverSettingTable.map(({ names }) => names[0] ?? '')

const GUILD = 0
const BOT_DIRECT = 1
const GUILD_INSTALL = 0
const SUBCOMMAND = 1
const USER_MENU_TYPE = 2
const MESSAGE_MENU_TYPE = 3

/** Builds the body of the request that registers all application commands. */
export function buildDefinitions(): Definitions {
  return [
    ...slashCommands.map((command) => ({
      type: 1 as const,
      name: command.name,
      description: command.description,
      integration_types: [GUILD_INSTALL],
      contexts: command.isGuildOnly ? [GUILD] : [GUILD, BOT_DIRECT],
      ...(command.needsManageGuild && {
        default_member_permissions: String(Permission.ManageGuild),
      }),
      options: [
        ...command.subcommands.map(({ name, description, options }) => ({
          type: SUBCOMMAND,
          name,
          description,
          options: options.map(buildOption),
        })),
        ...command.options.map(buildOption),
      ],
    })),
    ...messageMenus.map((name) => ({
      type: MESSAGE_MENU_TYPE,
      name,
      integration_types: [GUILD_INSTALL],
      contexts: [GUILD],
    })),
    {
      type: USER_MENU_TYPE,
      name: USER_MENU,
      integration_types: [GUILD_INSTALL],
      contexts: [GUILD],
    },
  ] as Definitions
}

function buildOption({ name, description, type, isRequired, choices, completes }: SlashOption) {
  return {
    type: types[type],
    name,
    description,
    required: isRequired,
    ...(choices && { choices: choices.map((choice) => ({ name: choice, value: choice })) }),
    ...(completes && { autocomplete: true }),
  }
}
