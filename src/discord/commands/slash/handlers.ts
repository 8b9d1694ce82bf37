import type { Answer, Button } from '../answer'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { link } from '../handlers/accounts'
import { runAutoproxy } from '../handlers/autoproxy'
import { runConfig } from '../handlers/config'
import { changeField, changeGuildField } from '../handlers/fields'
import { createGroupFrom } from '../handlers/group'
import { createMemberFrom, type DraftTexts } from '../handlers/member'
import { say } from '../handlers/message'
import { changeTags } from '../handlers/proxyTags'
import { runServerConfig } from '../handlers/serverConfig'
import { Refusal } from '../refusal'
import { members } from '../subjects'
import { type SlashValues, textOf, wordsOf } from './option'

// Slash commands that combine text commands, or name their arguments in another way.

export type SlashHandler = (context: Context, options: SlashValues) => Promise<Answer>

const noFlags: ReadonlySet<string> = new Set()

function withValues(values: Arguments['values']): Arguments {
  return { values, lists: {}, flags: noFlags }
}

/** Texts of a new member or group; options have the keys of fields. */
function draft(options: SlashValues, ...keys: readonly string[]): DraftTexts {
  return {
    ...Object.fromEntries(keys.map((key) => [key, textOf(options[key])])),
    name: textOf(options.name) ?? '',
  }
}

export const createMember: SlashHandler = (context, options) =>
  createMemberFrom(context, draft(options, 'tags', 'display_name', 'pronouns', 'color'), new Set())

export const createGroup: SlashHandler = (context, options) =>
  createGroupFrom(context, draft(options, 'display_name'), new Set())

/** Runs several handlers on one member and joins their answers. A refusal names what was not done. */
async function inOrder(
  context: Context,
  { member }: SlashValues,
  changes: readonly (readonly [Handler, Arguments['values'] | null])[],
): Promise<Answer> {
  const lines: string[] = []
  const buttons: Button[] = []
  for (const [run, values] of changes) {
    if (values === null) continue
    const args = withValues({ member: textOf(member) ?? '', ...values })
    const answer = await run(context, args).catch((cause: unknown): Answer => {
      if (!(cause instanceof Refusal)) throw cause
      return { content: context.texts.refusal(cause.message), isRefusal: true }
    })
    if (answer.content) lines.push(answer.content)
    buttons.push(...(answer.buttons ?? []))
  }
  if (lines.length === 0) throw new Refusal(context.texts.nothingGiven)
  return { content: lines.join('\n'), buttons }
}

export const setAvatar: SlashHandler = (context, { member, url, where }) => {
  const run =
    where === 'server'
      ? changeGuildField(members, 'avatar_url')
      : changeField(members, where === 'proxy' ? 'webhook_avatar_url' : 'avatar_url')
  const value = textOf(url)
  const values = { member: textOf(member) ?? '', ...(value !== undefined && { value }) }
  return run(context, withValues(values))
}

export const setTags: SlashHandler = (context, { member, action, tags }) => {
  const run = changeTags(
    action === 'add' || action === 'remove' || action === 'clear' ? action : 'set',
  )
  return run(context, withValues({ member: textOf(member) ?? '', tags: textOf(tags) ?? '' }))
}

export const setServer: SlashHandler = (context, options) => {
  const name = textOf(options.name)
  return inOrder(context, options, [
    [
      changeGuildField(members, 'display_name'),
      name === undefined ? null : { value: name === '-' ? 'clear' : name },
    ],
    [changeGuildField(members, 'keep_proxy'), switched(options.keep_tags)],
  ])
}

export const setOptions: SlashHandler = (context, options) =>
  inOrder(context, options, [
    [changeField(members, 'autoproxy_enabled'), switched(options.autoproxy)],
    [changeField(members, 'keep_proxy'), switched(options.keep_tags)],
    [changeField(members, 'tts'), switched(options.tts)],
  ])

function switched(value: string | boolean | undefined): Arguments['values'] | null {
  if (typeof value === 'boolean') return { switched: value ? 'on' : 'off' }
  return value === undefined ? null : { switched: value }
}

export const setAutoproxy: SlashHandler = (context, { mode, member }) =>
  runAutoproxy(context, withValues({ name: textOf(mode === 'member' ? member : mode) ?? 'member' }))

function settingArguments(...words: readonly string[]): Arguments {
  return { values: {}, lists: { setting: words.filter((word) => word !== '') }, flags: noFlags }
}

/** Changes a setting of `config` or `serverconfig`. */
export function setSetting(run: typeof runConfig | typeof runServerConfig): SlashHandler {
  return (context, { setting, value }) =>
    run(context, settingArguments(...wordsOf(setting), ...(textOf(value) ?? '').split(/\s+/)))
}

export const showSettings: SlashHandler = (context) => runConfig(context, settingArguments())

export const showServerSettings: SlashHandler = (context) =>
  runServerConfig(context, settingArguments())

/** Changes a list of channels: a channel that is on is not in the list. */
export function setChannel(list: 'proxy' | 'log'): SlashHandler {
  return (context, { channel, state }) => {
    const action = state === 'off' ? 'add' : 'remove'
    return runServerConfig(
      context,
      settingArguments(list, 'blacklist', action, textOf(channel) ?? ''),
    )
  }
}

export const linkByCode: SlashHandler = (context, { code }) => {
  const account = textOf(code)
  if (account === undefined) throw new Refusal(context.texts.linkNeedsCode(context.name))
  return link(context, withValues({ account }))
}

export const sayAsMember: SlashHandler = (context, { member, text, reply_to }) => {
  const message = textOf(reply_to)
  const values = { member: textOf(member) ?? '', text: textOf(text) ?? '' }
  return say(context, withValues({ ...values, ...(message !== undefined && { message }) }))
}
