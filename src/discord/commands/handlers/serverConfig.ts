import { discordBot } from '../../../model/core/privacy'
import type { Guild, GuildPatch } from '../../../model/proxy/guild'
import { getGuild, patchGuild } from '../../../service/proxy/guilds'
import { escapeMarkdown } from '../../messages/escape'
import { ChannelType } from '../../permissions/channelType'
import {
  hasPermissions,
  missingPermissions,
  type PermissionName,
} from '../../permissions/permission'
import type { Answer } from '../answer'
import { buildEmbed } from '../cards/embed'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { ChannelAccess } from '../discordInterface'
import type { Arguments } from '../grammar/matchCommand'
import { Refusal } from '../refusal'
import { parseSwitched, requireGuild } from './common'
import { explainSetting, findSetting, unknownSetting } from './config'

/** A setting of a guild, as `serverconfig` names it. */
interface ServerSetting {
  readonly names: readonly string[]
  readonly show: (context: Context, guild: Guild) => string
  readonly change: (context: Context, guild: Guild, value: string) => Promise<GuildPatch>
}

function flag(
  names: readonly string[],
  key: 'require_system_tag' | 'silent' | 'command_errors' | 'say_enabled',
): ServerSetting {
  return {
    names,
    show: ({ texts }, guild) => (guild[key] ? texts.on : texts.off),
    change: async (context, _, value) => ({ [key]: parseSwitched(context, value) }),
  }
}

/** A list of channels, changed by `add` and `remove`. */
function channels(
  names: readonly string[],
  key: 'disabled_channels' | 'log_disabled_channels',
): ServerSetting {
  return {
    names,
    show: ({ texts }, guild) => guild[key].map((id) => `<#${id}>`).join(' ') || texts.none,
    change: async (context, guild, value) => {
      const [action = '', ...refs] = value.split(/\s+/)
      const isAdd = ['add', 'deny', 'on', 'enable'].includes(action.toLowerCase())
      const isRemove = ['remove', 'delete', 'allow', 'off', 'disable'].includes(
        action.toLowerCase(),
      )
      if ((!isAdd && !isRemove) || refs.length === 0) {
        const setting = `${names[0]} add #general`
        throw new Refusal(context.texts.addOrRemove(context.name('serverconfig', { setting })))
      }
      const named = await findChannels(context, refs, isRemove ? guild[key] : [])
      const rest = guild[key].filter((id) => !named.includes(id))
      if (named.every((id) => guild[key].includes(id) === isAdd))
        throw new Refusal(context.texts.channelsUnchanged(isAdd))
      return { [key]: isAdd ? [...rest, ...named] : rest }
    },
  }
}

const LOG_PERMISSIONS: readonly PermissionName[] = ['ViewChannel', 'SendMessages', 'EmbedLinks']

/** All settings of `serverconfig`, in the order in which they are listed. */
export const serverSettingTable: readonly ServerSetting[] = [
  {
    names: ['log channel', 'logchannel', 'log'],
    show: ({ texts }, { log_channel }) => (log_channel === null ? texts.none : `<#${log_channel}>`),
    change: async (context, _, value) => {
      if (['clear', 'reset', 'default', 'off', 'none'].includes(value.toLowerCase()))
        return { log_channel: null }
      const { texts } = context
      const all = await listChannels(context)
      const channel = all.find(({ id }) => id === parseChannel(value))
      const isText =
        channel &&
        [ChannelType.Text, ChannelType.Announcement].some((type) => type === channel.type)
      const refusal = new Refusal(texts.channelNotFound(escapeMarkdown(value)))
      if (!channel || !isText) throw refusal
      // The asker must see the channel: its log shows messages of all other channels.
      if (!hasPermissions(channel.asker, 'ViewChannel', 'SendMessages')) throw refusal
      const missing = missingPermissions(channel.bot, LOG_PERMISSIONS)
      if (missing.length > 0) throw new Refusal(texts.botLacks(missing))
      return { log_channel: channel.id }
    },
  },
  channels(['log blacklist', 'logblacklist'], 'log_disabled_channels'),
  channels(['proxy blacklist', 'proxyblacklist', 'blacklist'], 'disabled_channels'),
  flag(
    ['require tag', 'require system tag', 'enforce tag', 'enforce system tag'],
    'require_system_tag',
  ),
  flag(['suppress notifications', 'silent', 'proxy silent'], 'silent'),
  flag(
    [
      'invalid command error',
      'invalid command errors',
      'command errors',
      'unknown command error',
      'unknown command response',
      'invalid command response',
      'ice',
    ],
    'command_errors',
  ),
  flag(['say'], 'say_enabled'),
]

