import { type Command, command, type Handler, SURE } from './command'
import {
  fieldCommands,
  groupWords,
  memberGuildWords,
  memberWords,
  systemGuildWords,
  systemWords,
} from './fieldCommands'
import {
  addToken,
  link,
  refreshToken,
  runWebhook,
  showDashboard,
  showLinkCode,
  unlink,
} from './handlers/accounts'
import { runAutoproxy } from './handlers/autoproxy'
import { runConfig } from './handlers/config'
import { checkChannel, checkPermissions } from './handlers/debug'
import { changePrivacy, removeSubject, setVisibility, showId } from './handlers/entity'
import { changeField, changeGuildField, fieldFlags } from './handlers/fields'
import { showFront, showHistory, showPercent } from './handlers/front'
import {
  changeMembersOfGroup,
  listGroupMembers,
  newGroup,
  showGroup,
  showRandom,
  showRandomGroup,
} from './handlers/group'
import { listCommands, showExplanation, showHelp, showInvite, showStats } from './handlers/help'
import { changeGroupsOfMember, newMember, showMember, showMemberGroups } from './handlers/member'
import {
  deleteMessage,
  editByRegex,
  editMessage,
  explainMessage,
  reproxy,
  showAuthor,
  showMessage,
} from './handlers/message'
import { changeTags, showTags } from './handlers/proxyTags'
import { explainLogCleanup, nameServerCommand, runServerConfig } from './handlers/serverConfig'
import {
  copySwitch,
  deleteHistory,
  deleteLatest,
  editSwitch,
  editSwitchOut,
  logSwitch,
  moveLatest,
  switchOut,
} from './handlers/switch'
import {
  changeGuildTag,
  listSystemGroups,
  listSystemMembers,
  newSystem,
  removeSystem,
  showSystem,
  systemProxy,
} from './handlers/system'
import { runExport, runImport } from './handlers/transfer'
import { listFlags } from './list'
import { groups, members, systems } from './subjects'

const S = 'system|s|account|acc'
const M = 'member|m'
const G = 'group|g'
const SW = 'switch|sw'
const FRONT = 'fronter|f|front|fronters'
const PERCENT = 'frontpercent|fp|frontpercentage|front%|frontbreakdown'
const DELETE = 'delete|remove|yeet|destroy|erase'

const ID = 'id|by-id'
const ALL = 'all|a'
const CLEAR = 'clear|c'
const PRIVATE = 'private|priv'
const PUBLIC = 'public|pub'

const inServers = { where: 'servers' } as const
const view = { flags: [PRIVATE, PUBLIC, ALL, ID] }
/** Cards are always embeds. */
const card = { flags: [...view.flags, 'show-embed|se'] }
const history = { flags: [...view.flags, CLEAR, 'with-id|wid'] }
/** Only members are listed anyway, so `-fronters-only` changes nothing. */
const shares = { flags: [...view.flags, 'flat', 'fronters-only|fo'] }
const randoms = { flags: ['group|g', ALL, 'show-embed|se'] }
const lists = { flags: [...listFlags, 'id'] }
const byId = { flags: [ID] }
const sure = { flags: [SURE, ID] }
const tags = { flags: [CLEAR, PRIVATE, PUBLIC, ID] }
const some = { flags: [ALL, ID] }
const fronters = { flags: ['first|f', 'remove|r', 'append|a', 'prepend|p', ID] }
const edits = {
  flags: [
    'append|a',
    'prepend|p',
    'nospace|ns',
    'regex|x',
    'clear-embeds|clear-embed|ce',
    'clear-attachments|clear-attachment|ca',
  ],
}

/** Lists the commands that begin with the first of some words. */
function listCommandsOf(words: string): Handler {
  const [topic = ''] = words.split('|')
  return (context, args) => listCommands(() => commands)(context, { ...args, values: { topic } })
}

/**
 * All text commands. Parsing, help, suggestions and the documentation follow from this table, and
 * slash commands call its handlers.
 */
