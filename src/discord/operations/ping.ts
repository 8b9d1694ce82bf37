import type { APIMessage } from 'discord-api-types/v10'
import type { BotCore } from '../bot/core'
import { escapeMarkdown } from '../messages/escape'
import { formatMessageLink, type MessageRef } from '../messages/messageLink'
import { operationTexts } from '../text/operationTexts'
import { explain, type Failure } from './explainError'

/** Pings the senders of proxied messages, not too often. */
export interface Pings {
  /** Mentions the sender in the channel. The caller has checked that the pinger may write there. */
  ping(message: MessageRef, sender: string, pinger: string): Promise<Failure>
}

const MAX_REMEMBERED = 5000

export function createPings({ deps, rest, timing }: BotCore): Pings {
  const pingedAt = new Map<string, number>()

  const isRepeated = (key: string) => {
    const before = pingedAt.get(key)
    const now = deps.clock.monotonic()
    if (before !== undefined && now < before + timing.pingRepeatMs) return true
    pingedAt.delete(key)
    pingedAt.set(key, now)
    const [oldest] = pingedAt.keys()
    if (pingedAt.size > MAX_REMEMBERED && oldest !== undefined) pingedAt.delete(oldest)
    return false
  }
  return {
    async ping({ guildId, channelId, messageId }, sender, pinger) {
      if (isRepeated(`${pinger} ${messageId}`)) return operationTexts.tooSoon
      const link = formatMessageLink(guildId, channelId, messageId)
      try {
        const { author } = await rest.request<APIMessage>(
          'GET',
          '/channels/{channel_id}/messages/{message_id}',
          { params: { channel_id: channelId, message_id: messageId } },
        )
        const name = escapeMarkdown(author.username)
        await rest.request('POST', '/channels/{channel_id}/messages', {
          params: { channel_id: channelId },
          body: {
            content: operationTexts.pinged(name, sender, pinger, link),
            allowed_mentions: { parse: [], users: [sender] },
          },
        })
        return null
      } catch (cause) {
        return explain(cause)
      }
    },
  }
}
