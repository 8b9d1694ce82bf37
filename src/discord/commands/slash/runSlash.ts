import type { Answer, Button } from '../answer'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { splitWords } from '../grammar/words'
import { link, showDashboard, showToken, unlink } from '../handlers/accounts'
import { runAutoproxy } from '../handlers/autoproxy'
import { runConfig } from '../handlers/config'
import { checkPermissions } from '../handlers/debug'
import { changePrivacy, removeSubject } from '../handlers/entity'
import { changeField, changeGuildField } from '../handlers/fields'
import { showFront, showHistory, showPercent } from '../handlers/front'
import {
  changeMembersOfGroup,
  createGroupFrom,
  listGroupMembers,
  showGroup,
  showRandom,
} from '../handlers/group'
import { showHelp, showInvite } from '../handlers/help'
import { createMemberFrom, type DraftTexts, showMember } from '../handlers/member'
import {
  deleteMessage,
  editMessage,
  explainMessage,
  openMessageModal,
  pingAuthor,
  reproxy,
  say,
  showMessage,
} from '../handlers/message'
import { changeTags } from '../handlers/proxyTags'
import { runServerConfig } from '../handlers/serverConfig'
import {
  deleteHistory,
  deleteLatest,
  editSwitch,
  logSwitch,
  moveLatest,
  switchOut,
} from '../handlers/switch'
import {
  listSystemGroups,
  listSystemMembers,
  newSystem,
  removeSystem,
  showSystem,
} from '../handlers/system'
import { runExport, runImport } from '../handlers/transfer'
import { Refusal } from '../refusal'
import { answerFor, type Result } from '../runCommand'
import { groups, members, systems } from '../subjects'
import { type MessageMenu, messageMenus, USER_MENU } from './definitions'
import { editForm } from './modals'

/** Options of an interaction: texts, flags, and IDs of accounts and channels. Files are attachments. */
export type SlashValues = Readonly<Record<string, string | boolean | undefined>>

type SlashHandler = (context: Context, options: SlashValues) => Promise<Answer>

/** Calls a handler of the text commands with options under its own parameter names. */
function call(
  run: Handler,
  toArguments: (options: SlashValues) => Partial<Arguments> = () => ({}),
): SlashHandler {
  return (context, options) =>
    run(context, {
      values: {},
      lists: {},
      flags: new Set(options.public === true ? ['public'] : []),
      ...toArguments(options),
    })
}

