import type { APIMessage } from 'discord-api-types/v10'
import type { SourceAttachment } from '../attachments/attachmentLoader'
import type { Bot } from '../bot/bot'
import type { OwnWebhook } from '../cache/webhookCache'
import { isUncertain } from '../rest/errors'
import type { Upload } from '../rest/requestBody'
import { digestOf, findSent } from './findSent'

/** A message that a webhook is about to send. Several parts if its files do not fit in one. */
export interface Outgoing {
  /** Channel of the webhook. */
  readonly channelId: string
  readonly threadId: string | null
  /** Messages after this one are searched if it is uncertain whether the message was sent. */
  readonly after: string
  readonly name: string
  readonly avatarUrl: string | null
  readonly content: string
  /** Fields of the first part besides content, name, picture and files. */
  readonly fields: object
  /** Fields of all parts. */
  readonly flags: number
  readonly parts: readonly (readonly SourceAttachment[])[]
  /** Called with the time of each step of the first part. */
  readonly onStep?: (step: 'request' | 'answer') => void
}

/** A part could not be sent; the parts before it were deleted. */
export class PartError extends Error {
  override readonly name = 'PartError'
  constructor(override readonly cause: unknown) {
    super('a part of the message could not be sent')
  }
}

const EXECUTE = '/webhooks/{webhook_id}/{webhook_token}'
const WEBHOOK_MESSAGE = `${EXECUTE}/messages/{message_id}`

/** Sends all parts and returns them. If one fails, the others are deleted. */
export async function sendOutgoing(bot: Bot, outgoing: Outgoing): Promise<APIMessage[]> {
  const sent: APIMessage[] = []
  for (const attachments of outgoing.parts) {
    try {
      sent.push(await sendPart(bot, outgoing, attachments, sent))
    } catch (cause) {
      for (const { id } of sent) await deleteProxied(bot, outgoing, id)
      throw sent.length === 0 ? cause : new PartError(cause)
    }
  }
  return sent
}

/** Deletes a message that the bot's webhook has sent. Does nothing if it is gone. */
export async function deleteProxied(
  { rest, webhooks, maySend }: Pick<Bot, 'rest' | 'webhooks' | 'maySend'>,
  { channelId, threadId }: Pick<Outgoing, 'channelId' | 'threadId'>,
  messageId: string,
): Promise<void> {
  await webhooks
    .use(channelId, ({ id, token }) =>
      rest.request('DELETE', WEBHOOK_MESSAGE, {
        params: { webhook_id: id, webhook_token: token, message_id: messageId },
        query: threadId ? { thread_id: threadId } : {},
        auth: false,
        isProxying: true,
        maySend,
      }),
    )
    .catch((cause) => {
      if (!isGone(cause)) throw cause
    })
}

/** Unknown channel, unknown message. */
const GONE = [10003, 10008]

function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && GONE.includes(Number(cause.code))
}

async function sendPart(
  bot: Bot,
  outgoing: Outgoing,
  attachments: readonly SourceAttachment[],
  sent: readonly APIMessage[],
): Promise<APIMessage> {
  const { channelId, threadId } = outgoing
  const isFirst = sent.length === 0
  return bot.attachments.load(attachments, async (files) => {
    const body = isFirst ? firstBody(outgoing) : laterBody(outgoing)
    const execute = () => executeWebhook(bot, outgoing, body, files, isFirst)
    const target = threadId ?? channelId
    const message = await sendCertainly(bot, execute, () =>
      findSent(bot, {
        channelId: target,
        after: outgoing.after,
        digests: [digestOf(outgoing.name, isFirst ? outgoing.content : '')],
        except: sent.map(({ id }) => id),
      }),
    )
    if (message.channel_id === target) return message
    // The webhook was moved to another channel.
    bot.webhooks.forget(channelId)
    await bot.rest.request('DELETE', '/channels/{channel_id}/messages/{message_id}', {
      params: { channel_id: message.channel_id, message_id: message.id },
    })
    return execute()
  })
}

function firstBody({ name, avatarUrl, content, fields, flags }: Outgoing): object {
  return {
    ...fields,
    username: name,
    ...(avatarUrl && { avatar_url: avatarUrl }),
    ...(content !== '' && { content }),
    ...(flags !== 0 && { flags }),
  }
}

function laterBody({ name, avatarUrl, flags }: Outgoing): object {
  return {
    username: name,
    ...(avatarUrl && { avatar_url: avatarUrl }),
    ...(flags !== 0 && { flags }),
    allowed_mentions: { parse: [] },
  }
}

async function executeWebhook(
  bot: Bot,
  { channelId, threadId, onStep }: Outgoing,
  body: object,
  files: readonly Upload[],
  isFirst: boolean,
): Promise<APIMessage> {
  const { rest, webhooks } = bot
  const execute = ({ id, token }: OwnWebhook) => {
    if (isFirst) onStep?.('request')
    return rest.request<APIMessage>('POST', EXECUTE, {
      params: { webhook_id: id, webhook_token: token },
      query: { wait: true, ...(threadId && { thread_id: threadId }) },
      body,
      files,
      auth: false,
      isProxying: true,
      maySend: bot.maySend,
    })
  }
  const message = await webhooks.use(channelId, execute)
  if (isFirst) onStep?.('answer')
  return message
}

/**
 * Sends a message at most once. Without an answer, Discord may or may not have sent it: the channel
 * is searched, and the request repeated once if the message is not there.
 */
async function sendCertainly(
  { sleeper, timing }: Bot,
  execute: () => Promise<APIMessage>,
  find: () => Promise<APIMessage | null>,
): Promise<APIMessage> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await execute()
    } catch (cause) {
      if (!isUncertain(cause)) throw cause
      await sleeper.sleep(timing.uncertainMs)
      const message = await find()
      if (message) return message
      if (attempt === 2) throw cause
    }
  }
}
