import type { APIMessage } from 'discord-api-types/v10'
import { discordBot } from '../../model/core/privacy'
import { getVisibleSettings } from '../../service/systems/settings'
import { actFor } from '../../service/systems/systems'
import type { BotCore } from '../bot/core'
import { hasPermissions } from '../permissions/permission'
import { hasCode } from '../rest/errors'
import { NO_MENTIONS } from './allowedMentions'

/** A problem that the author of a message is notified of. */
export interface Notice {
  readonly channelId: string
  readonly messageId: string
  readonly authorId: string
  /** Name of the problem; the notice of the same one is not repeated for a while. */
  readonly reason: string
  readonly text: string
  /** Permissions of the bot in the channel. */
  readonly permissions: bigint
}

export interface Notices {
  /** Replies to the author without a ping. Failures are ignored. */
  notify(notice: Notice): void
  /** Notifies only if the system of the author wants to know about problems. */
  notifyIfWanted(system: string | null, notice: Notice): void
  /** Adds a reaction instead of a message, under the same condition. */
  markIfWanted(system: string | null, place: Place): void
}

/** A message, and the permissions of the bot in its channel. */
type Place = Pick<Notice, 'channelId' | 'messageId' | 'permissions'>

/** Adds a reaction, if the bot may. */
export async function addReaction(
  { rest }: Pick<BotCore, 'rest'>,
  { channelId: channel_id, messageId: message_id, permissions }: Place,
  emoji: string,
): Promise<void> {
  if (!hasPermissions(permissions, 'AddReactions', 'ReadMessageHistory')) return
  await rest.request('PUT', '/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me', {
    params: { channel_id, message_id, emoji },
  })
}

const MAX_REMEMBERED = 5000

export function createNotices(core: BotCore): Notices {
  const { deps, rest, background, stopSignal, timing } = core
  const notifiedAt = new Map<string, number>()

  const isRepeated = ({ authorId, channelId, reason }: Notice) => {
    const key = `${authorId} ${channelId} ${reason}`
    const before = notifiedAt.get(key)
    const now = deps.clock.monotonic()
    if (before !== undefined && now < before + timing.noticeRepeatMs) return true
    notifiedAt.delete(key)
    notifiedAt.set(key, now)
    const [oldest] = notifiedAt.keys()
    if (notifiedAt.size > MAX_REMEMBERED && oldest !== undefined) notifiedAt.delete(oldest)
    return false
  }

  const send = async ({
    channelId: channel_id,
    messageId: message_id,
    text,
    permissions,
  }: Notice) => {
    const maySend = hasPermissions(permissions, 'ViewChannel', 'SendMessages')
    if (!maySend) return
    const mayReply = hasPermissions(permissions, 'ReadMessageHistory')
    const reference = { message_id, fail_if_not_exists: false }
    const message = await rest.request<APIMessage>('POST', '/channels/{channel_id}/messages', {
      params: { channel_id },
      body: {
        content: text,
        allowed_mentions: { ...NO_MENTIONS, replied_user: false },
        ...(mayReply && { message_reference: reference }),
      },
    })
    background.run('deletion of a notice', async () => {
      await stopSignal.sleep(timing.noticeMs)
      await rest
        .request('DELETE', '/channels/{channel_id}/messages/{message_id}', {
          params: { channel_id, message_id: message.id },
        })
        .catch((cause) => {
          if (!hasCode(cause, 10003, 10008)) throw cause
        })
    })
  }

  const wantsNotices = async (system: string | null) => {
    if (system === null) return true
    const { viewer } = await actFor(deps, discordBot, system)
    const { proxy_error_message_enabled } = await getVisibleSettings(deps, viewer, system)
    return proxy_error_message_enabled !== false
  }

  return {
    notify(notice) {
      if (!isRepeated(notice)) background.run('notice', () => send(notice))
    },
    notifyIfWanted(system, notice) {
      background.run('notice', async () => {
        if ((await wantsNotices(system)) && !isRepeated(notice)) await send(notice)
      })
    },
    markIfWanted(system, place) {
      background.run('reaction', async () => {
        if (await wantsNotices(system)) await addReaction(core, place, '⚠️')
      })
    },
  }
}
