import type { Bot } from '../../bot/bot'
import { describeError } from '../../bot/core'
import {
  authorPermissions,
  type ChannelContext,
  findChannelContext,
  ownPermissions,
} from '../../messages/channelContext'
import { sendDirectMessage } from '../../messages/directMessages'
import type { IncomingMessage } from '../../messages/incomingMessage'
import { ALL_PERMISSIONS, hasPermissions } from '../../permissions/permission'
import { hasCode } from '../../rest/errors'
import type { Upload } from '../../rest/requestBody'
import { type Answer, type AnswerFile, toMessageBody } from '../answer'
import type { CommandDeps, Context } from '../context'
import type { CommandText } from '../grammar/prefix'
import { nameTextCommands } from '../nameCommand'
import { runText, runTyped } from '../runCommand'

/** Commands in messages. */
export interface TextCommands {
  /** Takes the turn of a command, and returns the milliseconds until it; null if there are too many. */
  takeTurn(message: IncomingMessage): number | null
  /** Runs a command, and answers. */
  run(message: IncomingMessage, command: CommandText): Promise<void>
  /** Returns whether a message without a prefix answers a question. */
  isAnswer(message: IncomingMessage): boolean
  /** Runs a message that answers a question. */
  runTyped(message: IncomingMessage): Promise<void>
  /** Answers that the database is away, or marks a command that is not run because too many wait. */
  refuse(message: IncomingMessage, reason: 'unavailable' | 'busy'): Promise<void>
}

/** Reaction to a command that is not run because there are too many. */
const WAIT_SIGN = '⏳'

/** The message, the channel or the access to it is gone. */
const GONE = [10003, 10008, 50001, 50013]

