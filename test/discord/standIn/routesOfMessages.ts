import { timeOf } from './clock'
import type { Context } from './context'
import { invalidField, isObject, refusal } from './errors'
import { everyMention, mentionsOfBody } from './mentions'
import {
  listOf,
  MessageFlag,
  rejectBlockedWords,
  rejectComponents,
  rejectEmpty,
  rejectFiles,
  rejectFlags,
  rejectTooLong,
  rejectUnmatchedFiles,
  rejectVoice,
} from './messageRules'
import {
  addMessage,
  deleteMessages,
  editedParts,
  editMessage,
  messageParts,
  userAuthor,
} from './messages'
import { publishPin } from './publish'
import type { RestRequest, Route } from './rest'
import { answers, bodies } from './schemas'
import { iso, serializeMessage } from './serialize'
import type { Channel, JsonObject, Message } from './types'

const BULK_AGE_MS = 14 * 24 * 3600_000

export const routesOfMessages: Route[] = [
  {
    name: 'GET /channels/{channel_id}/messages',
    answer: answers.messages,
    handle: (context, request) => ({ body: listMessages(context, request) }),
  },
  {
    name: 'GET /channels/{channel_id}/messages/{message_id}',
    answer: answers.message,
    handle(context, { params }) {
      const channel = visibleChannel(context, params.channel_id)
      context.world.require(context.application.botId, channel, 'READ_MESSAGE_HISTORY')
      return {
        body: readMessage(context, context.world.getMessage(channel, params.message_id ?? '')),
      }
    },
  },
  {
    name: 'POST /channels/{channel_id}/messages',
    body: bodies.createMessage,
    answer: answers.message,
    handle: (context, request) => ({
      body: serializeMessage(context, createMessage(context, request)),
    }),
  },
  {
    name: 'PATCH /channels/{channel_id}/messages/{message_id}',
    body: bodies.editMessage,
    answer: answers.message,
    handle(context, { params, body, files }) {
      const channel = visibleChannel(context, params.channel_id)
      const message = context.world.getMessage(channel, params.message_id ?? '')
      if (message.author.id !== context.application.botId) throw refusal(50005)
      changeMessage(context, message, body, files, context.application.botId)
      return { body: serializeMessage(context, message) }
    },
  },
  {
    name: 'DELETE /channels/{channel_id}/messages/{message_id}',
    handle(context, { params }) {
      const { world, application } = context
      const channel = visibleChannel(context, params.channel_id)
      const message = world.getMessage(channel, params.message_id ?? '')
      if (message.author.id !== application.botId) {
        if (channel.guildId === null) throw refusal(50003)
        world.require(application.botId, channel, 'MANAGE_MESSAGES')
      }
      deleteMessages(context, channel, [message], application.botId)
      return {}
    },
  },
  {
    name: 'POST /channels/{channel_id}/messages/bulk-delete',
    body: bodies.bulkDelete,
    handle: deleteBulk,
  },
  ...[
    '/channels/{channel_id}/messages/pins/{message_id}',
    '/channels/{channel_id}/pins/{message_id}',
  ].flatMap((path): Route[] => [
    { name: `PUT ${path}`, handle: (context, { params }) => setPinned(context, params, true) },
    { name: `DELETE ${path}`, handle: (context, { params }) => setPinned(context, params, false) },
  ]),
]

/** Channel that the bot can view; otherwise 10003 or 50001. */
export function visibleChannel(context: Context, id = ''): Channel {
  const channel = context.world.getChannel(id)
  context.world.require(context.application.botId, channel, 'VIEW_CHANNEL')
  return channel
}

/** Message as the application may read it: without content if the intent is not granted. */
function readMessage(context: Context, message: Message): JsonObject {
  const whole = serializeMessage(context, message)
  const { guildId } = context.world.getChannel(message.channelId)
  const mayRead = context.options.privilegedIntents.includes('MESSAGE_CONTENT')
  return mayRead || guildId === null ? whole : context.sessions.withoutContent(whole)
}

