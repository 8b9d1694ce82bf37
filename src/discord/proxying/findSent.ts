import { createHash } from 'node:crypto'
import type { APIMessage } from 'discord-api-types/v10'
import { DomainError } from '../../model/core/errors'
import { discordBot } from '../../model/core/privacy'
import { getMessageForAccount } from '../../service/proxy/messages'
import type { Bot } from '../bot/bot'

/**
 * Digest of a name and a content, by which a sent message is found again. Discord removes spaces
 * around both. The number of parts tells recovery how many messages belong together.
 */
export function digestOf(name: string, content: string, parts = 1): string {
  const texts = [name.trim(), content.trim(), ...(parts > 1 ? [String(parts)] : [])]
  return createHash('sha256').update(texts.join('\0')).digest('hex')
}

interface Search {
  readonly channelId: string
  /** Only messages after this one. */
  readonly after: string
  readonly digests: readonly string[]
  readonly except?: readonly string[]
}

const LIMIT = 100

/** Lists the messages that the bot's webhook sent after a message, oldest first. */
export async function listSent(
  { rest, identity }: Bot,
  channelId: string,
  after: string,
): Promise<APIMessage[]> {
  const messages = await rest.request<APIMessage[]>('GET', '/channels/{channel_id}/messages', {
    params: { channel_id: channelId },
    query: { after, limit: LIMIT },
    isProxying: true,
  })
  return messages
    .filter(
      (message) =>
        message.webhook_id !== undefined && message.application_id === identity.applicationId,
    )
    .toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
}

/** Finds a message of the bot's webhook that no record has yet; null if it was not sent. */
export async function findSent(
  bot: Bot,
  { channelId, after, digests, except = [] }: Search,
): Promise<APIMessage | null> {
  for (const message of await listSent(bot, channelId, after)) {
    const isSame = digests.includes(digestOf(message.author.username, message.content))
    if (isSame && !except.includes(message.id) && !(await isRecorded(bot, message.id)))
      return message
  }
  return null
}

/** Returns whether a message has a record, so that it belongs to another original. */
export async function isRecorded({ deps }: Pick<Bot, 'deps'>, id: string): Promise<boolean> {
  try {
    const { message } = await getMessageForAccount(deps, discordBot, id, null)
    return message.id === id
  } catch (cause) {
    if (cause instanceof DomainError && cause.kind === 'messageNotFound') return false
    throw cause
  }
}
