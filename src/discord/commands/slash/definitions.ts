import type { RESTPutAPIApplicationCommandsJSONBody } from 'discord-api-types/v10'
import { group } from '../../../model/groups/group'
import { member } from '../../../model/members/member'
import { system } from '../../../model/systems/system'
import { Permission } from '../../permissions/permission'
import type { SlashOptionText } from '../../text/enSlash'
import type { Texts } from '../../text/texts'
import { settingTable } from '../handlers/config'
import { subjectOf } from '../handlers/privacy'
import { serverSettingTable } from '../handlers/serverConfig'
import { listOrders } from '../list'

// Application commands as Discord registers them. `slashCalls` maps them onto the handlers, and their
// descriptions are texts.

type Definitions = RESTPutAPIApplicationCommandsJSONBody
type OptionType = 'text' | 'flag' | 'account' | 'channel' | 'file'

const types = { text: 3, flag: 5, account: 6, channel: 7, file: 11 } as const

/** An option of a slash command. */
export interface SlashOption {
  readonly name: string
  readonly type: OptionType
  readonly isRequired: boolean
  /** Key of its description. */
  readonly description: SlashOptionText
  readonly choices?: readonly string[]
  /** Kind of names that are completed while the person types. */
  readonly completes?: Completion
}

export type Completion = 'member' | 'members' | 'group' | 'setting' | 'server setting'

