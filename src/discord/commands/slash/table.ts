import { group } from '../../../model/groups/group'
import { member } from '../../../model/members/member'
import { system } from '../../../model/systems/system'
import type { CommandId } from '../../text/enCommands'
import type { SlashName } from '../../text/enSlash'
import { runConfig } from '../handlers/config'
import { subjectOf } from '../handlers/privacy'
import { runServerConfig } from '../handlers/serverConfig'
import { listOrders } from '../list'
import { groups, members, systems } from '../subjects'
import { commands } from '../table'
import {
  createGroup,
  createMember,
  linkByCode,
  type SlashHandler,
  sayAsMember,
  setAutoproxy,
  setAvatar,
  setChannel,
  setOptions,
  setServer,
  setSetting,
  setTags,
  showServerSettings,
  showSettings,
} from './handlers'
import { editForm } from './modals'
import { flag, optional, required, type SlashOption, toArguments } from './option'

/** A line of the table of slash commands. */
export interface SlashCommand {
  readonly name: SlashName
  readonly options: readonly SlashOption[]
  readonly run: SlashHandler
  /** Text command that does the same. */
  readonly textCommand: CommandId | null
  /** Text commands that it replaces with fixed values of its options. */
  readonly variants: Readonly<Partial<Record<CommandId, Readonly<Record<string, string>>>>>
  /** Answers with a form, which can only be the first response. */
  readonly isForm: boolean
  readonly isGuildOnly: boolean
  readonly needsManageGuild: boolean
}

type Details = Partial<
  Pick<SlashCommand, 'textCommand' | 'variants' | 'isForm' | 'isGuildOnly' | 'needsManageGuild'>
>

/** Creates a line from the ID of a text command, whose handler it shares, or from a handler. */
function slash(
  name: SlashName,
  run: CommandId | SlashHandler,
  options: readonly SlashOption[] = [],
  details: Details = {},
): SlashCommand {
  const defaults = { variants: {}, isForm: false, isGuildOnly: false, needsManageGuild: false }
  if (typeof run !== 'string')
    return { ...defaults, textCommand: null, ...details, name, options, run }
  const command = commands.find(({ id }) => id === run)
  if (!command) throw new Error(`unknown text command of a slash command: ${run}`)
  return {
    ...defaults,
    ...details,
    name,
    options,
    run: (context, slashValues) => command.run(context, toArguments(options, slashValues)),
    textCommand: run,
  }
}

const isPublic = flag('public', 'public')
const ofAccount = optional('account', 'account', { type: 'account', parameter: 'system' })
const theMember = required('member', 'member', { completes: 'member' })
const theGroup = required('group', 'group', { completes: 'group' })
const theMembers = required('members', 'members', { completes: 'members' })
const theLevel = required('level', 'level', { choices: ['public', 'private'] })
const onOrOff = required('state', 'state', { choices: ['on', 'off'] })
const theChannel = required('channel', 'channel', { type: 'channel' })
const theName = required('name', 'name')
const displayName = optional('display_name', 'display_name')
const theValue = required('value', 'value')
const ownMessage = optional('message', 'message or your last one')

function subject(levels: readonly string[]): SlashOption {
  return required('subject', 'subject', { choices: [...levels.map(subjectOf), 'all'] })
}

const form = { isForm: true } as const
const inGuilds = { isGuildOnly: true } as const
const forManagers = { isGuildOnly: true, needsManageGuild: true } as const