/** "Get Channel Messages": newest first; nothing without Read Message History. */
function listMessages(context: Context, { params, query }: RestRequest): JsonObject[] {
  const { world, application } = context
  const channel = visibleChannel(context, params.channel_id)
  if (!world.can(application.botId, channel, 'READ_MESSAGE_HISTORY')) return []
  const limit = Number(query.get('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalidField(['limit'], 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.')
  const messages = [...channel.messages.values()].filter(
    ({ isDeleted, ephemeralFor }) => !isDeleted && ephemeralFor === null,
  )
  return selectMessages(messages, query, limit)
    .toReversed()
    .map((message) => readMessage(context, message))
}

/** Messages in ascending order, selected by `before`, `after` or `around`. */
function selectMessages(messages: Message[], query: URLSearchParams, limit: number): Message[] {
  const [before, after, around] = ['before', 'after', 'around'].map((name) => query.get(name))
  const at = ({ id }: Message) => BigInt(id)
  if (after) return messages.filter((message) => at(message) > BigInt(after)).slice(0, limit)
  if (before) return messages.filter((message) => at(message) < BigInt(before)).slice(-limit)
  if (!around) return messages.slice(-limit)
  const half = Math.floor(limit / 2)
  return [
    ...messages.filter((message) => at(message) < BigInt(around)).slice(-half),
    ...messages.filter((message) => at(message) >= BigInt(around)).slice(0, limit - half),
  ]
}

function createMessage(context: Context, { params, body, files }: RestRequest): Message {
  const { world, application } = context
  const { botId } = application
  const channel = world.getChannel(params.channel_id ?? '')
  requireRecipient(context, channel)
  world.requireSend(botId, channel)
  if ([4, 14, 15].includes(channel.type)) throw refusal(50008)
  const flags = typeof body.flags === 'number' ? body.flags : 0
  const allowed =
    MessageFlag.suppressEmbeds |
    MessageFlag.suppressNotifications |
    MessageFlag.isComponentsV2 |
    MessageFlag.isVoiceMessage
  rejectFlags(flags, allowed, 'Only some flags can be set.')
  if (flags & MessageFlag.isVoiceMessage) {
    world.require(botId, channel, 'SEND_VOICE_MESSAGES')
    rejectVoice(context, body, files)
  }
  rejectParts(context, channel, body, files)
  if (listOf(body.embeds).length > 0) world.require(botId, channel, 'EMBED_LINKS')
  if (files.length > 0) world.require(botId, channel, 'ATTACH_FILES')
  if (body.poll) world.require(botId, channel, 'SEND_POLLS')
  const target = findReplied(context, channel, body)
  const mentions = mentionsOfBody(context, channel, body, everyMention, target)
  return addMessage(context, channel, {
    author: userAuthor(world.bot),
    ...messageParts(context, channel, body, files, mentions),
    type: target ? 19 : 0,
    reference: target ? { type: 0, channelId: channel.id, messageId: target.id } : null,
    nonce: typeof body.nonce === 'string' || typeof body.nonce === 'number' ? body.nonce : null,
  })
}

/** Rules that all new messages share, from bots, webhooks and interactions. */
export function rejectParts(
  context: Context,
  channel: Channel,
  body: JsonObject,
  files: RestRequest['files'],
): void {
  rejectTooLong(body)
  rejectUnmatchedFiles(body, files)
  rejectEmpty(body, files)
  rejectFiles(context, channel, files)
  rejectComponents(body)
  rejectBlockedWords(context, channel, body.content)
}

/** Refuses direct messages to users without a shared guild (50278) or with closed ones (50007). */
function requireRecipient({ world }: Context, channel: Channel): void {
  if (channel.recipientId === null) return
  const user = world.getUser(channel.recipientId)
  if (!world.botGuilds().some(({ members }) => members.has(user.id))) throw refusal(50278)
  if (user.hasClosedDms) throw refusal(50007)
}

/** Message that is replied to; an unknown one is refused unless `fail_if_not_exists` is false. */
function findReplied(context: Context, channel: Channel, body: JsonObject): Message | null {
  const { message_reference: reference } = body
  if (!isObject(reference) || typeof reference.message_id !== 'string') return null
  const { world, application } = context
  if (!world.can(application.botId, channel, 'READ_MESSAGE_HISTORY')) throw refusal(160002)
  const target = channel.messages.get(reference.message_id)
  if (target && !target.isDeleted) return target
  if (reference.fail_if_not_exists === false) return null
  throw invalidField(['message_reference'], 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message')
}

/** Edits a message by its author; mentions are rebuilt from the edit's `allowed_mentions`. */
export function changeMessage(
  context: Context,
  message: Message,
  body: JsonObject,
  files: RestRequest['files'],
  by: string,
  fallback = everyMention,
): void {
  const channel = context.world.getChannel(message.channelId)
  if (message.flags & MessageFlag.isVoiceMessage) throw refusal(50163)
  rejectTooLong(body)
  rejectUnmatchedFiles(body, files)
  rejectFiles(context, channel, files)
  rejectComponents(body)
  rejectBlockedWords(context, channel, body.content)
  const changes = editedParts(context, message, body, files)
  const merged = { ...message, ...changes }
  rejectEmpty(
    {
      content: merged.content,
      embeds: merged.embeds,
      components: merged.components,
      poll: merged.poll,
    },
    merged.attachments,
  )
  const target =
    message.reference?.type === 0 ? channel.messages.get(message.reference.messageId) : null
  const edited = { content: merged.content, allowed_mentions: body.allowed_mentions }
  const mentions = mentionsOfBody(context, channel, edited, fallback, target ?? null)
  editMessage(context, message, { ...changes, ...mentions }, by)
}

function deleteBulk(context: Context, { params, body }: RestRequest) {
  const { world, application, clock } = context
  const channel = visibleChannel(context, params.channel_id)
  if (channel.guildId === null) throw refusal(50024)
  world.require(application.botId, channel, 'MANAGE_MESSAGES')
  const ids = body.messages as string[]
  if (ids.length < 2 || ids.length > 100) throw refusal(50016)
  if (new Set(ids).size !== ids.length)
    throw invalidField(['messages'], 'BASE_TYPE_DUPLICATE', 'Message IDs must be unique.')
  if (ids.some((id) => timeOf(id) < clock.now() - BULK_AGE_MS)) throw refusal(50034)
  const messages = ids.flatMap((id) => {
    const message = channel.messages.get(id)
    return message && !message.isDeleted && message.ephemeralFor === null ? [message] : []
  })
  deleteMessages(context, channel, messages, application.botId, true)
  return {}
}

function setPinned(context: Context, params: Record<string, string>, pinned: boolean) {
  const { world, application } = context
  const channel = visibleChannel(context, params.channel_id)
  world.require(application.botId, channel, 'PIN_MESSAGES')
  const message = world.getMessage(channel, params.message_id ?? '')
  pinMessage(context, message, pinned, application.botId)
  return {}
}

export function pinMessage(context: Context, message: Message, pinned: boolean, by: string): void {
  message.pinned = pinned
  context.world.note({
    kind: 'pin',
    channelId: message.channelId,
    messageId: message.id,
    by,
    detail: `${pinned ? 'pinned' : 'unpinned'} ${iso(context.clock.now())}`,
  })
  publishPin(context, message)
}
