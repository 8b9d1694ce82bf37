import { escapeMarkdown } from '../../messages/escape'
import { ChannelType } from '../../permissions/channelType'
import { hasPermissions, missingPermissions } from '../../permissions/permission'
import type { Answer } from '../answer'
import { buildEmbed } from '../cards/embed'
import type { Context } from '../context'
import { type ChannelAccess, PROXY_PERMISSIONS } from '../discordInterface'
import type { Arguments } from '../grammar/matchCommand'
import { Refusal } from '../refusal'

/** Lists what the bot lacks, by channel. Channels that the asker cannot see are only counted. */
export async function checkPermissions(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, discord, account } = context
  const named = values.guild === undefined ? null : /^(?:<#)?(\d{15,20})>?$/.exec(values.guild)?.[1]
  if (named === undefined) throw new Refusal(texts.channelsNotFound)
  const ofGuild = named === null ? null : await discord.listChannels(named, account)
  const guildId = ofGuild ? named : context.guild?.id
  if (guildId === undefined || guildId === null) throw new Refusal(texts.guildOnly)
  const all = ofGuild ?? (await discord.listChannels(guildId, account)) ?? []
  // An account that sees no channel is not in the guild and learns nothing about it.
  if (!all.some(isSeen)) throw new Refusal(texts.channelsNotFound)
  const wanted = ofGuild || named === null ? all : all.filter(({ id }) => id === named)
  const channels = wanted.filter(({ type }) => type !== ChannelType.Category)
  if (channels.length === 0 || (!ofGuild && named !== null && !channels.some(isSeen)))
    throw new Refusal(texts.channelsNotFound)
  const lacking = channels.flatMap((channel) => {
    const missing = missingPermissions(channel.bot, PROXY_PERMISSIONS)
    return missing.length > 0 ? [{ channel, missing }] : []
  })
  const seen = lacking.filter(({ channel }) => isSeen(channel))
  if (lacking.length === 0) return { content: texts.permissionsFine(channels.length) }
  const lines = seen.map(
    ({ channel, missing }) =>
      `<#${channel.id}> (${escapeMarkdown(channel.name)}): ${texts.permissionNames(missing)}`,
  )
  const hidden = lacking.length - seen.length
  if (hidden > 0) lines.push(texts.hiddenChannels(hidden))
  return { embeds: [buildEmbed({ title: texts.permissionsTitle, description: lines.join('\n') })] }
}

/** Lists what the bot lacks in a channel: this one, if none is named. */
export function checkChannel(context: Context, { values, ...args }: Arguments): Promise<Answer> {
  const guild = values.guild ?? context.channel
  return checkPermissions(context, { ...args, values: { ...values, guild } })
}

function isSeen({ asker }: ChannelAccess): boolean {
  return hasPermissions(asker, 'ViewChannel')
}