/** All slash commands. */
export const slashCommands: readonly SlashCommand[] = [
  slash('system info', 'system.show', [
    ofAccount,
    optional('id', 'id', { parameter: 'system' }),
    isPublic,
  ]),
  slash('system new', 'system.new', [
    optional('name', 'name'),
    optional('invite', 'invite', { parameter: 'code' }),
  ]),
  slash('system edit', editForm(systems), [], {
    ...form,
    variants: { 'system.name': {}, 'system.tag': {} },
  }),
  slash('system privacy', 'system.privacy', [subject(system.levels), theLevel]),
  slash('system link', 'link', [required('account', 'account to link', { type: 'account' })]),
  slash('system unlink', 'unlink', [required('account', 'account to unlink', { type: 'account' })]),
  slash('system delete', 'system.delete'),

  slash('member info', 'member.show', [theMember, isPublic]),
  slash(
    'member new',
    createMember,
    [
      theName,
      optional('tags', 'tags'),
      displayName,
      optional('pronouns', 'pronouns'),
      optional('color', 'color'),
    ],
    { textCommand: 'member.new' },
  ),
  slash('member edit', editForm(members), [theMember], {
    ...form,
    variants: { 'member.displayname': {}, 'member.description': {}, 'member.pronouns': {} },
  }),
  slash(
    'member avatar',
    setAvatar,
    [
      theMember,
      optional('url', 'url'),
      optional('file', 'file of a picture', { type: 'file' }),
      optional('where', 'where', { choices: ['everywhere', 'proxy', 'server'] }),
    ],
    {
      textCommand: 'member.avatar',
      variants: {
        'member.proxyavatar': { where: 'proxy' },
        'member.serveravatar': { where: 'server' },
      },
    },
  ),
  slash(
    'member tags',
    setTags,
    [
      theMember,
      required('action', 'action', { choices: ['set', 'add', 'remove', 'clear'] }),
      optional('tags', 'tags'),
    ],
    {
      variants: {
        'member.proxy.set': { action: 'set' },
        'member.proxy.add': { action: 'add' },
      },
    },
  ),
  slash(
    'member server',
    setServer,
    [
      theMember,
      optional('name', 'name in this server'),
      optional('keep_tags', 'keep_tags', { choices: ['on', 'off', 'clear'] }),
    ],
    { textCommand: 'member.servername' },
  ),
  slash('member options', setOptions, [
    theMember,
    flag('autoproxy', 'autoproxy'),
    flag('keep_tags', 'keep_tags'),
    flag('tts', 'tts'),
  ]),
  slash('member privacy', 'member.privacy', [theMember, subject(member.levels), theLevel], {
    variants: { 'member.private': { subject: 'all', level: 'private' } },
  }),
  slash('member delete', 'member.delete', [theMember], form),
  slash('member list', 'system.list', [
    optional('search', 'search', { parameter: 'term' }),
    optional('sort', 'sort', { choices: listOrders, flagPrefix: 'by-' }),
    ofAccount,
    isPublic,
  ]),
  slash('member random', 'random', [
    optional('group', 'group of a random member', { completes: 'group' }),
  ]),

  slash('group info', 'group.show', [theGroup, isPublic]),
  slash('group new', createGroup, [theName, displayName], { textCommand: 'group.new' }),
  slash('group edit', editForm(groups), [theGroup], form),
  slash('group add', 'group.add', [theGroup, theMembers]),
  slash('group remove', 'group.remove', [theGroup, theMembers]),
  slash('group members', 'group.members', [theGroup, isPublic]),
  slash('group privacy', 'group.privacy', [theGroup, subject(group.levels), theLevel]),
  slash('group delete', 'group.delete', [theGroup], form),
  slash('group list', 'group.list', [isPublic]),

  slash('switch to', 'switch.log', [theMembers]),
  slash('switch out', 'switch.out'),
  slash('switch edit', 'switch.edit', [theMembers]),
  slash('switch move', 'switch.move', [required('when', 'when')]),
  slash('switch delete', 'switch.delete', [flag('all', 'all')]),

  slash('front now', 'system.fronter', [ofAccount, isPublic]),
  slash('front history', 'system.fronthistory'),
  slash('front percent', 'system.frontpercent', [optional('period', 'period')]),

  slash(
    'autoproxy',
    setAutoproxy,
    [
      required('mode', 'mode', { choices: ['off', 'front', 'latch', 'member'] }),
      optional('member', 'member of autoproxy', { completes: 'member' }),
    ],
    { ...inGuilds, textCommand: 'autoproxy' },
  ),
  slash(
    'say',
    sayAsMember,
    [
      theMember,
      required('text', 'text'),
      optional('file', 'file', { type: 'file' }),
      optional('reply_to', 'reply_to'),
    ],
    inGuilds,
  ),
  slash('edit', 'edit', [required('text', 'text after the edit'), ownMessage]),
  slash('reproxy', 'reproxy', [theMember, ownMessage]),
  slash('message', 'message', [required('message', 'message')]),
  slash('why', 'debug.proxy', [required('message', 'message')]),

  slash('config show', showSettings),
  slash(
    'config set',
    setSetting(runConfig),
    [required('setting', 'setting', { completes: 'setting' }), theValue],
    { textCommand: 'config' },
  ),
  slash('server show', showServerSettings, [], forManagers),
  slash(
    'server set',
    setSetting(runServerConfig),
    [required('setting', 'setting', { completes: 'server setting' }), theValue],
    { ...forManagers, textCommand: 'serverconfig' },
  ),
  slash('server proxying', setChannel('proxy'), [theChannel, onOrOff], forManagers),
  slash('server logging', setChannel('log'), [theChannel, onOrOff], forManagers),

  slash('import', 'import', [required('file', 'file to import', { type: 'file' })]),
  slash('export', 'export'),
  slash('token', 'token', [flag('refresh', 'refresh')], {
    variants: { 'token.refresh': { refresh: 'True' } },
  }),
  slash('dashboard', 'dashboard'),
  slash('link', linkByCode, [optional('code', 'code')]),
  slash('help', 'help', [optional('topic', 'topic')]),
  slash('permissions', 'debug.permissions', [
    optional('channel', 'channel to check', { type: 'channel', parameter: 'guild' }),
  ]),
  slash('invite', 'invite'),
]