/** Arguments whose values have the same names as the options. */
function values(...names: readonly (keyof Arguments['values'])[]) {
  return (options: SlashValues): Partial<Arguments> => ({
    values: Object.fromEntries(
      names.flatMap((name) =>
        text(options[name]) === undefined ? [] : [[name, text(options[name])]],
      ),
    ),
  })
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function words(value: string | boolean | undefined): string[] {
  return splitWords(text(value) ?? '').map((word) => word.text.replace(/,$/, ''))
}

const system = (options: SlashValues): Partial<Arguments> => {
  const named = text(options.account) ?? text(options.id)
  return { values: named === undefined ? {} : { system: named } }
}

/** Texts of a new member or group; options have the keys of fields. */
function draft(options: SlashValues, ...keys: readonly string[]): DraftTexts {
  return {
    ...Object.fromEntries(keys.map((key) => [key, text(options[key])])),
    name: text(options.name) ?? '',
  }
}

function asValue(value: string | boolean | undefined): Arguments['values'] | null {
  const given = text(value)
  return given === undefined ? null : { value: given }
}

/** Runs several handlers on one entity and joins their answers. A refusal names what was not done. */
async function inOrder(
  context: Context,
  target: Arguments['values'],
  changes: readonly (readonly [Handler, Arguments['values'] | null])[],
): Promise<Answer> {
  const lines: string[] = []
  const buttons: Button[] = []
  for (const [run, given] of changes) {
    if (given === null) continue
    const flags = new Set<string>()
    const { answer } = await run(context, {
      values: { ...target, ...given },
      lists: {},
      flags,
    }).then(
      (done) => ({ answer: done }),
      (cause: unknown) => {
        if (!(cause instanceof Refusal)) throw cause
        return {
          answer: { content: context.texts.refusal(cause.message), isRefusal: true } as Answer,
        }
      },
    )
    if (answer.content) lines.push(answer.content)
    buttons.push(...(answer.buttons ?? []))
  }
  if (lines.length === 0) throw new Refusal(context.texts.nothingGiven)
  return { content: lines.join('\n'), buttons }
}

const setAvatar: SlashHandler = (context, options) => {
  const where = text(options.where)
  const run =
    where === 'server'
      ? changeGuildField(members, 'avatar_url')
      : changeField(members, where === 'proxy' ? 'webhook_avatar_url' : 'avatar_url')
  return call(run, () => ({
    values: { member: text(options.member) ?? '', ...asValue(options.url) },
  }))(context, options)
}

const setTags: SlashHandler = (context, options) => {
  const action = text(options.action)
  const run = changeTags(
    action === 'add' || action === 'remove' || action === 'clear' ? action : 'set',
  )
  return call(run, values('member', 'tags'))(context, options)
}

const setServer: SlashHandler = (context, options) => {
  const name = text(options.name)
  const isClear = name === '-'
  return inOrder(context, { member: text(options.member) ?? '' }, [
    [
      changeGuildField(members, 'display_name'),
      name === undefined ? null : { value: isClear ? 'clear' : name },
    ],
    [changeGuildField(members, 'keep_proxy'), switched(options.keep_tags)],
  ])
}

const setOptions: SlashHandler = (context, options) =>
  inOrder(context, { member: text(options.member) ?? '' }, [
    [changeField(members, 'autoproxy_enabled'), switched(options.autoproxy)],
    [changeField(members, 'keep_proxy'), switched(options.keep_tags)],
    [changeField(members, 'tts'), switched(options.tts)],
  ])

function switched(value: string | boolean | undefined): Arguments['values'] | null {
  if (typeof value === 'boolean') return { switched: value ? 'on' : 'off' }
  return value === undefined ? null : { switched: value }
}

const list: SlashHandler = (context, options) =>
  call(listSystemMembers, () => ({
    values: {
      ...system(options).values,
      ...(text(options.search) !== undefined && { term: text(options.search) ?? '' }),
    },
    flags: new Set([
      ...(text(options.sort) === undefined ? [] : [`by-${text(options.sort)}`]),
      ...(options.public === true ? ['public'] : []),
    ]),
  }))(context, options)

const setting =
  (prefix: string): ((options: SlashValues) => Partial<Arguments>) =>
  (options) => ({
    lists: {
      setting: [
        ...prefix.split(' '),
        ...words(options.setting),
        ...(text(options.value) ?? '').split(/\s+/),
      ].filter((word) => word !== ''),
    },
  })

/** Changes a list of channels: a channel that is on is not in the list. */
const channelList =
  (name: string) =>
  (options: SlashValues): Partial<Arguments> => ({
    lists: {
      setting: [
        ...name.split(' '),
        text(options.state) === 'off' ? 'add' : 'remove',
        text(options.channel) ?? '',
      ],
    },
  })

/** Slash commands and their handlers, which are those of the text commands. */
export const slashCalls: Readonly<Record<string, SlashHandler>> = {
  'system info': call(showSystem, system),
  'system new': call(newSystem, (options) => ({
    values: {
      ...values('name')(options).values,
      ...(text(options.invite) !== undefined && { code: text(options.invite) ?? '' }),
    },
  })),
  'system edit': call(editForm(systems)),
  'system privacy': call(changePrivacy(systems), values('subject', 'level')),
  'system link': call(link, values('account')),
  'system unlink': call(unlink, values('account')),
  'system delete': call(removeSystem),
  'member info': call(showMember, values('member')),
  'member new': (context, options) =>
    createMemberFrom(
      context,
      draft(options, 'tags', 'display_name', 'pronouns', 'color'),
      new Set(),
    ),
  'member edit': call(editForm(members), values('member')),
  'member avatar': setAvatar,
  'member tags': setTags,
  'member server': setServer,
  'member options': setOptions,
  'member privacy': call(changePrivacy(members), values('member', 'subject', 'level')),
  'member delete': call(removeSubject(members), values('member')),
  'member list': list,
  'member random': call(showRandom, values('group')),
  'group info': call(showGroup, values('group')),
  'group new': (context, options) =>
    createGroupFrom(context, draft(options, 'display_name'), new Set()),
  'group edit': call(editForm(groups), values('group')),
  'group add': call(changeMembersOfGroup('add'), withMembers),
  'group remove': call(changeMembersOfGroup('remove'), withMembers),
  'group members': call(listGroupMembers, values('group')),
  'group privacy': call(changePrivacy(groups), values('group', 'subject', 'level')),
  'group delete': call(removeSubject(groups), values('group')),
  'group list': call(listSystemGroups),
  'switch to': call(logSwitch, withMembers),
  'switch out': call(switchOut),
  'switch edit': call(editSwitch, withMembers),
  'switch move': call(moveLatest, values('when')),
  'switch delete': (context, options) =>
    call(options.all === true ? deleteHistory : deleteLatest)(context, options),
  'front now': call(showFront, system),
  'front history': call(showHistory),
  'front percent': call(showPercent, values('period')),
  autoproxy: call(runAutoproxy, (options) => {
    const isMember = text(options.mode) === 'member'
    return { values: { name: text(isMember ? options.member : options.mode) ?? 'member' } }
  }),
  say: call(say, (options) => ({
    values: {
      ...values('member', 'text')(options).values,
      ...(text(options.reply_to) !== undefined && { message: text(options.reply_to) ?? '' }),
    },
  })),
  edit: call(editMessage, values('message', 'text')),
  reproxy: call(reproxy, values('message', 'member')),
  message: call(showMessage, values('message')),
  why: call(explainMessage, values('message')),
  'config show': call(runConfig),
  'config set': call(runConfig, setting('')),
  'server show': call(runServerConfig),
  'server set': call(runServerConfig, setting('')),
  'server proxying': call(runServerConfig, channelList('proxy blacklist')),
  'server logging': call(runServerConfig, channelList('log blacklist')),
  import: call(runImport),
  export: call(runExport),
  token: call(showToken, (options) => ({
    flags: new Set(options.refresh === true ? ['refresh'] : []),
  })),
  dashboard: call(showDashboard),
  link: (context, options) => {
    if (text(options.code) === undefined) throw new Refusal(context.texts.linkNeedsCode)
    return call(link, () => ({ values: { account: text(options.code) ?? '' } }))(context, options)
  },
  help: call(showHelp, values('topic')),
  permissions: call(checkPermissions, (options) => ({
    values: text(options.channel) === undefined ? {} : { guild: text(options.channel) ?? '' },
  })),
  invite: call(showInvite),
}

function withMembers(options: SlashValues): Partial<Arguments> {
  return { ...values('group')(options), lists: { members: words(options.members) } }
}

const menuCalls: Readonly<Record<MessageMenu, SlashHandler>> = {
  'Message info': call(showMessage),
  'Delete message': call(deleteMessage),
  'Ping author': call(pingAuthor),
  'Edit message': (context) => openMessageModal(context, 'edit'),
  'Reproxy message': (context) => openMessageModal(context, 'reproxy'),
  'Why not proxied?': call(explainMessage),
}

const formCommands: readonly string[] = [
  'system edit',
  'member edit',
  'member delete',
  'group edit',
  'group delete',
  'Edit message',
  'Reproxy message',
]

/** Returns whether a command answers with a form, which can only be the first response. */
export function opensForm(name: string): boolean {
  return formCommands.includes(name)
}

/** Runs a slash command, named with its subcommand (`member info`). */
export function runSlash(context: Context, name: string, options: SlashValues): Promise<Result> {
  return runInteraction(context, `/${name}`, async () => {
    const handler = Object.hasOwn(slashCalls, name) ? slashCalls[name] : undefined
    if (!handler) throw new Refusal(context.texts.unknownCommand([], '/help'))
    return handler(context, options)
  })
}

/** Runs a command of a menu: on the message that the context targets, or on an account. */
export function runMenu(context: Context, name: string, account?: string): Promise<Result> {
  return runInteraction(context, name, async () => {
    const menu = messageMenus.find((one) => one === name)
    if (menu) return menuCalls[menu](context, {})
    if (name !== USER_MENU || account === undefined)
      throw new Refusal(context.texts.unknownCommand([], '/help'))
    return call(showSystem, () => ({ values: { system: account } }))(context, {})
  })
}

/** Every answer is ephemeral, unless it is asked for in public or another account must see it. */
async function runInteraction(
  context: Context,
  command: string,
  run: () => Promise<Answer>,
): Promise<Result> {
  const answer = await answerFor(context, command, run)
  return { answer: { ...answer, isPrivate: answer.isPublic !== true }, command }
}