/** Lists the settings of the guild, or shows or changes one. */
export async function runServerConfig(
  context: Context,
  { lists, flags }: Arguments,
): Promise<Answer> {
  const { texts, deps } = context
  const guildId = requireGuild(context)
  requireManageGuild(context)
  const guild = await getGuild(deps, discordBot, guildId)
  const words = lists.setting ?? []
  if (words.length === 0) {
    const fields = serverSettingTable.map(({ names, show }) => ({
      name: names[0] ?? '',
      value: show(context, guild),
    }))
    return { embeds: [buildEmbed({ title: texts.serverConfigTitle, fields })] }
  }
  if (/^log ?clean/i.test(words.join(' '))) throw new Refusal(texts.noLogCleanup)
  const match = findSetting(serverSettingTable, words)
  if (!match) throw unknownSetting(context, 'serverconfig', serverSettingTable, words)
  const { setting } = match
  const rest = match.rest === '' && flags.has('clear') ? 'clear' : match.rest
  const name = setting.names[0] ?? ''
  if (rest === '')
    return { content: explainSetting(context, 'serverconfig', name, setting.show(context, guild)) }
  const patch = await setting.change(context, guild, rest)
  const after = await patchGuild(deps, discordBot, guildId, patch)
  return { content: texts.settingSet(name, setting.show(context, after)) }
}

/** Answers an old command with the new one. */
export function nameServerCommand(setting: string): Handler {
  return async ({ texts, name }) => ({
    content: texts.refusal(texts.commandMoved(name('serverconfig', { setting }))),
    isRefusal: true,
  })
}

/** Explains that messages of logger bots are not deleted. */
export const explainLogCleanup: Handler = async ({ texts }) => ({
  content: texts.refusal(texts.noLogCleanup),
  isRefusal: true,
})

export function requireManageGuild({ guild, texts }: Context): void {
  if (!guild || !hasPermissions(guild.permissions, 'ManageGuild'))
    throw new Refusal(texts.needsManageServer)
}

async function listChannels(context: Context): Promise<readonly ChannelAccess[]> {
  const { discord, account } = context
  return (await discord.listChannels(requireGuild(context), account)) ?? []
}

/** Finds channels by mention or ID; a category means its channels, `all` every channel. */
async function findChannels(
  context: Context,
  refs: readonly string[],
  knownIds: readonly string[],
): Promise<string[]> {
  const all = await listChannels(context)
  const ids = new Set<string>()
  for (const ref of refs) {
    if (ref.toLowerCase() === 'all') {
      for (const { id, type } of all) if (type !== ChannelType.Category) ids.add(id)
      for (const id of knownIds) ids.add(id)
      continue
    }
    const id = parseChannel(ref)
    const channel = all.find((channel) => channel.id === id)
    if (channel?.type === ChannelType.Category)
      for (const child of all) {
        if (child.parentId === channel.id) ids.add(child.id)
      }
    else if (id !== null && (channel || knownIds.includes(id))) ids.add(id)
    else throw new Refusal(context.texts.channelNotFound(escapeMarkdown(ref)))
  }
  return [...ids]
}

function parseChannel(text: string): string | null {
  return /^(?:<#)?(\d{15,20})>?$/.exec(text)?.[1] ?? null
}