export interface SlashSubcommand {
  readonly name: string
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

/** Creates an option whose name is its description's key without what follows a space. */
function required(description: SlashOptionText, details: OptionDetails = {}): SlashOption {
  const [name = ''] = description.split(' ')
  return { type: 'text', ...details, name, description, isRequired: true }
}

function optional(description: SlashOptionText, details: OptionDetails = {}): SlashOption {
  return { ...required(description, details), isRequired: false }
}

const flag = (description: SlashOptionText) => optional(description, { type: 'flag' })

function sub(name: string, ...options: SlashOption[]): SlashSubcommand {
  return { name, options }
}

function family(name: string, ...subcommands: SlashSubcommand[]): SlashCommand {
  return { ...single(name), subcommands }
}

function single(name: string, ...options: SlashOption[]): SlashCommand {
  return { name, options, subcommands: [], isGuildOnly: false, needsManageGuild: false }
}

const isPublic = flag('public')
const ofAccount = optional('account', { type: 'account' })
const theMember = required('member', { completes: 'member' })
const theGroup = required('group', { completes: 'group' })
const theMembers = required('members', { completes: 'members' })
const privacyLevel = required('level', { choices: ['public', 'private'] })
const onOrOff = required('state', { choices: ['on', 'off'] })
const theChannel = required('channel', { type: 'channel' })

function subject(levels: readonly string[]): SlashOption {
  return required('subject', { choices: [...levels.map(subjectOf), 'all'] })
}

/** All slash commands. */
export const slashCommands: readonly SlashCommand[] = [
  family(
    'system',
    sub('info', ofAccount, optional('id'), isPublic),
    sub('new', optional('name'), optional('invite')),
    sub('edit'),
    sub('privacy', subject(system.levels), privacyLevel),
    sub('link', required('account to link', { type: 'account' })),
    sub('unlink', required('account to unlink', { type: 'account' })),
    sub('delete'),
  ),
  family(
    'member',
    sub('info', theMember, isPublic),
    sub(
      'new',
      required('name'),
      optional('tags'),
      optional('display_name'),
      optional('pronouns'),
      optional('color'),
    ),
    sub('edit', theMember),
    sub(
      'avatar',
      theMember,
      optional('url'),
      optional('file of a picture', { type: 'file' }),
      optional('where', { choices: ['everywhere', 'proxy', 'server'] }),
    ),
    sub(
      'tags',
      theMember,
      required('action', { choices: ['set', 'add', 'remove', 'clear'] }),
      optional('tags'),
    ),
    sub(
      'server',
      theMember,
      optional('name in this server'),
      optional('keep_tags', { choices: ['on', 'off', 'clear'] }),
    ),
    sub('options', theMember, flag('autoproxy'), flag('keep_tags'), flag('tts')),
    sub('privacy', theMember, subject(member.levels), privacyLevel),
    sub('delete', theMember),
    sub('list', optional('search'), optional('sort', { choices: listOrders }), ofAccount, isPublic),
    sub('random', optional('group of a random member', { completes: 'group' })),
  ),
  family(
    'group',
    sub('info', theGroup, isPublic),
    sub('new', required('name'), optional('display_name')),
    sub('edit', theGroup),
    sub('add', theGroup, theMembers),
    sub('remove', theGroup, theMembers),
    sub('members', theGroup, isPublic),
    sub('privacy', theGroup, subject(group.levels), privacyLevel),
    sub('delete', theGroup),
    sub('list', isPublic),
  ),
  family(
    'switch',
    sub('to', theMembers),
    sub('out'),
    sub('edit', theMembers),
    sub('move', required('when')),
    sub('delete', flag('all')),
  ),
  family(
    'front',
    sub('now', ofAccount, isPublic),
    sub('history'),
    sub('percent', optional('period')),
  ),
  {
    ...single(
      'autoproxy',
      required('mode', { choices: ['off', 'front', 'latch', 'member'] }),
      optional('member of autoproxy', { completes: 'member' }),
    ),
    isGuildOnly: true,
  },
  {
    ...single(
      'say',
      theMember,
      required('text'),
      optional('file', { type: 'file' }),
      optional('reply_to'),
    ),
    isGuildOnly: true,
  },
  single('edit', required('text after the edit'), optional('message or your last one')),
  single('reproxy', theMember, optional('message or your last one')),
  single('message', required('message')),
  single('why', required('message')),
  family(
    'config',
    sub('show'),
    sub('set', required('setting', { completes: 'setting' }), required('value')),
  ),
  {
    ...family(
      'server',
      sub('show'),
      sub('set', required('setting', { completes: 'server setting' }), required('value')),
      sub('proxying', theChannel, onOrOff),
      sub('logging', theChannel, onOrOff),
    ),
    isGuildOnly: true,
    needsManageGuild: true,
  },
  single('import', required('file to import', { type: 'file' })),
  single('export'),
  single('token', flag('refresh')),
  single('dashboard'),
  single('link', optional('code')),
  single('help', optional('topic')),
  single('permissions', optional('channel to check', { type: 'channel' })),
  single('invite'),
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
export function buildDefinitions({ slashTexts }: Texts): Definitions {
  const buildOption = ({
    name,
    type,
    isRequired,
    description,
    choices,
    completes,
  }: SlashOption) => ({
    type: types[type],
    name,
    description: slashTexts.options[description],
    required: isRequired,
    ...(choices && { choices: choices.map((choice) => ({ name: choice, value: choice })) }),
    ...(completes && { autocomplete: true }),
  })
  return [
    ...slashCommands.map((command) => ({
      type: 1 as const,
      name: command.name,
      description: describeCommand(slashTexts, command.name),
      integration_types: [GUILD_INSTALL],
      contexts: command.isGuildOnly ? [GUILD] : [GUILD, BOT_DIRECT],
      ...(command.needsManageGuild && {
        default_member_permissions: String(Permission.ManageGuild),
      }),
      options: [
        ...command.subcommands.map(({ name, options }) => ({
          type: SUBCOMMAND,
          name,
          description: describeCommand(slashTexts, `${command.name} ${name}`),
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

/** Returns the description of a slash command, named with its subcommand. */
export function describeCommand({ commands }: Texts['slashTexts'], name: string): string {
  const found = new Map(Object.entries(commands)).get(name)
  if (found === undefined) throw new Error(`a slash command without a description: ${name}`)
  return found
}