export const commands: readonly Command[] = [
  command('system.new', `${S} new|create|make|add|register|init|n [name]`, newSystem),
  command('system.show', `${S} [system]`, showSystem, card),
  command('system.show', `${S} [system] info|view|show`, showSystem, { ...card, isHidden: true }),
  command('system.id', `${S} [system] id`, showId(systems)),
  ...fieldCommands(systems, `${S} [system]`, systemWords, changeField),
  ...fieldCommands(systems, `${S} [system]`, systemGuildWords, changeGuildField, inServers),
  command('system.servertag', `${S} [system] servertag|st|stag|deer [value]`, changeGuildTag, {
    flags: [...fieldFlags, 'enable', 'disable'],
    where: 'servers',
  }),
  command('system.privacy', `${S} [system] privacy [subject] [level]`, changePrivacy(systems)),
  command('system.proxy', `${S} proxy [guild] [switched]`, systemProxy),
  command('system.proxy', 'proxy [guild] [switched]', systemProxy, { isHidden: true }),
  command(
    'system.list',
    `${S} [system] list|l|ls|members|find|search|query|fd|s [term]`,
    listSystemMembers,
    lists,
  ),
  command('system.list', 'list|ls|l|members|find|search|query|fd|f [term]', listSystemMembers, {
    ...lists,
    isHidden: true,
  }),
  command('system.list', `${M} list [term]`, listSystemMembers, { ...lists, isHidden: true }),
  command('system.fronter', `${S} [system] ${FRONT}`, showFront, view),
  command('system.fronter', 'front|fronter|fronters', showFront, { ...view, isHidden: true }),
  command(
    'system.fronthistory',
    `${S} [system] fronthistory|fh|history|switches`,
    showHistory,
    history,
  ),
  command('system.fronthistory', `${S} [system] ${FRONT} history|h`, showHistory, {
    ...history,
    isHidden: true,
  }),
  command('system.frontpercent', `${S} [system] ${PERCENT} [period]`, showPercent, shares),
  command('system.frontpercent', `${S} [system] ${FRONT} percent|p|% [period]`, showPercent, {
    ...shares,
    isHidden: true,
  }),
  command('system.groups', `${S} [system] groups|gs [term]`, listSystemGroups, lists),
  command('system.delete', `${S} delete|remove|destroy|erase|yeet`, removeSystem, {
    flags: ['no-export|ne'],
  }),
  command('system.webhook', `${S} webhook|hook [value]`, runWebhook, {
    flags: [CLEAR, SURE],
    where: 'private',
  }),

  command('member.new', `${M} new|n|add|create|register <name>`, newMember, sure),
  command('member.show', `${M} <member>`, showMember, card),
  command('member.id', `${M} <member> id`, showId(members), byId),
  ...fieldCommands(members, `${M} <member>`, memberWords, changeField),
  ...fieldCommands(members, `${M} <member>`, memberGuildWords, changeGuildField, inServers),
  command('member.proxy', `${M} <member> proxy|tags|proxytags|brackets`, showTags, tags),
  command(
    'member.proxy.set',
    `${M} <member> proxy|tags|proxytags|brackets set <tags>`,
    changeTags('set'),
    sure,
  ),
  command(
    'member.proxy.add',
    `${M} <member> proxy|tags|proxytags|brackets add|append <tags>`,
    changeTags('add'),
    sure,
  ),
  command(
    'member.proxy.remove',
    `${M} <member> proxy|tags|proxytags|brackets remove|delete <tags>`,
    changeTags('remove'),
    sure,
  ),
  command(
    'member.proxy.clear',
    `${M} <member> proxy|tags|proxytags|brackets clear|reset|default`,
    changeTags('clear'),
    sure,
  ),
  command(
    'member.proxy.set',
    `${M} <member> proxy|tags|proxytags|brackets <tags>`,
    changeTags('set'),
    { ...sure, isHidden: true },
  ),
  command('member.group', `${M} <member> group|groups|g`, showMemberGroups, view),
  command(
    'member.group.add',
    `${M} <member> group|groups|g add|a <groups>`,
    changeGroupsOfMember('add'),
    byId,
  ),
  command(
    'member.group.remove',
    `${M} <member> group|groups|g remove|rem <groups>`,
    changeGroupsOfMember('remove'),
    byId,
  ),

  command(
    'member.privacy',
    `${M} <member> privacy [subject] [level]`,
    changePrivacy(members),
    byId,
  ),
  command(
    'member.public',
    `${M} <member> public|show|shown|unhide|unhidden`,
    setVisibility(members, 'public'),
    byId,
  ),
  command(
    'member.private',
    `${M} <member> private|hide|hidden`,
    setVisibility(members, 'private'),
    byId,
  ),
  command('member.delete', `${M} <member> ${DELETE}`, removeSubject(members), byId),

  command('group.new', `${G} new|n|add|create|register <name>`, newGroup, sure),
  command('group.list', `${G} list|l|ls [term]`, listSystemGroups, lists),
  command('group.show', `${G} <group>`, showGroup, card),
  command('group.id', `${G} <group> id`, showId(groups), byId),
  ...fieldCommands(groups, `${G} <group>`, groupWords, changeField),
  command('group.privacy', `${G} <group> privacy [subject] [level]`, changePrivacy(groups), byId),
  command(
    'group.public',
    `${G} <group> public|pub|show|shown|unhide|unhidden`,
    setVisibility(groups, 'public'),
    byId,
  ),
  command(
    'group.private',
    `${G} <group> private|priv|hide|hidden`,
    setVisibility(groups, 'private'),
    byId,
  ),
  command('group.delete', `${G} <group> delete|destroy|erase|yeet`, removeSubject(groups), byId),
  command('group.add', `${G} <group> add|a [members]`, changeMembersOfGroup('add'), some),
  command(
    'group.remove',
    `${G} <group> remove|rem [members]`,
    changeMembersOfGroup('remove'),
    some,
  ),
  command('group.members', `${G} <group> list|members|ls|ms|l [term]`, listGroupMembers, lists),
  command('group.random', `${G} <group> random|rand|r`, showRandom, some),
  command('group.frontpercent', `${G} <group> ${PERCENT} [period]`, showPercent, shares),
  command('random', 'random|rand|r', showRandom, randoms),
  command('random', 'random|rand|r group|g', showRandomGroup, { ...randoms, isHidden: true }),
  command('random', `${S} [system] random|rand|r`, showRandom, { ...randoms, isHidden: true }),
  command('random', `${S} [system] random|rand|r group|g`, showRandomGroup, {
    ...randoms,
    isHidden: true,
  }),

  command('switch.log', `${SW} <members>`, logSwitch, byId),
  command('switch.out', `${SW} out|none|o`, switchOut),
  command('switch.edit', `${SW} edit|e|replace <members>`, editSwitch, fronters),
  command('switch.edit.out', `${SW} edit|e|replace out|none|o`, editSwitchOut),
  command('switch.copy', `${SW} copy|add|dupe|duplicate <members>`, copySwitch, fronters),
  command('switch.move', `${SW} move|m|shift|offset <when>`, moveLatest, sure),
  command('switch.delete', `${SW} ${DELETE}|cancel`, deleteLatest, {
    flags: ['all|clear|c'],
  }),
  command('switch.delete.all', `${SW} ${DELETE}|cancel all|clear`, deleteHistory),

  command('autoproxy', 'autoproxy|ap|auto [name]', runAutoproxy, {
    flags: [ID, PRIVATE],
    where: 'servers',
  }),
  command('config', 'config|cfg|configure [setting]', runConfig, { flags: [CLEAR] }),
  command('serverconfig', 'serverconfig|scfg|guildconfig [setting]', runServerConfig, {
    flags: [CLEAR],
    needs: 'Manage Server',
    where: 'servers',
  }),
  ...(
    [
      ['log [setting]', nameServerCommand('log channel')],
      ['log enable|on|disable|off|show [setting]', nameServerCommand('log blacklist')],
      ['blacklist|bl [setting]', nameServerCommand('proxy blacklist')],
      ['logclean|logcleanup [setting]', explainLogCleanup],
    ] as const
  ).map(([pattern, run]) => command('serverconfig.old', pattern, run, { isHidden: true })),

  command('link', 'link <account>', link),
  command('unlink', 'unlink [account]', unlink, sure),
  command('linkcode', 'linkcode', showLinkCode, { where: 'private' }),
  command('token', 'token', addToken, { where: 'private' }),
  command(
    'token.refresh',
    'token refresh|renew|expire|reset|update|invalidate|reroll|regen',
    refreshToken,
    {
      where: 'private',
    },
  ),
  command('dashboard', 'dashboard|dash', showDashboard, { where: 'private' }),
  command('import', 'import', runImport),
  // The bot opens no addresses, and asks for the file.
  command('import', 'import <text>', runImport, { isHidden: true }),
  command('export', 'export', runExport, { where: 'private' }),

  command('message', 'message|msg|messageinfo [message]', showMessage, {
    flags: ['delete', 'author', PRIVATE, PUBLIC, 'show-embed|se'],
  }),
  command('message', 'message|msg|messageinfo <message> delete', deleteMessage, { isHidden: true }),
  command('message', 'message|msg|messageinfo <message> author', showAuthor, { isHidden: true }),
  command('edit', 'edit|e [text]', editMessage, edits),
  command('x', 'x [text]', editByRegex, edits),
  command('reproxy', 'reproxy|rp|crimes|crime [message] <member>', reproxy, byId),
  command('delete', 'delete|del [message]', deleteMessage),

  command('debug.permissions', 'debug permissions|perms|permcheck [guild]', checkPermissions),
  command('debug.permissions', 'permcheck [guild]', checkPermissions, { isHidden: true }),
  command(
    'debug.permissions',
    'debug permissions|perms|permcheck channel|ch [guild]',
    checkChannel,
    {
      isHidden: true,
    },
  ),
  command('debug.permissions', 'debug channel [guild]', checkChannel, { isHidden: true }),
  command('debug.proxy', 'debug proxy|proxying|proxycheck [message]', explainMessage),
  command('debug.proxy', 'proxycheck|why [message]', explainMessage, { isHidden: true }),
  command('debug.proxy', 'proxy debug [message]', explainMessage, { isHidden: true }),
  command(
    'help',
    'help|h [topic]',
    showHelp(() => commands),
  ),
  command(
    'commands',
    'commands|c|cmd|cmds [topic]',
    listCommands(() => commands),
  ),
  ...[S, M, G, SW].map((words) =>
    command('commands', `${words} commands|help`, listCommandsOf(words), { isHidden: true }),
  ),
  command('explain', 'explain', showExplanation),
  command('invite', 'invite', showInvite),
  command('stats', 'stats|status', showStats),
]
