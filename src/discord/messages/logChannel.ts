import { discordBot } from '../../model/core/privacy'
import { getGuild, patchGuild } from '../../service/proxy/guilds'
import type { BotCore } from '../bot/core'
import { hasPermissions } from '../permissions/permission'
import { hasCode } from '../rest/errors'
import { NO_MENTIONS } from './allowedMentions'
import { findChannelContext, ownPermissions } from './channelContext'
import { formatMessageLink } from './messageLink'

/** A proxied message, or an edit of one. */
export interface LogEntry {
  readonly guildId: string
  readonly channelId: string
  readonly messageId: string
  readonly original: string | null
  readonly name: string
  readonly avatarUrl: string | null
  readonly content: string
  /** Content before an edit. */
  readonly contentBefore?: string | undefined
  readonly sender: string
  readonly member: string | null
  readonly system: string | null
}

/** Log of proxied messages in the channel that the guild has chosen. */
export interface LogChannel {
  /** Adds an entry. Never fails, and does not delay the caller. */
  add(entry: LogEntry): void
}

const MAX_WAITING = 100
const MAX_BEFORE = 1000
const MAX_DESCRIPTION = 4000

export function createLogChannel(core: BotCore): LogChannel {
  const { deps, rest, guilds, background, metrics, log } = core
  let waiting = 0

  const send = async (entry: LogEntry): Promise<'sent' | 'failed' | null> => {
    const { guildId } = entry
    const { log_channel, log_disabled_channels } = await getGuild(deps, discordBot, guildId)
    if (log_channel === null) return null
    const source = await findChannelContext(core, guildId, entry.channelId)
    const ids = [source?.channel.id, source?.parent.id, source?.parent.parentId]
    if (ids.some((id) => id && log_disabled_channels.includes(id))) return null
    const target = await findChannelContext(core, guildId, log_channel)
    const permissions = target ? ownPermissions(core, target) : 0n
    const params = { channel_id: log_channel }
    try {
      // Asks whether the channel exists. It may also belong to another guild, which must not see this.
      if (!target) await rest.request('GET', '/channels/{channel_id}', { params })
      if (!hasPermissions(permissions, 'ViewChannel', 'SendMessages', 'EmbedLinks')) return 'failed'
      await rest.request('POST', '/channels/{channel_id}/messages', {
        params,
        body: {
          content: formatMessageLink(guildId, entry.channelId, entry.messageId),
          embeds: [buildEmbed(entry, source?.channel.name ?? entry.channelId)],
          allowed_mentions: NO_MENTIONS,
        },
      })
      return 'sent'
    } catch (cause) {
      if (hasCode(cause, 50001, 50013)) await guilds.reload(guildId)
      if (!hasCode(cause, 10003)) throw cause
      await patchGuild(deps, discordBot, guildId, { log_channel: null })
      log.info('Discord log channel removed from settings', { guild: guildId })
      return 'failed'
    }
  }

  return {
    add(entry) {
      if (waiting >= MAX_WAITING) return metrics?.countLogEntry('dropped')
      waiting++
      background.run('log channel', async () => {
        try {
          const result = await send(entry)
          if (result) metrics?.countLogEntry(result)
        } catch (cause) {
          metrics?.countLogEntry('failed')
          throw cause
        } finally {
          waiting--
        }
      })
    },
  }
}

function buildEmbed(entry: LogEntry, channelName: string) {
  const { name, avatarUrl, content, contentBefore, original } = entry
  const ids = [
    ['System', entry.system],
    ['Member', entry.member],
    ['Sender', entry.sender],
    ['Message', entry.messageId],
    ['Original', original],
  ].flatMap(([label, id]) => (id ? [`${label}: ${id}`] : []))
  return {
    author: { name: `#${channelName}: ${name}`.slice(0, 256), ...pictureOf(avatarUrl) },
    description: content.slice(0, MAX_DESCRIPTION),
    ...(contentBefore && {
      fields: [{ name: 'Old message', value: contentBefore.slice(0, MAX_BEFORE) }],
    }),
    ...(avatarUrl && { thumbnail: { url: avatarUrl } }),
    footer: { text: ids.join(' | ') },
  }
}

function pictureOf(url: string | null) {
  return url === null ? {} : { icon_url: url }
}