export function createTextCommands(bot: Bot, shared: CommandDeps): TextCommands {
  const { rest, metrics, guilds, log } = bot
  const { texts } = shared

  /** Sends a request that may fail because of what other people changed meanwhile. */
  const attempt = async ({ id, guild_id }: IncomingMessage, request: Promise<unknown>) => {
    try {
      await request
    } catch (cause) {
      if (!hasCode(cause, ...GONE)) throw cause
      log.debug('Discord answer not sent', { message: id, error: describeError(cause) })
      if (guild_id !== undefined && hasCode(cause, 50001, 50013)) await guilds.reload(guild_id)
    }
  }

  const findMessageChannel = async ({ guild_id, channel_id }: IncomingMessage) =>
    guild_id === undefined ? null : findChannelContext(bot, guild_id, channel_id)

  /** Permissions of the bot where the command was written. */
  const permissionsAt = (
    { guild_id }: IncomingMessage,
    channelContext: ChannelContext | null,
  ): bigint => {
    if (guild_id === undefined) return ALL_PERMISSIONS
    return channelContext ? ownPermissions(bot, channelContext) : 0n
  }

  const deleteCommand = async (message: IncomingMessage, channelContext: ChannelContext | null) => {
    const isAllowed = hasPermissions(
      permissionsAt(message, channelContext),
      'ViewChannel',
      'ManageMessages',
    )
    if (message.guild_id === undefined || !isAllowed) return
    const params = { channel_id: message.channel_id, message_id: message.id }
    await attempt(
      message,
      rest.request('DELETE', '/channels/{channel_id}/messages/{message_id}', { params }),
    )
  }

  const mayReact = (message: IncomingMessage, channelContext: ChannelContext | null) =>
    hasPermissions(permissionsAt(message, channelContext), 'AddReactions', 'ReadMessageHistory')

  const react = async (
    message: IncomingMessage,
    channelContext: ChannelContext | null,
    emoji: string,
  ) => {
    if (!mayReact(message, channelContext)) return
    const params = { channel_id: message.channel_id, message_id: message.id, emoji }
    await attempt(
      message,
      rest.request('PUT', '/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me', {
        params,
      }),
    )
  }

  const reply = async (
    message: IncomingMessage,
    channelContext: ChannelContext | null,
    answer: Answer,
  ) => {
    const granted = permissionsAt(message, channelContext)
    if (!hasPermissions(granted, 'ViewChannel', 'SendMessages')) return
    const isReadable = !answer.embeds?.length || hasPermissions(granted, 'EmbedLinks')
    const shown: Answer = isReadable
      ? answer
      : { content: texts.refusal(texts.botLacks(['EmbedLinks'])) }
    const reference = { message_id: message.id, fail_if_not_exists: false }
    await attempt(
      message,
      rest.request('POST', '/channels/{channel_id}/messages', {
        params: { channel_id: message.channel_id },
        body: {
          ...toMessageBody(shown),
          ...(hasPermissions(granted, 'ReadMessageHistory') && { message_reference: reference }),
        },
        files: toUploads(shown.files),
      }),
    )
  }

  const sendDirect = (account: string, answer: Answer) =>
    sendDirectMessage(bot, account, toMessageBody(answer), toUploads(answer.files))

  const send = async (
    message: IncomingMessage,
    channelContext: ChannelContext | null,
    answer: Answer,
  ) => {
    if (answer.deletesCommand) await deleteCommand(message, channelContext)
    if (answer.reaction !== undefined) await react(message, channelContext, answer.reaction)
    if (!answer.content && !answer.embeds?.length) return
    // A private answer never appears in a channel, whatever else fails.
    if (answer.isPrivate && message.guild_id !== undefined)
      return void (await sendDirect(message.author.id, answer))
    await reply(message, channelContext, answer)
    if (answer.copy !== undefined) await reply(message, channelContext, { content: answer.copy })
  }

  const createContext = (
    message: IncomingMessage,
    channelContext: ChannelContext | null,
    prefix = bot.prefixes[0] ?? '',
  ): Context => {
    const { guild_id: guildId, channel_id: channelId, author, message_reference: replied } = message
    const messageId = replied?.message_id
    return {
      ...shared,
      via: 'text',
      prefix,
      name: nameTextCommands(prefix),
      account: author.id,
      id: message.id,
      guild:
        guildId === undefined
          ? null
          : {
              id: guildId,
              permissions: channelContext ? authorPermissions(channelContext, message) : 0n,
            },
      channel: channelId,
      attachments: message.attachments.map(({ url, filename, size, content_type }) => ({
        url,
        filename,
        size,
        contentType: content_type ?? null,
      })),
      target: messageId === undefined ? null : { guildId: guildId ?? null, channelId, messageId },
      sendDirect: (answer) => sendDirect(author.id, answer),
      // Discord waits for the answer to a message as long as it takes.
      defer: async () => {},
      deleteCommand: () => deleteCommand(message, channelContext),
    }
  }

  return {
    takeTurn: ({ author }) => shared.rateLimit.takeTurn(author.id, 'command'),
    async run(message, { prefix, text }) {
      const channelContext = await findMessageChannel(message)
      const { answer, command } = await runText(
        createContext(message, channelContext, prefix),
        text,
      )
      metrics?.countCommand(command, resultOf(answer))
      if (answer) await send(message, channelContext, answer)
    },
    isAnswer: ({ author, channel_id, content }) =>
      shared.prompts.isAnswer(author.id, channel_id, content),
    async runTyped(message) {
      const channelContext = await findMessageChannel(message)
      const answer = await runTyped(createContext(message, channelContext), message.content)
      metrics?.countCommand('typed answer', resultOf(answer))
      if (answer) await send(message, channelContext, answer)
    },
    async refuse(message, reason) {
      metrics?.countCommand('unknown', 'unavailable')
      const channelContext = await findMessageChannel(message)
      if (reason === 'unavailable')
        return send(message, channelContext, { content: texts.refusal(texts.unavailable) })
      if (mayReact(message, channelContext)) await react(message, channelContext, WAIT_SIGN)
      else await reply(message, channelContext, { content: texts.slowDown })
    },
  }
}

/** Result of a command for metrics. */
export function resultOf(answer: Answer | null): 'done' | 'refused' | 'ignored' {
  if (!answer) return 'ignored'
  return answer.isRefusal ? 'refused' : 'done'
}

/** Files of an answer as a request contains them. */
export function toUploads(files: readonly AnswerFile[] = []): Upload[] {
  return files.map(({ name, bytes }) => ({
    data: new Blob([bytes]),
    attachment: { filename: name },
  }))
}
